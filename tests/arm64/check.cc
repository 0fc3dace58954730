// Run on arm64, or in its emulator (tools/arm64.sh): the NEON kernels against the scalar definition, the golden filter,
// and filters of all kinds against the bytes of the host. A program of its own, because the test libraries of the host
// cannot be linked here.
#include <cstdio>
#include <vector>

#include "bloomery/bloomery.h"
#include "kernel/kernel.h"

namespace {

using namespace bloomery;
using kernel::Batch;
using kernel::Kernel;

std::vector<std::uint64_t> stream(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = detail::splitmix64(seed + i);
  return hashes;
}

// k = 0 stands for split. Returns the number of answers compared, or 0 at the first difference.
std::size_t compare(const Kernel& isa, std::uint64_t seed, std::uint64_t blocks, std::uint32_t k, std::size_t count,
                    unsigned ahead) {
  const auto add = k == 0 ? &Kernel::split_add : &Kernel::block_add;
  const auto contains = k == 0 ? &Kernel::split_contains : &Kernel::block_contains;
  const std::vector<std::uint64_t> in = stream(seed << 20, count), asked = stream(~seed << 20, count);
  std::vector<std::uint8_t> expected(64 * blocks), got(64 * blocks), right(count), answers(count);
  (kernel::kScalar.*add)(expected.data(), Batch{blocks, k, in.data(), count, 0});
  (isa.*add)(got.data(), Batch{blocks, k, in.data(), count, ahead});
  if (got != expected) return 0;
  for (const auto* hashes : {&in, &asked}) {
    (kernel::kScalar.*contains)(expected.data(), Batch{blocks, k, hashes->data(), count, 0}, right.data());
    (isa.*contains)(got.data(), Batch{blocks, k, hashes->data(), count, ahead}, answers.data());
    if (answers != right) return 0;
  }
  return 2 * count;
}

// Whether key0 .. key999 make here, in a filter of the same size, the very bytes of the file.
bool same_bytes(const char* path) {
  const Result<FilterFile> file = FilterFile::open(path);
  if (!file.ok()) return std::printf("%s\n", file.error().to_string().c_str()), false;
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("key" + std::to_string(i));
  const Result<AnyFilter> filter = AnyFilter::build(file->info().kind, keys, {0.01}, file->view().hasher());
  const bool same = filter.ok() && filter->view() == file->view();
  std::printf("%s: %s\n", to_string(file->info().kind), same ? "the same bytes" : "other bytes than on the host");
  return same;
}

}  // namespace

// The arguments are filter files of key0 .. key999 at 1 %, made on another machine.
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (!same_bytes(argv[i])) return 1;
  for (const Kernel* isa : kernel::available()) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (std::uint64_t blocks : {1ull, 7ull, 1000ull})
        for (std::uint32_t k = 0; k <= 16; ++k)
          for (std::size_t count : {1u, 31u, 300u})
            for (unsigned ahead : {0u, 1u, 32u, kernel::kMostAhead}) {
              const std::size_t equal = compare(*isa, seed, blocks, k, count, ahead);
              if (equal == 0) return std::printf("%s differs from scalar at k = %u\n", isa->name, k), 1;
              compared += equal;
            }
    std::printf("%s: %zu answers and all bits equal to scalar\n", isa->name, compared);
  }
  ClassicFilter filter = *ClassicFilter::with_capacity(1000, 0.01);
  for (int i = 0; i < 1000; ++i) filter.add("key" + std::to_string(i));
  std::printf("classic: %llu bits set\n", static_cast<unsigned long long>(filter.bits_set()));
  return filter.bits_set() == 4982 ? 0 : 1;
}
