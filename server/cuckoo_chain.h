// The value of CF.* keys: a chain of `cuckoo` filters with fingerprints of 12 bits. Keys are counted: one that is added
// twice is there twice, and removed one by one. A new link has `expansion` times the capacity of the one before.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bloomery/cuckoo.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "server/memory.h"
#include "server/next_link.h"
#include "server/value.h"

namespace bloomery::server {

class CuckooChain final : public Value {
 public:
  // Bucket size and iterations are kept for whoever asks; the filters have buckets of four and need no iterations.
  struct Shape {
    std::uint64_t capacity = 1024;
    std::uint32_t bucket_size = 2, max_iterations = 20, expansion = 1;
  };
  using Pointer = std::unique_ptr<CuckooChain, Destroy>;
  static constexpr std::size_t kMaxLinks = 64;
  static constexpr double kRate = 0.002;  // of a link: what 12 bits give

  static Result<Pointer> create(const Shape& shape, std::uint64_t most);
  static Result<ValuePointer> from_header(HeaderReader& fields, std::uint64_t most);
  explicit CuckooChain(const Shape& shape) : shape_(shape) {}
  ~CuckooChain() override;

  static Hash hash(std::string_view item) noexcept { return Hasher::xxh3()(item); }

  // Errors: full, unsupported (as many links as max_links), out_of_memory; then nothing has changed.
  Status add(Hash hash, std::uint64_t most, std::size_t max_links);
  bool contains(Hash hash) const noexcept;
  // How often it was added and not removed, or more.
  std::uint64_t count(Hash hash) const noexcept;
  // Returns whether an entry was removed. Nothing is removed, and nothing changes, when no link holds the key, and when
  // links of two sizes seem to hold it: one of their entries may be another key's, and which one cannot be known.
  bool remove(Hash hash) noexcept;
  // Moves entries from newer links to older ones of the same geometry, and drops the links that are empty then.
  void compact() noexcept;

  const Shape& shape() const { return shape_; }
  std::uint64_t items() const { return items_; }
  std::uint64_t deleted() const { return deleted_; }
  std::uint64_t buckets() const;
  std::size_t links() const { return link_count_; }
  struct LinkInfo {
    std::uint64_t buckets, items, bytes;
  };
  LinkInfo link_info(std::size_t i) const;

  ValueKind kind() const override { return ValueKind::cuckoo; }
  void write_header(HeaderWriter& out) const override;
  std::size_t payloads() const override { return link_count_; }
  std::span<std::uint8_t> payload(std::size_t i) override { return links_[i]->bytes.span(); }
  using Value::payload;
  // Counts what is in the links: the header must say the same.
  Status finish_loading() override;
  std::size_t memory() const override;
  void defragment(DefragContext* context) noexcept override;
  // Entries move, so that a dump goes on only while nothing has changed.
  std::uint64_t begin_dump() override;
  std::optional<std::uint64_t> dump_bytes(std::uint64_t tag) const override;

 private:
  struct Link {
    Link(Bytes taken, const CuckooMutableView& over, std::uint64_t keys)
        : bytes(std::move(taken)), view(over), capacity(keys) {}
    Bytes bytes;
    CuckooMutableView view;
    std::uint64_t capacity, items = 0;
  };
  using LinkPointer = std::unique_ptr<Link, Destroy>;

  static Result<LinkPointer> take_link(const CuckooGeometry& geometry, std::uint64_t capacity, bool zero);
  // `zero` false is for a link to be zeroed later: nullptr when it is small enough to be zeroed at once.
  Result<LinkPointer> take_next(std::uint64_t most, bool zero) const;
  Status grow(std::uint64_t most);
  void prepare_next(std::uint64_t most, std::size_t max_links) noexcept;
  static bool place(Link& link, Hash hash);
  static void move_entries(Link& from, Link& to) noexcept;
  void drop_empty() noexcept;
  void push(LinkPointer link) noexcept { links_[link_count_++] = link.release(); }

  Shape shape_;
  std::uint64_t items_ = 0, deleted_ = 0;
  std::uint32_t link_count_ = 0;
  std::array<Link*, kMaxLinks> links_ = {};
  NextLink<LinkPointer> next_;
  std::uint64_t prepare_at_ = 0;  // the next link is not asked for before so many items
  std::uint64_t dump_ = 0;        // the tag of the last dump; 0 of none
  bool changed_ = true;           // since that dump began
};

}  // namespace bloomery::server
