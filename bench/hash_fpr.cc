// The rate each hash gives on keys of different shapes. Plain FNV-1a, whose bits are used without the splitmix64 that
// follows it in fnv_splitmix, is there to show why it follows.
#include <array>
#include <cstdio>
#include <functional>
#include <numeric>

#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/classic.h"

namespace bloomery::bench {
namespace {

constexpr double kTarget = 0.01;

struct NamedHash {
  std::string name;
  std::function<Hash(std::string_view)> hash;
};

// The key of a number: numbers below n are added, those from n on are asked.
struct Shape {
  const char* name;
  std::string (*key)(std::uint64_t number, std::uint64_t n);
};

std::string number_bytes(std::uint64_t number) { return {reinterpret_cast<const char*>(&number), sizeof number}; }

std::string random_key(std::uint64_t number, std::uint64_t) { return number_bytes(detail::splitmix64(number)); }
std::string sequential_key(std::uint64_t number, std::uint64_t) { return number_bytes(number); }
std::string even_odd_key(std::uint64_t number, std::uint64_t n) {
  return number_bytes(number < n ? 2 * number : 2 * (number - n) + 1);
}
std::string prefix_key(std::uint64_t number, std::uint64_t) {
  return format("https://example.org/catalogue/item/%09llu", static_cast<unsigned long long>(number));
}

std::vector<NamedHash> hashes() {
  std::array<std::uint8_t, 16> bytes{};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const Secret secret(bytes);
  std::vector<NamedHash> all = {{"fnv1a alone", [](std::string_view key) {
                                   return Hash(
                                       detail::fnv1a64(reinterpret_cast<const std::uint8_t*>(key.data()), key.size()));
                                 }}};
  for (const Hasher& hasher :
       {Hasher::fnv_splitmix(), Hasher::xxh3(), Hasher::xxh64(), Hasher::siphash13(secret), Hasher::siphash24(secret)})
    all.push_back({to_string(hasher.id()), [hasher](std::string_view key) { return hasher(key); }});
  return all;
}

double rate_on(const Shape& shape, const NamedHash& hash, std::uint64_t n, std::uint64_t asked) {
  Result<ClassicFilter> filter = ClassicFilter::with_capacity(n, kTarget);
  for (std::uint64_t i = 0; i < n; ++i) filter->add(hash.hash(shape.key(i, n)));
  std::uint64_t hits = 0;
  for (std::uint64_t i = n; i < n + asked; ++i) hits += filter->contains(hash.hash(shape.key(i, n)));
  return static_cast<double>(hits) / static_cast<double>(asked);
}

// Half of the 256 keys of one byte are added, the other half is asked; the mean over many random halves.
double rate_on_bytes(const NamedHash& hash, std::size_t halves) {
  std::array<char, 256> keys;
  std::iota(keys.begin(), keys.end(), '\0');
  std::uint64_t hits = 0, random = 0;
  for (std::size_t h = 0; h < halves; ++h) {
    for (std::size_t i = keys.size() - 1; i > 0; --i) std::swap(keys[i], keys[detail::splitmix64(random++) % (i + 1)]);
    Result<ClassicFilter> filter = ClassicFilter::with_capacity(keys.size() / 2, kTarget);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Hash hashed = hash.hash({&keys[i], 1});
      if (i < keys.size() / 2) filter->add(hashed);
      else hits += filter->contains(hashed);
    }
  }
  const std::size_t asked = halves * (keys.size() / 2);
  return static_cast<double>(hits) / static_cast<double>(asked);
}

}  // namespace

void hash_fpr(const Options& options, Report& report) {
  const Shape shapes[] = {{"random", random_key},
                          {"sequential", sequential_key},
                          {"even/odd", even_odd_key},
                          {"shared prefix", prefix_key}};
  std::printf("classic, measured false positives by hash and shape of keys; target 1 %%, n = %s\n",
              count_text(options.fpr_keys).c_str());
  std::vector<std::string> head = {""};
  for (const Shape& shape : shapes) head.emplace_back(shape.name);
  head.emplace_back("1 byte");
  Table table(head);
  for (const NamedHash& hash : hashes()) {
    std::vector<std::string> row = {hash.name};
    const auto put = [&](const char* shape, std::uint64_t n, double rate) {
      row.push_back(format("%.3f %%", rate * 100));
      report.figure("hash rate", n, shape, hash.name, rate, "rate");
    };
    for (const Shape& shape : shapes)
      put(shape.name, options.fpr_keys, rate_on(shape, hash, options.fpr_keys, options.fpr_asked));
    put("1 byte", 128, rate_on_bytes(hash, options.fpr_halves));
    table.row(row);
  }
  table.print();
  std::printf(
      "  %s absent keys asked; even/odd: even numbers are in, odd ones asked; 1 byte: n = 128, 128 asked, mean of "
      "%s halves\n\n",
      count_text(options.fpr_asked).c_str(), count_text(options.fpr_halves).c_str());
}

}  // namespace bloomery::bench
