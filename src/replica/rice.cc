#include "replica/rice.h"

#include <algorithm>
#include <bit>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

class BitWriter {
 public:
  explicit BitWriter(Bytes& to) : to_(to) {}

  // The low `count` bits, the lowest first; count is at most 64.
  void put(std::uint64_t bits, unsigned count) {
    for (unsigned done = 0; done < count;) {
      if (used_ == 0) to_.push_back(0);
      const unsigned now = std::min(count - done, 8 - used_);
      const auto part = static_cast<std::uint8_t>((bits >> done) & ((1u << now) - 1));
      to_.back() = static_cast<std::uint8_t>(to_.back() | part << used_);
      used_ = (used_ + now) % 8;
      done += now;
    }
  }
  void put_ones(std::uint64_t count) {
    for (; count > 0; count -= std::min<std::uint64_t>(count, 64))
      put(~std::uint64_t{0}, static_cast<unsigned>(std::min<std::uint64_t>(count, 64)));
  }

 private:
  Bytes& to_;
  unsigned used_ = 0;  // bits of the last byte; 0: all or none
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // Returns the next bits; those past the end are zeros.
  std::uint64_t peek() const {
    const std::size_t byte = static_cast<std::size_t>(at_ / 8);
    const unsigned shift = at_ % 8;
    if (byte + 9 <= bytes_.size()) [[likely]] {
      const auto low = detail::load_le<std::uint64_t>(&bytes_[byte]);
      return shift == 0 ? low : low >> shift | static_cast<std::uint64_t>(bytes_[byte + 8]) << (64 - shift);
    }
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 9 && byte + i < bytes_.size(); ++i) {
      const auto value = static_cast<std::uint64_t>(bytes_[byte + i]);
      if (8 * i >= shift) bits |= 8 * i - shift < 64 ? value << (8 * i - shift) : 0;
      else bits |= value >> shift;
    }
    return bits;
  }
  void skip(std::uint64_t bits) { at_ += bits; }
  std::uint64_t take(unsigned count) {
    const std::uint64_t bits = count == 0 ? 0 : peek() & (~std::uint64_t{0} >> (64 - count));
    skip(count);
    return bits;
  }
  // How many ones come before the next zero, which is skipped. Ends at the end of the bytes.
  std::uint64_t take_ones() {
    std::uint64_t ones = 0;
    for (;;) {
      const auto now = static_cast<unsigned>(std::countr_one(peek()));
      ones += now;
      skip(now);
      if (now < 64 || past_end()) break;
    }
    skip(1);
    return ones;
  }
  bool past_end() const { return at_ > 8 * static_cast<std::uint64_t>(bytes_.size()); }
  bool at_last_byte() const { return !past_end() && 8 * static_cast<std::uint64_t>(bytes_.size()) - at_ < 8; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace

unsigned rice_bits(std::size_t n) { return 64 - static_cast<unsigned>(std::bit_width(n)); }

void rice_encode(std::span<const Hash> hashes, unsigned low_bits, Bytes& to) {
  BitWriter bits(to);
  std::uint64_t next = 0;  // the least that the next hash may be
  for (const Hash hash : hashes) {
    const std::uint64_t gap = hash.bits - next;
    bits.put_ones(gap >> low_bits);
    bits.put(0, 1);
    bits.put(gap, low_bits);
    next = hash.bits + 1;
  }
}

Result<std::vector<Hash>> rice_decode(std::span<const std::uint8_t> bytes, std::size_t count, unsigned low_bits) {
  std::vector<Hash> hashes;
  hashes.reserve(count);
  BitReader bits(bytes);
  std::uint64_t next = 0;
  bool more = true;  // whether a hash may follow: the last was below 2^64 - 1
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t high = bits.take_ones();
    const std::uint64_t low = bits.take(low_bits);
    if (bits.past_end()) return corrupt("hashes", "the hashes of the delta end before the last of them");
    const std::uint64_t most = ~std::uint64_t{0} - next;
    if (!more || high > most >> low_bits || ((high << low_bits) | low) > most)
      return corrupt("hashes", "the hashes of the delta run past 64 bits");
    const std::uint64_t hash = next + ((high << low_bits) | low);
    hashes.emplace_back(hash);
    more = hash != ~std::uint64_t{0};
    next = hash + 1;
  }
  if (!bits.at_last_byte() || bits.peek() != 0) return corrupt("hashes", "the delta has bits behind its last hash");
  return hashes;
}

}  // namespace BLOOMERY_NAMESPACE::replica
