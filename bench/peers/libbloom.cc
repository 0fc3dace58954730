// libbloom (Jyri J. Virkki): a C library, MurmurHash2 twice, a bit index by remainder. It has no batch call.
#include <bloom.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include "bench/peers/peer.h"

namespace bloomery::bench {
namespace {

class Libbloom : public Peer {
 public:
  Libbloom() = default;
  Libbloom(const Libbloom&) = delete;
  ~Libbloom() override { stop(); }

  std::string name() const override { return "libbloom"; }
  std::string why_not(std::uint64_t n) const override { return n * 10 > INT_MAX ? "it counts its bits in an int" : ""; }

  std::vector<double> build(const Keys& keys) override {
    start(size(keys));
    return std::visit(
        [&](const auto& span) {
          return timed_in_windows(span, [&](const auto& part) {
            for (const auto& key : part)
              bloom_add(&filter_, bytes_of(key).data(), static_cast<int>(bytes_of(key).size()));
          });
        },
        keys);
  }

  void contains(const Keys& keys, std::span<std::uint8_t> answers) const override {
    std::visit(
        [&](const auto& span) {
          for (std::size_t i = 0; i < span.size(); ++i) {
            const std::string_view key = bytes_of(span[i]);
            answers[i] = bloom_check(&filter_, key.data(), static_cast<int>(key.size())) == 1 ? 1 : 0;
          }
        },
        keys);
  }

  std::uint64_t bits() const override { return static_cast<std::uint64_t>(filter_.bits); }

 private:
  void start(std::size_t n) {
    stop();
    if (bloom_init(&filter_, static_cast<int>(n), kFpr) != 0) {
      std::fprintf(stderr, "bloomery_bench: libbloom could not make a filter of %zu keys\n", n);
      std::exit(2);
    }
    started_ = true;
  }
  void stop() {
    if (started_) bloom_free(&filter_);
    started_ = false;
  }

  mutable bloom filter_{};  // its lookups take a pointer to non-const
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Peer> make_libbloom() { return std::make_unique<Libbloom>(); }

}  // namespace bloomery::bench
