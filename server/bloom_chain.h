// The value of BF.* keys: a chain of `block` filters that holds its false-positive rate however long it grows.
//
// A chain that nobody reserved keeps its first 4,096 hashes exactly, in order; then they move into a link of 8,192
// keys. A reserved one begins with a link of the capacity asked for. Each next link takes `expansion` times the keys of
// the one before. Links share the rate: the sum of their shares is at most 1, so the chain holds it without an end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/block.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "server/memory.h"
#include "server/next_link.h"
#include "server/value.h"

namespace bloomery::server {

class BloomChain final : public Value {
 public:
  struct Shape {
    double fpr = 0.01;
    std::uint64_t capacity = 0;   // of the first link; of an unreserved chain at least, after its exact hashes
    std::uint32_t expansion = 2;  // 0: a single link that can be full
    bool reserved = false;
  };
  using Pointer = std::unique_ptr<BloomChain, Destroy>;

  static constexpr std::uint32_t kExact = 4096, kFirstLink = 8192;
  static constexpr std::size_t kMaxLinks = 48;
  static constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;  // of a link

  // `most` is the limit of payload bytes. Errors: out_of_memory, full (beyond the limit), invalid_argument.
  static Result<Pointer> create(const Shape& shape, std::uint64_t most);
  static Result<ValuePointer> from_header(HeaderReader& fields, std::uint64_t most);
  explicit BloomChain(const Shape& shape) : shape_(shape) {}
  ~BloomChain() override;

  // The share of the rate for link i of a chain that may grow; the sum over all i is at most 1.
  static double share_of_link(std::size_t i) noexcept;

  static Hash hash(std::string_view item) noexcept { return Hasher::xxh3()(item); }

  // Whether the key was new. Errors: full, out_of_memory; then nothing has changed.
  Result<bool> add(Hash hash, std::uint64_t most);
  bool contains(Hash hash) const noexcept;
  // Notes where this chain's links lie, since the next question is likely to be to the same chain. Only the server's
  // thread may call it.
  void expect_question() const noexcept {
    const std::size_t newest = link_count_ == 0 ? 0 : link_count_ - 1;
    if (expected_count_ == link_count_ && expected_[newest].bytes == probes_[newest].bytes) return;
    expected_ = probes_;
    expected_count_ = link_count_;
  }
  // Fetches the lines of a question to the chain that was noted last, which come while the server looks for the key.
  // Nothing is read through these pointers, so a chain that has gone or moved meanwhile does no harm.
  static void fetch_ahead(Hash hash) noexcept {
    for (std::size_t i = 0; i < expected_count_; ++i)
      __builtin_prefetch(expected_[i].bytes + detail::block_offset(expected_[i].blocks, hash));
  }
  // answers[i] = whether hashes[i] may be there; at most 256 of them.
  void contains_many(std::span<const Hash> hashes, std::span<std::uint8_t> answers) const noexcept;

  const Shape& shape() const { return shape_; }
  std::uint64_t items() const { return items_; }
  std::uint64_t capacity() const;
  std::size_t links() const { return link_count_; }
  struct LinkInfo {
    std::uint64_t capacity, items, bytes;
    double rate;
    std::uint32_t k;
  };
  LinkInfo link_info(std::size_t i) const;

  ValueKind kind() const override { return ValueKind::bloom; }
  void write_header(HeaderWriter& out) const override;
  std::size_t payloads() const override { return link_count_; }
  std::span<std::uint8_t> payload(std::size_t i) override { return links_[i]->bytes.span(); }
  using Value::payload;
  Status finish_loading() override;
  std::size_t memory() const override;
  void defragment(DefragContext* context) noexcept override;
  // Links gain bits and stay where they are, so that a dump is of the links it began with: the tag is their number,
  // beside a number of the chain's own.
  std::uint64_t begin_dump() override;
  std::optional<std::uint64_t> dump_bytes(std::uint64_t tag) const override;

 private:
  struct Link {
    Link(Bytes taken, const BlockMutableView& over, std::uint64_t keys)
        : bytes(std::move(taken)), view(over), capacity(keys) {}
    Bytes bytes;
    BlockMutableView view;
    std::uint64_t capacity, items = 0;
  };
  using LinkPointer = std::unique_ptr<Link, Destroy>;

  // What link i of a chain of this shape is like.
  double rate_of_link(std::size_t i) const;
  std::uint64_t next_capacity() const;
  // `zero` false leaves the bytes as they come, to be zeroed or filled later.
  static Result<LinkPointer> take_link(const BlockGeometry& geometry, std::uint64_t capacity, bool zero);
  Status plan_next();
  Result<LinkPointer> take_next(std::uint64_t most, bool zero);
  Status make_room(std::uint64_t most);
  Status leave_exact(std::uint64_t most);
  Result<bool> add_exact(Hash hash, std::uint64_t most);
  // Takes and zeroes a large next link in slices, so that no command waits for all of it.
  void prepare_next(std::uint64_t most) noexcept;
  void push(LinkPointer link) noexcept {
    set_probe(link_count_, *link);
    links_[link_count_++] = link.release();
    planned_.reset();
  }
  void set_probe(std::size_t i, const Link& link) noexcept {
    const BlockGeometry geometry = link.view.view().geometry();
    probes_[i] = {link.bytes.data(), geometry.blocks, geometry.k};
  }

  std::span<std::uint64_t> exact_hashes() const {
    return {reinterpret_cast<std::uint64_t*>(exact_.data()), exact_count_};
  }

  Shape shape_;
  std::uint64_t items_ = 0;
  Bytes exact_;  // sorted hashes, of an unreserved chain without links
  std::uint32_t exact_count_ = 0;
  std::uint32_t link_count_ = 0;
  std::array<Link*, kMaxLinks> links_ = {};
  // What a question needs of each link, side by side.
  struct Probe {
    const std::uint8_t* bytes;
    std::uint64_t blocks;
    std::uint32_t k;
  };
  std::array<Probe, kMaxLinks> probes_ = {};
  static inline std::array<Probe, kMaxLinks> expected_ = {};  // of the chain that was asked last
  static inline std::uint32_t expected_count_ = 0;
  std::optional<BlockGeometry> planned_;  // of the next link: working it out takes a millisecond
  NextLink<LinkPointer> next_;
  std::uint64_t dump_id_ = 0;     // of this chain in tags; 0 until it is dumped
  std::uint64_t prepare_at_ = 0;  // the next link is not asked for before so many items
};

}  // namespace bloomery::server
