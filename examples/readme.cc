#include <bloomery/bloomery.h>

#include <cstdio>

int main() {
  auto filter = bloomery::BlockFilter::with_capacity(1'000'000, 0.01);  // a million keys, 1 % false positives
  if (!filter.ok()) return std::puts(filter.error().to_string().c_str()), 1;
  filter->add("alpha");
  filter->add(42);  // integers, strings, byte spans, your own types
  std::printf("%d %d\n", filter->contains("alpha"), filter->contains("omega"));
  auto saved = bloomery::save("demo.blm", *filter);
  auto file = bloomery::FilterFile::open("demo.blm");  // verified to the last bit, or an error that says why
  if (!saved.ok() || !file.ok()) return 1;
  std::printf("%d\n", file->contains("alpha"));
}
