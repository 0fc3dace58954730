// Tables by chance: keys, values, options and ways to read, and the map that they are held against.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "bloomery/table/table.h"

namespace bloomery::testing {

struct Version {
  std::string key;
  std::uint64_t sequence = 0;

  // Keys ascend, and of one key the newer comes first. std::string compares as unsigned bytes.
  friend bool operator<(const Version& a, const Version& b) {
    const int order = a.key.compare(b.key);
    return order != 0 ? order < 0 : a.sequence > b.sequence;
  }
};

struct Content {
  std::string value;
  bool deleted = false;
};

using Model = std::map<Version, Content>;

// In front of all versions of a key.
inline Model::const_iterator lower_bound(const Model& model, const std::string& key) {
  return model.lower_bound({key, std::numeric_limits<std::uint64_t>::max()});
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class T, std::size_t kCount>
  T of(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

  std::string text(std::size_t length, unsigned letters, char first) {
    std::string out(length, first);
    for (char& letter : out) letter = static_cast<char>(first + static_cast<char>(below(letters)));
    return out;
  }
  std::string binary(std::size_t length) {
    std::string out(length, '\0');
    for (char& byte : out) byte = static_cast<char>(below(4) == 0 ? 0xff * below(2) : below(256));
    return out;
  }

  // Short ones of few letters meet often; long ones have nearly everything in common.
  std::string key() {
    switch (below(16)) {
      case 0: return {};
      case 1:
      case 2:
      case 3: return binary(below(5));
      case 4: return std::string(between(100, 600), 'k') + text(2, 3, 'a');
      case 5: return "prefix/of/many/" + std::to_string(below(1000));
      default: return text(between(1, 7), 3, 'a');
    }
  }
  std::string value() {
    if (one_in(8)) return {};
    if (one_in(50)) return binary(between(300, 9000));
    return one_in(2) ? binary(below(40)) : text(below(200), 1, 'v');
  }

 private:
  std::mt19937_64 random_;
};

inline TableOptions some_options(Dice& dice) {
  TableOptions options;
  options.block_bytes = dice.one_in(3) ? 64 : dice.between(64, 4096);
  options.restart_interval = static_cast<unsigned>(dice.between(1, 32));
  options.compression = dice.of({Compression::none, Compression::lz4, Compression::zstd});
  options.filter = dice.of<std::optional<Kind>>({std::nullopt, Kind::classic, Kind::split, Kind::block});
  if (dice.one_in(3)) options.filter_partition_bytes = 1024;
  if (dice.one_in(3)) options.prefix = PrefixExtractor::fixed(dice.below(4));
  return options;
}

inline TableReadOptions some_way_to_read(Dice& dice) {
  TableReadOptions options;
  if (dice.one_in(2)) options.cache = std::make_shared<BlockCache>(dice.of<std::uint64_t>({0, 50'000, 1 << 22}));
  options.map = dice.one_in(2);
  options.use_filter = !dice.one_in(4);
  return options;
}

}  // namespace bloomery::testing
