// Servers that answer nonsense, or nothing.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "members.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::comes_true;
using testing::kKeys;
using testing::lineage_of_tests;
using testing::ReplicaStreams;

// Between a replica and its server: passes on what it gets until it is told to answer nonsense.
class Proxy {
 public:
  explicit Proxy(const replica::StreamServer& server) : server_(server) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-proxy-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un name = name_of(address().unix_socket);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0 || ::listen(listener_, 8) != 0)
      std::abort();
    thread_ = std::thread([this] { serve(); });
  }
  ~Proxy() {
    done_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    std::filesystem::remove_all(folder_);
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  replica::StreamServer address() const {
    replica::StreamServer address = server_;
    address.unix_socket = folder_ + "/socket";
    address.timeout = std::chrono::seconds(3);
    return address;
  }
  void answer(const char* nonsense) { nonsense_ = nonsense; }  // nullptr: the server's own

 private:
  static sockaddr_un name_of(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof(name.sun_path) - 1);
    return name;
  }
  // One client at a time.
  void serve() {
    for (int client; !done_ && (client = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(client)) {
      const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
      const sockaddr_un name = name_of(server_.unix_socket);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) std::abort();
      std::thread back([&] { relay(server, client, true); });
      relay(client, server, false);
      ::shutdown(server, SHUT_RDWR);
      back.join();
      ::close(server);
    }
  }
  void relay(int from, int to, bool answers) {
    char bytes[65536];
    for (ssize_t got; (got = ::recv(from, bytes, sizeof(bytes), 0)) > 0;) {
      std::string_view text(bytes, static_cast<std::size_t>(got));
      if (const char* odd = nonsense_; answers && odd != nullptr) text = odd;
      while (!text.empty()) {
        const ssize_t sent = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0) return;
        text.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    ::shutdown(to, SHUT_RDWR);
  }

  replica::StreamServer server_;
  std::string folder_;
  int listener_ = -1;
  std::atomic<bool> done_{false};
  std::atomic<const char*> nonsense_{nullptr};
  std::thread thread_;
};

TEST_F(ReplicaStreams, AServerThatAnswersNonsenseMidwayIsAnErrorAndNothingIsLost) {
  join(1);
  Proxy proxy(server_->address());
  auto filter = Shared<BlockFilter>::with_capacity(kKeys, 0.01);
  auto replica = *replica::ReplicaOf<BlockFilter>::make(*std::move(filter), {.lineage = lineage_of_tests(),
                                                                             .origin = 9,
                                                                             .incarnation = 1,
                                                                             .secret = {},
                                                                             .start = replica::Start::new_lineage});
  replica::StreamOptions options;
  options.server = proxy.address();
  options.checkpoint_after = 0;
  auto streams = *replica::Streams::connect(*replica, options);
  std::uint64_t key = 0;
  for (const char* nonsense : {"+OK\r\n+OK\r\n+OK\r\n+OK\r\n", "*1\r\n*2\r\n$1\r\nx\r\n*0\r\n*0\r\n:1\r\n:1\r\n:1\r\n",
                               ":7\r\n:7\r\n:7\r\n:7\r\n", "$-1\r\n*-1\r\n*-1\r\n*-1\r\n",
                               "-ERR no\r\n-ERR no\r\n-ERR no\r\n-ERR no\r\n", "*99999999\r\n", "\x01\x02", ""}) {
    proxy.answer(nonsense);
    for (int i = 0; i < 100; ++i) replica->add(key++);
    bool failed = false;
    for (int i = 0; i < 20 && !failed; ++i) failed = !streams->pump(milliseconds(0)).ok();
    EXPECT_TRUE(failed) << nonsense;
    EXPECT_TRUE(replica->contains(key - 1));
    proxy.answer(nullptr);
  }
  EXPECT_TRUE(comes_true([&] {
    (void)streams->pump(milliseconds(0));
    (void)members_[0]->streams->pump(milliseconds(0));
    bool there = true;
    for (std::uint64_t one = 0; one < key; ++one) there = there && members_[0]->replica->contains(one);
    return there;
  }));
}

// A server that says whatever it is given, or nothing.
TEST(ReplicaStreamsWithoutServer, AnAnswerThatIsNonsenseOrNoneIsAnError) {
  for (const std::string_view says :
       {std::string_view(), std::string_view("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string_view("*1000000000\r\n"),
        std::string_view("$-7\r\n"), std::string_view("\0\0\0\0", 4)}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-odd-XXXXXX").string();
    const std::string folder = ::mkdtemp(pattern.data());
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    (folder + "/socket").copy(name.sun_path, sizeof(name.sun_path) - 1);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    ASSERT_EQ(::listen(listener, 4), 0);
    std::thread odd([&] {
      const int client = ::accept(listener, nullptr, nullptr);
      EXPECT_GE(::send(client, says.data(), says.size(), MSG_NOSIGNAL), 0);
      char byte = 0;
      while (::recv(client, &byte, 1, 0) > 0) {
      }
      ::close(client);
    });
    replica::StreamServer server;
    server.unix_socket = folder + "/socket";
    server.timeout = milliseconds(200);
    {
      auto connection = replica::Connection::open(server);
      ASSERT_TRUE(connection.ok());
      EXPECT_FALSE(connection->run({"PING"}).ok());
    }
    odd.join();
    ::close(listener);
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
}  // namespace bloomery
