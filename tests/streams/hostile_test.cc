// Streams and checkpoints that somebody has tampered with, caps that are reached, servers that answer nonsense.
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <map>
#include <thread>

#include "members.h"
#include "streams/names.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::comes_true;
using testing::kKeys;
using testing::lineage_of_tests;
using testing::Member;
using testing::ReplicaStreams;
using testing::TestServer;

const replica::Names kNames(lineage_of_tests());
const Secret kSecret(std::array<std::uint8_t, 16>{1, 2, 3});

class HostileStreams : public ReplicaStreams {
 protected:
  bool all_whole() const {
    return std::ranges::all_of(members_, [](const auto& member) { return member->replica->whole(); });
  }
  bool become_whole() {
    return comes_true([&] {
      for (const auto& member : members_) (void)member->streams->pump(milliseconds(0));
      return all_whole();
    });
  }
};

TEST_F(HostileStreams, ALostRangeIsRepairedOnceAndForAll) {
  join(2);
  add(0, 1000);
  ASSERT_TRUE(settles(1000));
  server_->run({"XTRIM", kNames.stream(), "MAXLEN", "0"});
  for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  EXPECT_FALSE(all_whole());
  ASSERT_TRUE(become_whole());
  const std::uint64_t lost = members_[0]->streams->stats().lost_ranges;
  for (int i = 0; i < 50; ++i)
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  EXPECT_TRUE(all_whole());
  EXPECT_EQ(members_[0]->streams->stats().lost_ranges, lost);
}

TEST_F(HostileStreams, EntriesThatAreNoMessagesAreCountedAndPassed) {
  join(2);
  const std::string stream = kNames.stream();
  server_->run({"XADD", stream, "*", "x", "y"});
  server_->run({"XADD", stream, "*", "m", "nonsense", "s", "main"});
  server_->run({"XADD", stream, "*", "m", std::string(100'000, '\x89'), "s", "main"});
  server_->run({"XADD", stream, "*", "c", "nonsense", "s", "main"});
  server_->run({"XADD", stream, "*", "c", "token 4000 1000000000000", "s", "main"});
  server_->run({"HSET", kNames.peers(), "77", "nonsense"});
  add(0, 1000);
  EXPECT_TRUE(settles(1000));
  EXPECT_EQ(failed_, 0u);
  EXPECT_GE(members_[0]->streams->stats().refused, 4u);
  EXPECT_TRUE(become_whole());
}

TEST_F(HostileStreams, ATwinIsRefused) {
  join(1);
  const auto twin = Member::make(*server_, 1, 1);
  ASSERT_FALSE(twin.ok());
  EXPECT_NE(twin.error().message.find("higher incarnation"), std::string::npos) << twin.error().message;
}

// A pointer that says that everything is covered would have others forget what nobody else has.
TEST_F(HostileStreams, AForgedPointerConfirmsNothing) {
  join(1, {.secret = kSecret});
  Member& member = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) member.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  ASSERT_EQ(member.streams->stats().pending, 1u);
  ASSERT_TRUE(*member.streams->checkpoint());
  EXPECT_EQ(member.streams->stats().pending, 0u);
  member.replica->add(5000);
  ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  ASSERT_EQ(member.streams->stats().pending, 1u);
  server_->run({"HSET", kNames.checkpoint(), "covered", "1:1:1000000 "});
  std::this_thread::sleep_for(milliseconds(1100));  // until it looks again
  ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  EXPECT_EQ(member.streams->stats().pending, 1u);
  EXPECT_GT(member.streams->stats().checkpoints_refused, 0u);
  EXPECT_FALSE(Member::make(*server_, 2, 2, {.secret = kSecret}).ok());
}

TEST_F(HostileStreams, ACheckpointOfAnotherSecretIsRefused) {
  join(1);
  add(0, 100);
  ASSERT_TRUE(settles(100));
  ASSERT_TRUE(*members_[0]->streams->checkpoint());
  EXPECT_FALSE(Member::make(*server_, 2, 2, {.secret = kSecret}).ok());
}

TEST_F(HostileStreams, APeerThatIsGoneMakesNobodyStop) {
  const Member::With with = {.pending_cap = 20'000, .delta_keys = 100};
  join(2, with);
  add(0, 10);
  ASSERT_TRUE(settles(10));
  members_.pop_back();  // for good: it acknowledges nothing more
  Member& member = *members_[0];
  std::uint64_t most = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    member.replica->add(key);
    if (key % 1000 != 999) continue;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
      most = std::max(most, member.streams->stats().pending_bytes);
    }
  }
  EXPECT_LE(most, 20'000u + 2'000u);  // and a delta
  EXPECT_TRUE(comes_true([&] {
    EXPECT_TRUE(member.streams->pump(milliseconds(0)).ok());
    return member.streams->stats().confirmed >= member.replica->sequence();
  }));
  EXPECT_GT(member.streams->stats().checkpoints, 0u);
  auto newcomer = Member::make(*server_, 3, 2, with);
  ASSERT_TRUE(newcomer.ok()) << newcomer.error().to_string();
  members_.push_back(*std::move(newcomer));
  EXPECT_TRUE(settles(kKeys));
}

TEST_F(HostileStreams, AStreamKeepsItsCap) {
  constexpr std::uint64_t kCap = 40;
  join(2, {.stream_cap = kCap, .delta_keys = 50});
  std::uint64_t longest = 0;
  for (std::uint64_t first = 0; first < 10'000; first += 1000) {
    add(first, first + 1000);
    for (int i = 0; i < 5; ++i)
      for (const auto& member : members_) {
        ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
        longest = std::max<std::uint64_t>(longest, std::stoull(server_->text({"XLEN", kNames.stream()})));
      }
  }
  EXPECT_LE(longest, kCap + 4);
  EXPECT_GE(longest, kCap);
  EXPECT_TRUE(settles(10'000));
}

TEST_F(HostileStreams, ABridgeThatIsBehindIsNotWaitedForAtTheCap) {
  TestServer second;
  join(1, {.stream_cap = 30, .delta_keys = 10});
  auto other = Member::make(second, 2, 1, {.site = "b"});
  ASSERT_TRUE(other.ok());
  auto bridge = replica::Bridge::connect({server_->address(), second.address(), lineage_of_tests(), "main", "x"});
  ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
  EXPECT_EQ(server_->text({"HGET", kNames.bridges(), "x"}), "0-0");
  Member& member = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) member.replica->add(key);
  const auto mark = [&] { return server_->text({"HGET", kNames.bridges(), "x"}); };
  ASSERT_TRUE(comes_true([&] {
    EXPECT_TRUE(member.streams->pump(milliseconds(0)).ok());
    return mark() == "behind";
  }));
  members_.push_back(*std::move(other));
  EXPECT_TRUE(comes_true([&] {
    EXPECT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& one : members_) EXPECT_TRUE(one->streams->pump(milliseconds(0)).ok());
    return agree(1000);
  }));
  EXPECT_GT((*bridge)->stats().copied, 0u);
}

// The stream was trimmed long before there was a bridge.
TEST_F(HostileStreams, ANewBridgeTakesTheCheckpointAlong) {
  TestServer second;
  join(1);
  auto other = Member::make(second, 2, 1, {.site = "b"});
  ASSERT_TRUE(other.ok());
  members_.push_back(*std::move(other));
  Member& first = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) first.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(first.streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE(*first.streams->checkpoint());
  server_->run({"XTRIM", kNames.stream(), "MAXLEN", "0"});
  auto bridge = replica::Bridge::connect({server_->address(), second.address(), lineage_of_tests(), "main", "x"});
  ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  }
  EXPECT_TRUE(agree(1000));
  EXPECT_EQ((*bridge)->stats().copied, 1u);  // and not once a pump
}

