// The bits of one filter as the protocol sees them: hashes to be added, chunks to be compared and united. Replica has
// one Cells for each window.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/live/shared.h"
#include "bloomery/replica/message.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

// Safe from any thread. Refers to bytes that somebody else owns and that other threads may be adding to.
class Cells {
 public:
  virtual ~Cells() = default;

  // Adds hashes and marks their chunks, changed or not. Returns how many changed a bit.
  virtual std::uint64_t apply(std::span<const Hash> hashes) = 0;
  // Marks the chunks of a hash that the owner has added itself.
  virtual void mark(Hash hash) = 0;
  // Marks the chunk of a byte.
  void mark_chunk(std::uint64_t byte) { marks_[byte / kChunkBytes].store(1, std::memory_order_release); }
  // Fills in kind, hash and geometry.
  virtual void describe(Hello& hello) const = 0;
  virtual double fpr_at(std::uint64_t bits_set) const = 0;
  virtual std::uint64_t bits_per_key() const = 0;

  std::uint64_t bytes() const { return payload_.size(); }
  std::uint64_t chunks() const { return (payload_.size() + kChunkBytes - 1) / kChunkBytes; }
  std::uint64_t bits_set() const;

  // Copies a part of the payload; bytes past its end are zeros.
  void read(std::uint64_t offset, std::span<std::uint8_t> out) const;
  // Adds the bits of a part of another payload, and marks the chunk. Refuses bits past the end.
  Status check_part(std::uint64_t offset, std::span<const std::uint8_t> part) const;
  void unite(std::uint64_t offset, std::span<const std::uint8_t> part);

  // XXH3 of every chunk. Only marked ones are computed again.
  std::vector<std::uint64_t> digests();
  void mark_all();
  // Whether digests of all chunks are those of a payload in which no bit is set.
  bool is_empty(const std::vector<std::uint64_t>& digests) const;

 protected:
  // `bits` is how many bits of the payload belong to the filter; those behind are zeros.
  Cells(std::span<std::uint8_t> payload, std::uint64_t bits);

 private:
  std::span<std::uint8_t> payload_;
  std::uint64_t bits_;
  // Whether a chunk changed since its digest was computed: written after the bits (release), and taken back before
  // they are read (acquire), so that a change that the digest may lack leaves its mark.
  std::unique_ptr<std::atomic<std::uint8_t>[]> marks_;
  std::mutex mutex_;  // of the digests
  std::vector<std::uint64_t> digests_;
};

// The cells of a shared filter, which must outlive them.
template <class Layout>
Result<std::unique_ptr<Cells>> make_cells(Shared<BasicFilter<Layout>>& filter);

// The digest of each line of a chunk, seeded with the request: two lines whose digests are equal by chance differ in
// the next repair. It has as many bits as the digest of a chunk, because no later comparison would find such a mistake.
std::array<std::uint64_t, kLines> line_digests(std::span<const std::uint8_t, kChunkBytes> chunk, std::uint64_t request);

}  // namespace BLOOMERY_NAMESPACE::replica
