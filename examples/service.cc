// A service around a filter, from start to shutdown; docs/operations/ is the handbook that goes with it.
// usage: service PORT SNAPSHOT (port 0 takes a free one; the address is printed)
//
// GET /metrics is for Prometheus, /metrics.json for everybody else. SIGHUP rebuilds the filter from the source of
// truth, SIGUSR1 switches it off and SIGUSR2 on, SIGTERM or SIGINT saves it to SNAPSHOT and ends.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <future>
#include <random>
#include <set>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "http.h"

constexpr std::uint64_t kKeys = 1'000'000;  // all there could be; a tenth of them comes to be stored
using Live = bloomery::LiveFilter<bloomery::BlockFilter>;
const bloomery::LiveOptions kOptions{.n = 150'000, .fpr = 0.01, .name = "example"};

struct Service {
  std::unique_ptr<Live> live;
  std::mutex mutex;               // of truth; the filter needs none
  std::set<std::uint64_t> truth;  // stands for a database, which would not forget when the process ends
  std::stop_source stop;
};

int complain(const std::string& problem) { return std::fprintf(stderr, "service: %s\n", problem.c_str()), 1; }
int report(const bloomery::Status& status) { return status.ok() ? 0 : complain(status.error().to_string()); }

std::optional<Page> page(Live& live, const std::string& path) {
  live.self_check();  // cheap: whether a bit was lost is looked at whenever somebody looks at us
  const bool json = path == "/metrics.json";
  if (!json && path != "/metrics") return std::nullopt;
  const bloomery::Result<std::string> text = json ? live.json() : live.prometheus();
  if (!text.ok()) return Page{"text/plain", text.error().to_string() + "\n"};
  return Page{json ? "application/json" : "text/plain; version=0.0.4", *text};
}

// Asks for random keys, and stores some of those that are not there.
void work(Service& s, unsigned seed) {
  std::mt19937_64 random(seed);
  for (; !s.stop.stop_requested(); std::this_thread::sleep_for(std::chrono::microseconds(100))) {
    const std::uint64_t key = random() % kKeys;
    const bool maybe = s.live->contains(key), audit = random() % 100 == 0, store = key % 10 == 0;
    if (!maybe && !audit && !store) continue;  // a "no" is final: this is what the filter is for
    const std::lock_guard lock(s.mutex);
    const bool there = s.truth.contains(key), answers = !s.live->disabled() && !s.live->damaged();
    const std::string customer = "customer " + std::to_string(key % 3);
    if (maybe && there && answers) s.live->was_true_positive(customer);
    if (maybe && !there && answers) s.live->was_false_positive(customer);
    if (!maybe && there && !s.live->contains(key)) s.live->was_false_negative(customer);  // still: it did not just come
    if (store && !there) {
      s.truth.insert(key);  // before the filter: a rebuild that begins between the two finds it here
      s.live->add(key);
    }
  }
}

// Reads the truth page by page, as one reads a table, while the workers go on. For one that has grown: a larger n.
bloomery::Status rebuild(Service& s) {
  BLOOMERY_TRY(s.live->begin_rebuild(kOptions.n, kOptions.fpr));
  // From here on adds go to both filters, so a key that is stored behind our page is not lost.
  for (std::uint64_t first = 0; first < kKeys; first += 10'000) {
    std::unique_lock lock(s.mutex);
    const std::vector<std::uint64_t> page(s.truth.lower_bound(first), s.truth.lower_bound(first + 10'000));
    lock.unlock();
    if (s.stop.stop_requested() || !s.live->feed_many(page).ok()) return s.live->abort();  // half a truth is none
  }
  return s.live->commit();
}

// A snapshot is good for one start: it lacks what is added after it, and a filter that lacks a key says "no" wrongly.
// So it is put aside before it is used, and after a crash there is none: the filter is built from the truth.
int start(Service& s, const std::string& snapshot) {
  const std::string used = snapshot + ".used";
  if (std::rename(snapshot.c_str(), used.c_str()) == 0) {
    auto loaded = Live::load(used, kOptions);
    if (loaded.ok()) return s.live = *std::move(loaded), 0;
    complain(loaded.error().to_string() + "; building from the truth instead");
  } else if (errno != ENOENT) {
    return complain(snapshot + ": cannot be put aside: " + std::strerror(errno));
  }
  auto made = Live::make(kOptions);
  if (!made.ok()) return complain(made.error().to_string());
  s.live = *std::move(made);
  return report(rebuild(s));
}

int main(int argc, char** argv) {
  if (argc != 3) return complain("usage: service PORT SNAPSHOT");
  std::uint16_t port = 0;
  const int listener = listen_on(argv[1], port);
  if (listener < 0) return complain(std::string("port ") + argv[1] + ": " + std::strerror(errno));
  // Blocked in all threads and taken by sigwait below: there is no handler, and so nothing that a handler must not do.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Service s;
  for (std::uint64_t key = 0; key < kKeys; key += 50) s.truth.insert(key);
  if (start(s, argv[2]) != 0) return 1;
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 3; ++seed) threads.emplace_back([&s, seed] { work(s, seed); });
  threads.emplace_back([&] { serve(listener, s.stop.get_token(), [&](auto& path) { return page(*s.live, path); }); });
  std::fprintf(stderr, "service: listening on http://127.0.0.1:%u/metrics\n", unsigned{port});
  std::future<int> rebuilding;
  for (int signal = 0; sigwait(&signals, &signal) == 0 && signal != SIGTERM && signal != SIGINT;) {
    if (signal == SIGUSR1) s.live->disable();
    if (signal == SIGUSR2) s.live->enable();
    if (signal != SIGHUP) continue;
    const bool busy = rebuilding.valid() && rebuilding.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    if (busy) complain("a rebuild is under way already");
    else rebuilding = std::async(std::launch::async, [&s] { return report(rebuild(s)); });
  }
  s.stop.request_stop();
  threads.clear();  // waits for them: what they added is in the snapshot
  return report(s.live->snapshot(argv[2]));
}