class MapStore final : public replica::CheckpointStore {
 public:
  Status put(const std::string& name, std::span<const std::uint8_t> bytes) override {
    all[name].assign(bytes.begin(), bytes.end());
    return {};
  }
  Result<std::optional<replica::Bytes>> get(const std::string& name) override {
    const auto at = all.find(name);
    return at == all.end() ? std::optional<replica::Bytes>() : std::optional(at->second);
  }
  Status remove(const std::string& name) override { return all.erase(name), Status(); }

  std::map<std::string, replica::Bytes> all;
};

TEST_F(HostileStreams, CheckpointsMayLieInAStoreOfTheUsers) {
  MapStore store;
  join(1, {.store = &store});
  for (std::uint64_t round = 0; round < 4; ++round) {
    add(1000 * round, 1000 * (round + 1));
    ASSERT_TRUE(settles(1000 * (round + 1)));
    ASSERT_TRUE(*members_[0]->streams->checkpoint());
  }
  EXPECT_EQ(store.all.size(), 2u);  // the newest, and the one before
  auto newcomer = Member::make(*server_, 2, 2, {.store = &store});
  ASSERT_TRUE(newcomer.ok()) << newcomer.error().to_string();
  for (std::uint64_t key = 0; key < 4000; ++key) ASSERT_TRUE((*newcomer)->replica->contains(key)) << key;
  EXPECT_FALSE(Member::make(*server_, 3, 2).ok());  // without the store
}

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

TEST_F(HostileStreams, AServerThatAnswersNonsenseMidwayIsAnErrorAndNothingIsLost) {
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

}  // namespace
}  // namespace bloomery
