// A filter as a service, to start yours from: options and signals here, HTTP in service.h, the filter with its truth
// and its snapshots in store.h. docs/operations/ is the handbook that goes with it.
#include <condition_variable>
#include <csignal>
#include <stop_token>
#include <thread>

#include "service.h"

namespace {

constexpr const char* kHelp = R"(usage: service --folder FOLDER [OPTIONS]

Answers "may this key be there?" over HTTP. FOLDER holds the truth and the snapshot, and is all that a restart needs.

  --host ADDRESS         where to listen (127.0.0.1); whoever reaches it may add, rebuild and switch off
  --port N               0 takes a free one, which the log names (8080)
  --keys N               keys to make room for at the first start (1000000); later POST /rebuild?n=N
  --fpr P                rate of false positives at the first start (0.01)
  --name NAME            label of the metrics (example)
  --snapshot-every S     seconds between snapshots, 0 for none but the one at the end (300)
  --snapshot-rate BYTES  most bytes a second that a snapshot writes, 0 for no limit (0)
  --max-body BYTES       the longest body that is read (8388608)
  --threads N            connections that are served at once (64)
  --timeout S            seconds that a client may be silent within a request (5)

  GET  /contains?key=K   "maybe" or "no"
  POST /contains, /add   a key a line; or 8 bytes a hash, little-endian, as application/octet-stream.
                         /contains answers a line ("maybe", "no") or a byte (1, 0) each, in order
  POST /report?was=W     feedback: W is wrong_maybe, right_maybe or wrong_no; &tenant=NAME counts it for one
  POST /rebuild          from the truth, in the background; ?n=N&fpr=P for another size
  POST /snapshot         now; answers when it is written
  POST /switch?to=off    every answer is "maybe"; to=on ends that
  GET  /healthz          200 while the process answers
  GET  /readyz           200 when it is loaded, else 503; all else answers while it loads, with "maybe"
  GET  /metrics          for Prometheus; /metrics.json the same

SIGHUP rebuilds, SIGUSR1 switches off, SIGUSR2 on, SIGTERM and SIGINT save a snapshot and end.
)";

std::string not_a_number(const std::string& name, const std::string& value) {
  return name + " " + value + ": not a number";
}

// A sentence when the words are wrong.
std::optional<std::string> parse(const std::vector<std::string>& words, ServiceOptions& o) {
  const std::map<std::string, std::string*> texts{{"--folder", &o.folder}, {"--host", &o.host}, {"--name", &o.name}};
  const std::map<std::string, std::uint64_t*> numbers{{"--port", &o.port},
                                                      {"--keys", &o.keys},
                                                      {"--snapshot-every", &o.snapshot_every},
                                                      {"--snapshot-rate", &o.snapshot_rate},
                                                      {"--max-body", &o.max_body},
                                                      {"--threads", &o.threads},
                                                      {"--timeout", &o.timeout}};
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& name = words[i];
    if (!texts.contains(name) && !numbers.contains(name) && name != "--fpr") return name + ": no such option";
    if (i + 1 == words.size()) return name + " needs a value";
    const std::string& value = words[i + 1];
    if (texts.contains(name)) *texts.at(name) = value;
    else if (const auto real = number<double>(value); name == "--fpr" && real) o.fpr = *real;
    else if (const auto whole = number<std::uint64_t>(value); name != "--fpr" && whole) *numbers.at(name) = *whole;
    else return not_a_number(name, value);
  }
  if (o.folder.empty()) return "--folder FOLDER is missing";
  if (o.port > 65535) return "--port " + std::to_string(o.port) + ": 65535 is the last";
  if (o.timeout < 1 || o.timeout > 3600) return "--timeout is 1 to 3600 seconds";
  if (o.threads < 1 || o.threads > 10'000) return "--threads is 1 to 10000";
  return std::nullopt;
}

// Blocked in all threads and taken by sigwait: there is no handler, and so nothing that a handler must not do.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Returns on SIGTERM or SIGINT.
void obey_signals(const sigset_t& signals, Service& service, const Store& store) {
  for (int signal = 0; sigwait(&signals, &signal) == 0;) {
    log_line(std::string("signal ") + strsignal(signal));
    if (signal == SIGTERM || signal == SIGINT) return;
    if (store.live() == nullptr) log_line("still loading: send it again when that is done");
    else if (signal != SIGHUP) service.set_switch(signal == SIGUSR2);
    else if (!service.rebuild()) log_line("a rebuild is under way already");
  }
}

// Saves whenever so many seconds have passed, until it is stopped.
void save_by_time(const std::stop_token& stop, Store& store, const ServiceOptions& o) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, stop, std::chrono::seconds(o.snapshot_every), [&] { return stop.stop_requested(); }))
    if (store.live() != nullptr)
      if (const bloomery::Status saved = store.snapshot(o.snapshot_rate); !saved.ok())
        log_line(saved.error().to_string());
}

int fail(const std::string& problem) { return log_line(problem), 1; }

int run(const ServiceOptions& o) {
  const sigset_t signals = block_signals();
  Store store(o.folder, {.n = o.keys, .fpr = o.fpr, .name = o.name});
  if (const bloomery::Status opened = store.open(); !opened.ok()) return fail(opened.error().to_string());
  Service service(o, store);
  if (!service.bind()) return fail(o.host + ":" + std::to_string(o.port) + ": " + std::strerror(errno));
  log_line("listening on http://" + o.host + ":" + std::to_string(service.port()));
  std::jthread http([&] { service.serve(); });
  bloomery::Status loaded;
  std::jthread loader([&] {
    loaded = store.load();
    if (!loaded.ok()) log_line(loaded.error().to_string()), ::kill(::getpid(), SIGTERM);  // there is nothing to serve
  });
  std::jthread saver;
  if (o.snapshot_every > 0) saver = std::jthread([&](const std::stop_token& stop) { save_by_time(stop, store, o); });
  obey_signals(signals, service, store);
  service.stop();  // answers what has been asked
  store.stop();
  http.join();
  loader.join();
  saver = {};
  service.wait_for_rebuild();
  if (!loaded.ok()) return 1;
  if (store.live() == nullptr) return log_line("ended before it was loaded: the snapshot is the one before"), 0;
  const bloomery::Status saved = store.snapshot();
  return saved.ok() ? 0 : fail(saved.error().to_string());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--help"}) return std::fputs(kHelp, stdout) < 0 ? 1 : 0;
  ServiceOptions options;
  if (const auto problem = parse(words, options)) return fail(*problem + " (service --help)");
  return run(options);
}
