// Events come at least once, to three processes; each is to be forwarded, and hardly ever twice. A replicated filter
// drops what was seen anywhere, and a store (keys of the server) confirms what the filter calls seen: without that, its
// false positives would be events that nobody forwards. usage: dedup SERVER (redis://host:port or unix:PATH)
//
// A "no" is forwarded at once, and recorded in the store without waiting for it. A "maybe" waits for the store.
#include <hiredis/hiredis.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <unordered_map>

#include "bloomery/block.h"
#include "bloomery/live/shared.h"
#include "bloomery/replica_streams.h"

namespace rep = bloomery::replica;
using Replica = rep::ReplicaOf<bloomery::BlockFilter>;

constexpr std::uint64_t kEvents = 30'000, kSeed = 24;
constexpr int kProcesses = 3, kBetweenPumps = 64;
constexpr double kFpr = 0.02;

[[noreturn]] void give_up(const std::string& problem) {
  std::fprintf(stderr, "dedup: %s\n", problem.c_str());
  std::_Exit(1);
}
template <class T>
T must(bloomery::Result<T> result) {
  if (!result.ok()) give_up(result.error().to_string());
  return *std::move(result);
}

// Which events were forwarded, for whoever asks again.
class Store {
 public:
  Store(const rep::StreamServer& server, std::string prefix)
      : context_(server.unix_socket.empty() ? redisConnect(server.host.c_str(), server.port)
                                            : redisConnectUnix(server.unix_socket.c_str()),
                 redisFree),
        prefix_(std::move(prefix)) {
    if (context_ == nullptr || context_->err != 0) give_up("the store does not answer");
  }
  // True: nobody has recorded it before.
  bool record(std::uint64_t event) {
    flush();
    ask(event);
    return answer();
  }
  void record_later(std::uint64_t event) { ask(event), ++waiting_; }
  void flush() {
    for (; waiting_ > 0; --waiting_) (void)answer();
  }

 private:
  void ask(std::uint64_t event) {
    redisAppendCommand(context_.get(), "SET %s%llu 1 NX EX 600", prefix_.c_str(),
                       static_cast<unsigned long long>(event));
  }
  bool answer() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) give_up("the store has gone");
    const bool is_new = static_cast<redisReply*>(reply)->type == REDIS_REPLY_STATUS;
    freeReplyObject(reply);
    return is_new;
  }

  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
  std::string prefix_;
  int waiting_ = 0;
};

struct Outcome {
  std::uint64_t dropped = 0, saved = 0;  // saved: the filter said maybe, and the store knew better
};

// Each event twice, in an order and at a process of chance.
std::vector<std::uint64_t> events_of(int process) {
  std::mt19937_64 random(kSeed);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;  // when, which
  for (std::uint64_t event = 0; event < 2 * kEvents; ++event)
    if (const std::uint64_t at = random(); static_cast<int>(random() % kProcesses) == process)
      all.emplace_back(at, event % kEvents);
  std::sort(all.begin(), all.end());
  std::vector<std::uint64_t> events;
  for (const auto& [at, event] : all) events.push_back(event);
  return events;
}

void work(int process, const rep::StreamServer& server, const rep::Lineage& lineage, std::FILE* forwarded,
          Outcome& out) {
  auto replica = must(Replica::make(must(bloomery::Shared<bloomery::BlockFilter>::with_capacity(kEvents, kFpr)),
                                    {.lineage = lineage,
                                     .origin = static_cast<std::uint64_t>(process) + 1,
                                     .incarnation = 1,
                                     .secret = {},
                                     .start = rep::Start::new_lineage}));
  rep::StreamOptions options;
  options.server = server;
  auto streams = must(rep::Streams::connect(*replica, options));
  Store store(server, "{dedup:" + lineage.to_hex() + "}:");
  const auto forward = [&](std::uint64_t event) {
    std::fwrite(&event, sizeof event, 1, forwarded);
    replica->add(event);
  };
  int since = 0;
  for (const std::uint64_t event : events_of(process)) {
    if (!replica->contains(event)) {
      forward(event);
      store.record_later(event);
    } else if (store.record(event)) {
      forward(event);
      ++out.saved;
    } else {
      ++out.dropped;
    }
    if (++since % kBetweenPumps != 0) continue;
    store.flush();  // before the others are told: they will ask the store
    must(streams->pump(std::chrono::milliseconds(1)));
  }
  store.flush();
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: dedup SERVER\n"), 2;
  rep::StreamServer server = must(rep::StreamServer::parse(argv[1]));
  server.timeout = std::chrono::minutes(1);  // whoever waits here gives up then
  rep::Lineage lineage;
  std::random_device random;
  for (std::uint8_t& byte : lineage.bytes) byte = static_cast<std::uint8_t>(random());
  std::FILE* files[kProcesses];
  int pipes[kProcesses][2];
  for (int i = 0; i < kProcesses; ++i) {
    files[i] = std::tmpfile();
    if (files[i] == nullptr || ::pipe(pipes[i]) != 0) give_up("no temporary file");
    if (const pid_t child = ::fork(); child == 0) {
      Outcome out;
      work(i, server, lineage, files[i], out);
      std::fflush(files[i]);
      std::_Exit(::write(pipes[i][1], &out, sizeof out) == sizeof out ? 0 : 1);
    }
  }
  Outcome sum;
  std::unordered_map<std::uint64_t, int> times;
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    if (::wait(&status) < 0 || status != 0) give_up("a process failed");
  }
  for (int i = 0; i < kProcesses; ++i) {
    Outcome out;
    if (::read(pipes[i][0], &out, sizeof out) != sizeof out) give_up("a process said nothing");
    sum.dropped += out.dropped, sum.saved += out.saved;
    std::rewind(files[i]);
    for (std::uint64_t event; std::fread(&event, sizeof event, 1, files[i]) == 1;) ++times[event];
  }
  std::uint64_t twice = 0;
  for (const auto& [event, count] : times) twice += count > 1;
  std::printf("%llu events came %llu times to %d processes\n", static_cast<unsigned long long>(kEvents),
              2 * static_cast<unsigned long long>(kEvents), kProcesses);
  std::printf("forwarded %zu, lost %llu, dropped %llu repeats\n", times.size(),
              static_cast<unsigned long long>(kEvents - times.size()), static_cast<unsigned long long>(sum.dropped));
  std::printf("forwarded twice %llu: those came to a second process before the filter had told it\n",
              static_cast<unsigned long long>(twice));
  std::printf("without the store %llu would have been lost: the filter said maybe, and was wrong\n",
              static_cast<unsigned long long>(sum.saved));
  return times.size() == kEvents ? 0 : 1;
}
