// Who looks over the shoulder of all clients: knows what every delta has, and compares what is said with it. Also who
// makes the mistakes that a simulation can be told to make.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bloomery/block.h"
#include "bloomery/replica/message.h"
#include "bloomery/replica/replica.h"
#include "streams/checkpoint.h"
#include "streams/names.h"
#include "streams/simulation/server.h"

namespace bloomery::replica::sim {

// Mistakes; each must be found.
enum class Planted : std::uint8_t {
  nothing,
  early_acknowledgement,  // a delta is acknowledged before the replica has it
  late_position,          // the position of a checkpoint is taken after its snapshot
  echo,                   // what a bridge has brought counts as added there, and goes on
  unseen_length,          // a replica does not see how long the stream is
  endless_pending,        // deltas are kept beyond the cap
  endless_log,            // the log holds more than it says
  endless_inbox,          // steps of a repair are sent over and over, and the inbox keeps them all
};

inline Lineage lineage_of_simulation() {
  Lineage lineage;
  lineage.bytes.fill(0x51);
  return lineage;
}

class Witness {
 public:
  using Fail = std::function<void(const std::string&)>;
  using Contains = std::function<bool(Hash)>;

  explicit Witness(Fail fail) : fail_(std::move(fail)) {}

  // A message that a replica appends. `contains` asks its filter.
  void appended(const Message& message, std::size_t bytes, const Contains& contains) {
    const Header& header = message.header;
    if (const auto* delta = std::get_if<Delta>(&message.body)) {
      made_[{header.origin, header.incarnation, header.sequence}] = delta->hashes;
      largest_delta_ = std::max<std::uint64_t>(largest_delta_, bytes);
    } else if (const auto* known = std::get_if<Acknowledgement>(&message.body)) {
      for (const Position& at : known->positions)
        if (!holds(at, contains)) return fail_("a replica acknowledges what it does not have");
    }
  }

  // A checkpoint that a pointer is about to name: all entries up to its position, and all that is covered, are in it.
  void checkpoint(const ServerData& data, const Command& keys, const Command& arguments,
                  const BlockGeometry& geometry) {
    std::string bytes;
    for (std::size_t i = 3; i < 3 + std::stoull(arguments[4]); ++i) bytes += data.strings.at(keys[i]);
    const auto checkpoint = decode(as_bytes(bytes), lineage_of_simulation(), {});
    if (!checkpoint.ok()) return fail_("a checkpoint is damaged: " + checkpoint.error().to_string());
    const auto view = BlockView::from_payload(checkpoint->snapshots.at(0).payload, geometry);
    if (!view.ok()) return fail_("a checkpoint is of another size");
    const Contains contains = [&](Hash hash) { return view->contains(hash); };
    for (const ServerData::Entry& entry : data.streams.at(keys[1]).entries) {
      if (entry.id > checkpoint->position) break;
      const auto message = parse(as_bytes(entry.field(kMessageField)));
      const auto* delta = message.ok() ? std::get_if<Delta>(&message->body) : nullptr;
      if (delta == nullptr) continue;
      if (!std::all_of(delta->hashes.begin(), delta->hashes.end(), contains))
        return fail_("a checkpoint lacks an entry before its position");
    }
    for (const Position& at : checkpoint->snapshots[0].positions)
      if (!holds(at, contains)) return fail_("a checkpoint lacks what its positions say");
  }

  // The keys of a replica's deltas up to that number.
  std::vector<Hash> up_to(const Position& at) const {
    std::vector<Hash> all;
    for (auto one = made_.lower_bound({at.origin, at.incarnation, 0}); one != made_.end() && one->first <= at; ++one)
      all.insert(all.end(), one->second.begin(), one->second.end());
    return all;
  }
  std::uint64_t largest_delta() const { return largest_delta_; }

  // The newest of each origin, as somebody would say who has read everything.
  std::vector<Position> newest() const {
    std::map<std::uint64_t, Position> last;
    for (const auto& [at, hashes] : made_) last[at.origin] = at;
    std::vector<Position> all;
    for (const auto& [origin, at] : last) all.push_back(at);
    return all;
  }

 private:
  static std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  // The last few are enough: it is asked often.
  bool holds(const Position& at, const Contains& contains) const {
    const Position first = {at.origin, at.incarnation, at.sequence > 8 ? at.sequence - 8 : 0};
    for (auto one = made_.lower_bound(first); one != made_.end() && one->first <= at; ++one)
      if (!std::all_of(one->second.begin(), one->second.end(), contains)) return false;
    return true;
  }

  Fail fail_;
  std::map<Position, std::vector<Hash>> made_;
  std::uint64_t largest_delta_ = 0;
};

// Changes a command as the mistake has it. `last` is the newest entry of the stream.
void plant(Planted planted, const Witness& witness, EntryId last, const std::string& site, bool by_bridge,
           Command& words);

}  // namespace bloomery::replica::sim
