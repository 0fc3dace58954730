// A server of streams in memory, for the simulation: the commands that src/streams uses, as a server answers them in
// RESP2. It loses its newest writes, comes back empty, and has another clock after a failover, as it is told.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "streams/connection.h"

namespace bloomery::replica::sim {

using Command = std::vector<std::string>;

// What a server keeps.
struct ServerData {
  struct Entry {
    EntryId id;
    std::vector<std::string> fields;
    std::string_view field(std::string_view name) const {
      for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
        if (fields[i] == name) return fields[i + 1];
      return {};
    }
  };
  struct Stream {
    std::deque<Entry> entries;
    EntryId last;
  };
  std::map<std::string, Stream> streams;
  std::map<std::string, std::map<std::string, std::string>> hashes;
  std::map<std::string, std::string> strings;
  std::map<std::string, std::uint64_t> expires;  // key, milliseconds

  void erase(const std::string& key) { streams.erase(key), hashes.erase(key), strings.erase(key), expires.erase(key); }
};

class SimulatedServer {
 public:
  // Is told of every pointer of a checkpoint that is about to move: the arguments of the script.
  std::function<void(const Command& keys, const Command& arguments)> on_checkpoint;

  ServerData data;
  std::uint64_t run = 1;   // counts its processes: connections to an earlier one are broken
  std::uint64_t skew = 0;  // of its clock, milliseconds
  std::uint64_t down = 0;  // steps until it answers again
  std::uint64_t now = 0;   // of the world, milliseconds

  // The data of a moment ago, which a failover goes back to.
  void sync() { behind_ = data; }
  void fail_over(std::uint64_t clock) { data = behind_, ++run, skew = clock; }
  void restart() { ++run; }
  void lose_everything() { data = behind_ = {}, ++run; }

  std::string answer(const Command& words) {
    expire();
    const std::string& name = words[0];
    const auto found = commands().find(name);
    return found == commands().end() ? "-ERR unknown command " + name + "\r\n" : (this->*found->second)(words);
  }

 private:
  using Answer = std::string (SimulatedServer::*)(const Command&);
  static const std::map<std::string, Answer>& commands() {
    static const std::map<std::string, Answer> all = {
        {"INFO", &SimulatedServer::info},      {"DEL", &SimulatedServer::del},       {"GET", &SimulatedServer::get},
        {"SET", &SimulatedServer::set},        {"EXPIRE", &SimulatedServer::expiry}, {"HGET", &SimulatedServer::hget},
        {"HSET", &SimulatedServer::hset},      {"HMGET", &SimulatedServer::hmget},   {"XLEN", &SimulatedServer::xlen},
        {"XADD", &SimulatedServer::xadd},      {"XREAD", &SimulatedServer::xread},   {"XTRIM", &SimulatedServer::xtrim},
        {"HGETALL", &SimulatedServer::hall},   {"XRANGE", &SimulatedServer::xrange}, {"EVAL", &SimulatedServer::eval},
        {"XREVRANGE", &SimulatedServer::xlast}};
    return all;
  }

  static std::string bulk(std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  }
  static std::string number(std::uint64_t value) { return ":" + std::to_string(value) + "\r\n"; }
  static std::string array(std::size_t size) { return "*" + std::to_string(size) + "\r\n"; }
  static std::uint64_t to_number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  static std::string entry(const ServerData::Entry& one) {
    std::string text = array(2) + bulk(one.id.to_string()) + array(one.fields.size());
    for (const std::string& field : one.fields) text += bulk(field);
    return text;
  }

  void expire() {
    for (auto at = data.expires.begin(); at != data.expires.end();) {
      const auto next = std::next(at);
      if (at->second <= now) data.erase(std::string(at->first));
      at = next;
    }
  }
  void live(const std::string& key, std::string_view seconds) { data.expires[key] = now + 1000 * to_number(seconds); }
  bool exists(const std::string& key) const {
    return data.streams.count(key) != 0 || data.hashes.count(key) != 0 || data.strings.count(key) != 0;
  }

  std::string info(const Command& words) {
    if (words[1] == "memory") return bulk("maxmemory_policy:noeviction\r\n");
    if (words[1] == "server") return bulk("run_id:run" + std::to_string(run) + "\r\n");
    return bulk("master_replid:history" + std::to_string(run) + "\r\n");
  }
  std::string del(const Command& words) { return data.erase(words[1]), number(1); }
  std::string get(const Command& words) {
    const auto at = data.strings.find(words[1]);
    return at == data.strings.end() ? "$-1\r\n" : bulk(at->second);
  }
  std::string set(const Command& words) {
    data.strings[words[1]] = words[2];
    data.expires.erase(words[1]);
    if (words.size() == 5) live(words[1], words[4]);
    return "+OK\r\n";
  }
  std::string expiry(const Command& words) {
    if (exists(words[1])) live(words[1], words[2]);
    return number(1);
  }
  std::string field(const std::string& key, const std::string& name) const {
    const auto hash = data.hashes.find(key);
    if (hash == data.hashes.end() || hash->second.count(name) == 0) return "$-1\r\n";
    return bulk(hash->second.at(name));
  }
  std::string hget(const Command& words) { return field(words[1], words[2]); }
  std::string hmget(const Command& words) {
    std::string text = array(words.size() - 2);
    for (std::size_t i = 2; i < words.size(); ++i) text += field(words[1], words[i]);
    return text;
  }
  std::string hset(const Command& words) {
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) data.hashes[words[1]][words[i]] = words[i + 1];
    return number(1);
  }
  std::string hall(const Command& words) {
    const auto hash = data.hashes.find(words[1]);
    if (hash == data.hashes.end()) return array(0);
    std::string text = array(2 * hash->second.size());
    for (const auto& [name, value] : hash->second) text += bulk(name) + bulk(value);
    return text;
  }

