// What streams ask of the world outside: a road to a server, the time, and names that nobody has used. A simulation
// (tests/streams/simulation/simulation.h) puts its own world in the place of the real one.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/replica_streams.h"

namespace BLOOMERY_NAMESPACE::replica {

// A road to a server: bytes there and back, in order. Its errors say why in a word or two; Connection says the rest.
class Road {
 public:
  virtual ~Road() = default;
  // Sends all of it. Empty: done; else why not.
  virtual std::string send(std::string_view bytes) = 0;
  // Waits for bytes and puts some of them in `into`. Empty: `got` has how many; else why there are none.
  virtual std::string receive(std::span<char> into, std::size_t& got) = 0;
  // How long receive may wait from now on. Empty: done; else why not.
  virtual std::string set_timeout(std::chrono::milliseconds timeout) = 0;
};

class World {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~World() = default;
  // A road, or nothing and `why`.
  virtual std::unique_ptr<Road> connect(const StreamServer& server, std::string& why) = 0;
  virtual Time now() = 0;
  virtual std::string fresh_token() = 0;  // 32 random hexadecimal digits
};

// The world that is asked: the real one, unless set_world has put another one in its place, which must outlive its use.
// Set while nothing is connected and no other thread is in here.
World& world();
void set_world(World* other);  // nullptr: the real one

// The time, as the world has it.
struct Clock {
  using time_point = World::Time;
  static time_point now() { return world().now(); }
};

}  // namespace BLOOMERY_NAMESPACE::replica
