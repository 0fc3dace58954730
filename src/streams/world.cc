// The real world: sockets by hiredis, the steady clock, random_device.
#include "streams/world.h"

#include <hiredis/hiredis.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <random>

namespace BLOOMERY_NAMESPACE::replica {
namespace {

timeval time_of(std::chrono::milliseconds wait) {
  return {static_cast<time_t>(wait.count() / 1000), static_cast<suseconds_t>(wait.count() % 1000 * 1000)};
}

// By send and recv instead of hiredis' own calls: those end the process by SIGPIPE when the server has gone.
class Socket final : public Road {
 public:
  explicit Socket(redisContext* context) : context_(context, &redisFree) {}

  std::string send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return std::strerror(errno);
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }
  std::string receive(std::span<char> into, std::size_t& got) override {
    for (;;) {
      const ssize_t taken = ::recv(context_->fd, into.data(), into.size(), 0);
      if (taken < 0 && errno == EINTR) continue;
      if (taken == 0) return "it closed the connection";
      if (taken < 0) return errno == EAGAIN ? "no answer in time" : std::strerror(errno);
      got = static_cast<std::size_t>(taken);
      return {};
    }
  }
  std::string set_timeout(std::chrono::milliseconds timeout) override {
    if (redisSetTimeout(context_.get(), time_of(timeout)) == REDIS_OK) return {};
    return context_->errstr;
  }

 private:
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

class RealWorld final : public World {
 public:
  std::unique_ptr<Road> connect(const StreamServer& server, std::string& why) override {
    const timeval patience = time_of(server.timeout);
    redisContext* context = server.unix_socket.empty()
                                ? redisConnectWithTimeout(server.host.c_str(), server.port, patience)
                                : redisConnectUnixWithTimeout(server.unix_socket.c_str(), patience);
    if (context == nullptr) throw std::bad_alloc();
    auto road = std::make_unique<Socket>(context);
    if (context->err == 0) return road;
    why = context->errstr;
    return nullptr;
  }
  Time now() override { return std::chrono::steady_clock::now(); }
  std::string fresh_token() override {
    std::random_device random;
    std::string token;
    constexpr char kDigits[] = "0123456789abcdef";
    for (int i = 0; i < 32; ++i) token += kDigits[random() & 15];
    return token;
  }
};

World& real_world() {
  static RealWorld real;
  return real;
}

World* g_other = nullptr;

}  // namespace

World& world() { return g_other != nullptr ? *g_other : real_world(); }
void set_world(World* other) { g_other = other; }

}  // namespace BLOOMERY_NAMESPACE::replica
