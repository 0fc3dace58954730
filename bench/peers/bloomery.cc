// Ours: the classic filter with its default hash.
#include "bloomery/classic.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bench/peers/peer.h"

namespace bloomery::bench {
namespace {

class Bloomery : public Peer {
 public:
  std::string name() const override { return "bloomery"; }
  bool has_batch() const override { return true; }

  std::vector<double> build(const Keys& keys) override {
    start(size(keys));
    return std::visit(
        [&](const auto& span) {
          return timed_in_windows(span, [&](const auto& part) {
            for (const auto& key : part) filter_->add(key);
          });
        },
        keys);
  }

  std::vector<double> build_many(const Keys& keys) override {
    start(size(keys));
    return std::visit(
        [&](const auto& span) {
          return timed_in_windows(span, [&](const auto& part) { (void)filter_->add_many(part); });
        },
        keys);
  }

  void contains(const Keys& keys, std::span<std::uint8_t> answers) const override {
    std::visit(
        [&](const auto& span) {
          for (std::size_t i = 0; i < span.size(); ++i) answers[i] = filter_->contains(span[i]) ? 1 : 0;
        },
        keys);
  }

  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const override {
    std::visit([&](const auto& span) { filter_->contains_many(span, answers); }, keys);
  }

  std::uint64_t bits() const override { return filter_->geometry().m; }
  std::span<const std::uint8_t> memory() const override { return filter_->view().payload(); }

 private:
  void start(std::size_t n) {
    filter_.reset();
    Result<ClassicFilter> made = ClassicFilter::with_capacity(n, kFpr);
    if (!made.ok()) {
      std::fprintf(stderr, "bloomery_bench: %s\n", made.error().to_string().c_str());
      std::exit(2);
    }
    filter_ = *std::move(made);
  }

  std::optional<ClassicFilter> filter_;
};

}  // namespace

std::unique_ptr<Peer> make_bloomery() { return std::make_unique<Bloomery>(); }

}  // namespace bloomery::bench
