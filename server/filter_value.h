// The value of BLM.* keys: a filter of any kind, or several of one geometry that take turns (windows). A window takes
// keys into its newest filter, answers from all, and forgets the oldest when it rotates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/records.h"
#include "bloomery/result.h"
#include "server/envelope.h"
#include "server/memory.h"
#include "server/scalable_growth.h"
#include "server/value.h"

namespace bloomery::server {

// The server's memory for containers; it throws std::bad_alloc, which becomes an error reply.
template <class T>
struct ServerAllocator {
  using value_type = T;
  ServerAllocator() = default;
  template <class U>
  ServerAllocator(const ServerAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    void* memory = api.TryAlloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { api.Free(memory); }
  friend bool operator==(const ServerAllocator&, const ServerAllocator&) { return true; }
};
template <class T>
using ServerVector = std::vector<T, ServerAllocator<T>>;

class FilterValue final : public Value {
 public:
  // The windows of one value, and when its owner wants them to turn.
  struct Windows {
    std::uint32_t count = 1;
    std::uint64_t every_ms = 0;   // 0: only BLM.ROTATE turns them
    std::uint64_t turned_ms = 0;  // when they last did, by the primary's clock
  };
  using Pointer = std::unique_ptr<FilterValue, Destroy>;
  using Keyed = server::Keyed;

  static Result<Pointer> create(AnyFilter filter, const Records& records, std::optional<Keyed> keyed,
                                const Windows& windows);
  static Result<ValuePointer> from_header(HeaderReader& fields, std::uint64_t most);
  FilterValue(Records records, std::optional<Keyed> keyed, const Windows& windows)
      : records_(std::move(records)), windows_(windows), keyed_(std::move(keyed)) {}

  // The filter that takes keys.
  AnyFilter& newest() { return filters_.front(); }
  const AnyFilter& newest() const { return filters_.front(); }
  const Records& records() const { return records_; }
  void set_records(Records records) { records_ = std::move(records); }
  const Windows& windows() const { return windows_; }
  // Set of a filter whose secret the server did not have: it answers and takes hashes alone.
  const std::optional<Keyed>& keyed() const { return keyed_; }
  // Takes and answers keys from now on, when the setting has the secret of a keyed filter by now. Otherwise it stays as
  // it is; on an error it answers hashes alone, as before. Takes the memory of one filter more while it runs.
  Status use_secret();
  // The newest filter with another hash function for its keys.
  Result<AnyFilter> newest_hashed_by(const Hasher& hasher) const;
  // The hash and its seed or the id of its secret, as its file names them.
  Keyed hash_name() const { return keyed_ ? *keyed_ : Keyed{newest().hasher().id(), newest().hasher().seed()}; }
  // Puts that name into the head of a file of this filter.
  void name_hash(std::span<std::uint8_t> head) const;
  // The bytes of its file before the payload.
  Result<std::vector<std::uint8_t>> head(std::size_t i) const;
  bool keys_are_integers() const { return records_.keys == "int"; }

  // The hash of an argument, parsed as a decimal where keys are integers.
  Result<Hash> hash(std::string_view argument) const;
  bool contains(Hash hash, std::size_t of_filters) const noexcept;
  void contains_many(std::span<const Hash> hashes, std::span<std::uint8_t> answers,
                     std::size_t of_filters) const noexcept;
  // How often a key may be in them; nothing of a kind that does not count.
  std::optional<std::uint64_t> count(Hash hash, std::size_t of_filters) const;
  std::size_t filters() const { return filters_.size(); }
  // What each window may have of the payload bytes of a value.
  std::uint64_t most_of_one(std::uint64_t most) const;
  // Adds a key to the newest filter; a scalable one grows within `most` payload bytes. Errors as AnyFilter::add.
  Status add(Hash hash, std::uint64_t most);
  // Forgets the oldest window and begins a new one. On an error, of a kind that cannot be cleared, nothing has changed.
  Status rotate(std::uint64_t now_ms);
  // Whether it was made to take turns; a filter that was not is alone.
  bool has_windows() const { return filters_.size() > 1 || windows_.turned_ms != 0; }
  // How the payload changed: by keys that were added or filters that were merged into it, or in another way.
  enum class Change : std::uint8_t { more, other };
  // Takes the place of what it holds, which is returned.
  AnyFilter exchange(AnyFilter filter, Change change) {
    std::swap(filters_.front(), filter);
    growth_.reset();
    touch(change);
    return filter;
  }
  // By these two a value is known to be as it was: no other has this number, and each change is counted.
  std::uint64_t id() const { return id_; }
  std::uint64_t changes() const { return changes_; }
  // Changes by which bits were lost or moved. With each key that is added to a kind that moves entries or forgets keys
  // there is one more.
  std::uint64_t losses() const { return losses_; }
  // Its payload has changed: records that do not stay true go.
  void touch(Change change);

  ValueKind kind() const override { return ValueKind::filter; }
  void write_header(HeaderWriter& out) const override;
  std::size_t payloads() const override { return staged_.empty() ? filters_.size() : staged_.size(); }
  std::span<std::uint8_t> payload(std::size_t i) override;
  using Value::payload;
  Status finish_loading() override;
  std::size_t memory() const override;
  void defragment(DefragContext* context) noexcept override;
  // What dumps are under way is known to dumps.h.
  std::uint64_t begin_dump() override;
  std::optional<std::uint64_t> dump_bytes(std::uint64_t tag) const override;
  void copy_dump(std::uint64_t tag, std::uint64_t offset, std::span<std::uint8_t> out) const override;

 private:
  // An envelope whose payload is still to come.
  struct Staged {
    Bytes file;
    std::size_t head = 0;
  };

  Records records_;
  Windows windows_;
  std::optional<Keyed> keyed_;
  ServerVector<AnyFilter> filters_;  // the newest first
  ServerVector<Staged> staged_;      // while it loads
  static inline std::atomic<std::uint64_t> last_id_{0};
  const std::uint64_t id_ = 1 + last_id_.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t changes_ = 0, losses_ = 0;
  ScalableGrowth growth_;  // of the newest filter
};

}  // namespace bloomery::server