  std::string xlen(const Command& words) { return number(data.streams[words[1]].entries.size()); }
  std::string xadd(const Command& words) {
    ServerData::Stream& stream = data.streams[words[1]];
    const bool capped = words[2] == "MAXLEN";
    const std::size_t first = capped ? 5 : 3;  // behind "*"
    const std::uint64_t time = now + skew;
    stream.last = time > stream.last.time ? EntryId{time, 0} : EntryId{stream.last.time, stream.last.number + 1};
    stream.entries.push_back({stream.last, {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()}});
    while (capped && stream.entries.size() > to_number(words[3])) stream.entries.pop_front();
    return bulk(stream.last.to_string());
  }
  std::string xread(const Command& words) {
    const std::size_t most = to_number(words[2]), streams = words[3] == "BLOCK" ? 6 : 4;
    const std::size_t count = (words.size() - streams) / 2;
    std::string text;
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const EntryId after = *EntryId::parse(words[streams + count + i]);
      std::string entries;
      std::size_t taken = 0;
      for (const ServerData::Entry& one : data.streams[words[streams + i]].entries)
        if (one.id > after && taken < most) entries += entry(one), ++taken;
      if (taken == 0) continue;
      text += array(2) + bulk(words[streams + i]) + array(taken) + entries;
      ++found;
    }
    return found == 0 ? "*-1\r\n" : array(found) + text;
  }
  std::string xrange(const Command& words) {
    for (const ServerData::Entry& one : data.streams[words[1]].entries)
      if (one.id == *EntryId::parse(words[2])) return array(1) + entry(one);
    return array(0);
  }
  std::string xlast(const Command& words) {
    const auto& entries = data.streams[words[1]].entries;
    return entries.empty() ? array(0) : array(1) + entry(entries.back());
  }
  std::string xtrim(const Command& words) { return trim(words[1], *EntryId::parse(words[3])), number(0); }
  void trim(const std::string& key, EntryId least) {
    auto& entries = data.streams[key].entries;
    while (!entries.empty() && entries.front().id < least) entries.pop_front();
  }

  // The only script: kMovePointer of src/streams/checkpoint_store.cc, said in C++. The tests on real servers run that
  // one.
  std::string eval(const Command& words) {
    const auto keys_end = words.begin() + 3 + static_cast<std::ptrdiff_t>(to_number(words[2]));
    const Command keys(words.begin() + 3, keys_end), arguments(keys_end, words.end());
    auto& pointer = data.hashes[keys[0]];
    const std::size_t parts = to_number(arguments[4]);
    const auto part_end = keys.begin() + 3 + static_cast<std::ptrdiff_t>(parts);
    const bool all_there = std::all_of(keys.begin() + 3, part_end, [&](const auto& key) { return exists(key); });
    if (pointer["token"] != arguments[0] || !all_there) return number(0);
    if (on_checkpoint) on_checkpoint(keys, arguments);
    std::for_each(keys.begin() + 3, part_end, [&](const auto& key) { data.expires.erase(key); });
    std::for_each(part_end, keys.end(), [&](const auto& key) { live(key, "600"); });
    pointer = {{"token", arguments[1]},   {"position", arguments[2]}, {"parts", arguments[4]}, {"bytes", arguments[5]},
               {"covered", arguments[7]}, {"before", arguments[0]},   {"seal", arguments[8]}};
    const bool full = data.streams[keys[1]].entries.size() >= to_number(arguments[6]);
    EntryId least = *EntryId::parse(full ? arguments[2] : arguments[3]);
    for (auto& [name, at] : data.hashes[keys[2]]) {
      const std::optional<EntryId> position = EntryId::parse(at);
      if (!position || (full && *position < least)) at = "behind";
      else least = std::min(least, *position);
    }
    if (least != EntryId()) trim(keys[1], least);
    return number(1);
  }

  ServerData behind_;
};

// Takes one command off the front of what a client has sent.
inline Command take_command(std::string_view& bytes) {
  const auto line = [&] {
    const std::size_t end = bytes.find("\r\n");
    std::uint64_t value = 0;
    std::from_chars(bytes.data() + 1, bytes.data() + end, value);
    bytes.remove_prefix(end + 2);
    return value;
  };
  Command words(line());
  for (std::string& word : words) {
    const std::uint64_t size = line();
    word = bytes.substr(0, size);
    bytes.remove_prefix(size + 2);
  }
  return words;
}

}  // namespace bloomery::replica::sim
