// The pages and calls of the service: HTTP by cpp-httplib in front of a Store. Options and signals are in service.cc.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "store.h"

struct ServiceOptions {
  std::string folder, host = "127.0.0.1", name = "example";
  std::uint64_t port = 8080, keys = 1'000'000, snapshot_every = 300, snapshot_rate = 0, max_body = 8 << 20,
                threads = 64, timeout = 5;
  double fpr = 0.01;
};

// The whole text as a number, or nothing.
template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

using httplib::ContentReader;
using httplib::Request;
using httplib::Response;

inline void answer(Response& to, int status, const std::string& text, const char* type = "text/plain") {
  to.status = status;
  to.set_content(text, type);
}
inline void answer(Response& to, const bloomery::Status& status, int good, const std::string& text) {
  if (status.ok()) return answer(to, good, text);
  const bool refused = status.error().code == bloomery::ErrorCode::invalid_argument;
  log_line(status.error().to_string());
  answer(to, refused ? 409 : 500, status.error().to_string() + "\n");
}

// The keys of a request, hashed.
struct Asked {
  Hashes hashes;
  bool packed = false;
};

// Every request on a thread of a pool; what it serves is in the Store, which outlives it.
class Service {
 public:
  Service(const ServiceOptions& options, Store& store) : options_(options), store_(store) {
    http_.new_task_queue = [this] { return new httplib::ThreadPool(options_.threads); };
    http_.set_payload_max_length(options.max_body);
    http_.set_read_timeout(static_cast<time_t>(options.timeout));
    http_.set_write_timeout(static_cast<time_t>(options.timeout));
    http_.set_keep_alive_timeout(2);
    http_.set_keep_alive_max_count(1000);
    http_.set_tcp_nodelay(true);
    // Without the library's SO_REUSEPORT, by which a second service would take half of the requests.
    http_.set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http_.set_error_handler([](const Request&, Response& to) { explain(to); });
    add_pages();
    add_calls();
  }

  bool bind() {
    if (options_.port == 0) return (port_ = http_.bind_to_any_port(options_.host)) > 0;
    port_ = static_cast<int>(options_.port);
    return http_.bind_to_port(options_.host, port_);
  }
  int port() const { return port_; }
  void serve() {
    http_.listen_after_bind();
    served_ = true;
  }
  // The library forgets a stop that comes before it listens, as a signal in the first moments would.
  void stop() {
    while (!http_.is_running() && !served_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    http_.stop();
  }

  // In the background; false when one is under way.
  bool rebuild(std::uint64_t n = 0, double fpr = 0) {
    const std::lock_guard lock(mutex_);
    if (rebuilding_.valid() && rebuilding_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    rebuilding_ = std::async(std::launch::async, [this, n, fpr] {
      if (const bloomery::Status done = store_.rebuild(n, fpr); !done.ok()) log_line(done.error().to_string());
    });
    return true;
  }
  void wait_for_rebuild() {
    const std::lock_guard lock(mutex_);
    if (rebuilding_.valid()) rebuilding_.wait();
  }
  void set_switch(bool on) {
    if (on) store_.live()->enable();
    else store_.live()->disable();
    log_line(on ? "switched on" : "switched off: every answer is maybe");
  }

 private:
  // What the library refuses itself gets a sentence too.
  static void explain(Response& to) {
    if (!to.body.empty()) return;
    const std::map<int, const char*> sentences{{400, "the request is cut off, too slow, or no HTTP"},
                                               {404, "no such page; service --help lists what there is"},
                                               {413, "the body is longer than --max-body allows: send it in parts"},
                                               {414, "the address is too long: POST the key instead"}};
    const auto found = sentences.find(to.status);
    answer(to, to.status, found != sentences.end() ? found->second + std::string("\n") : "this cannot be served\n");
  }

  // Reads the body, and no more of it than is allowed, whatever its header says. False: it has been answered.
  bool read(const Request& from, Response& to, const ContentReader& body, Asked& asked) {
    std::string bytes;
    bool too_long = false;
    const bool whole = body([&](const char* data, std::size_t size) {
      too_long = bytes.size() + size > options_.max_body;
      if (!too_long) bytes.append(data, size);
      return !too_long;
    });
    if (!whole) return to.status = too_long || to.status == 413 ? 413 : 400, false;  // explain() has the sentence
    if (bytes.empty()) return answer(to, 400, "the body is empty: send a key a line\n"), false;
    asked.packed = from.get_header_value("Content-Type") == "application/octet-stream";
    if (asked.packed && bytes.size() % 8 != 0)
      return answer(to, 400, "a hash has 8 bytes, and the body ends within one: nothing was done\n"), false;
    if (asked.packed) asked.hashes.resize(bytes.size() / 8);
    if (asked.packed) std::memcpy(asked.hashes.data(), bytes.data(), bytes.size());
    else hash_lines(bytes, asked.hashes);
    return true;
  }
  void hash_lines(std::string_view text, Hashes& hashes) const {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      hashes.push_back(hasher_(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  // While it loads there is no filter to ask, and "maybe" is a right answer to everything.
  std::vector<std::uint8_t> ask(const Hashes& hashes) const {
    std::vector<std::uint8_t> answers(hashes.size(), 1);
    if (const Live* live = store_.live()) live->contains_many(hashes, answers);
    return answers;
  }
  static const char* word(std::uint8_t maybe) { return maybe != 0 ? "maybe\n" : "no\n"; }

  // Whether every % of the address begins an escape; the library would let it stand for itself.
  static bool escapes_are_whole(const std::string& target) {
    for (std::size_t at = target.find('%'); at != std::string::npos; at = target.find('%', at + 1))
      if (at + 2 >= target.size() || std::isxdigit(static_cast<unsigned char>(target[at + 1])) == 0 ||
          std::isxdigit(static_cast<unsigned char>(target[at + 2])) == 0)
        return false;
    return true;
  }

  void add_pages() {
    http_.Get("/contains", [this](const Request& from, Response& to) {
      if (from.get_param_value_count("key") != 1 || !escapes_are_whole(from.target))
        return answer(to, 400, "give one key as ?key=KEY, with escapes of two hexadecimal digits\n");
      answer(to, 200, word(ask({hasher_(from.get_param_value("key"))}).front()));
    });
    http_.Get("/healthz", [](const Request&, Response& to) { answer(to, 200, "alive\n"); });
    http_.Get("/readyz", [this](const Request&, Response& to) {
      if (store_.live() == nullptr) return answer(to, 503, "loading\n");
      answer(to, 200, "ready\n");
    });
    http_.Get("/metrics", [this](const Request&, Response& to) { metrics(to, false); });
    http_.Get("/metrics.json", [this](const Request&, Response& to) { metrics(to, true); });
  }
  void metrics(Response& to, bool json) {
    Live* live = store_.live();
    if (live == nullptr) return answer(to, 200, json ? "{}" : "# loading\n");
    live->self_check();  // cheap: whether a bit was lost is looked at whenever somebody looks at us
    const bloomery::Result<std::string> text = json ? live->json() : live->prometheus();
    if (!text.ok()) return answer(to, bloomery::Status(text.error()), 200, "");
    answer(to, 200, *text, json ? "application/json" : "text/plain; version=0.0.4");
  }

  void add_calls() {
    http_.Post("/contains", [this](const Request& from, Response& to, const ContentReader& body) {
      Asked asked;
      if (!read(from, to, body, asked)) return;
      std::vector<std::uint8_t> answers = ask(asked.hashes);
      if (asked.packed) return answer(to, 200, {answers.begin(), answers.end()}, "application/octet-stream");
      std::string lines;
      for (const std::uint8_t maybe : answers) lines += word(maybe);
      answer(to, 200, lines);
    });
    http_.Post("/add", [this](const Request& from, Response& to, const ContentReader& body) {
      Asked asked;
      if (!read(from, to, body, asked)) return;
      answer(to, store_.add(asked.hashes), 200, "added " + std::to_string(asked.hashes.size()) + "\n");
    });
    http_.Post("/report", when_ready([this](const Request& from, Response& to) { report(from, to); }));
    http_.Post("/rebuild", when_ready([this](const Request& from, Response& to) {
                 const auto n = number<std::uint64_t>(parameter(from, "n", "0"));
                 const auto fpr = number<double>(parameter(from, "fpr", "0"));
                 if (!n || !fpr || !(*fpr >= 0 && *fpr < 1))
                   return answer(to, 400, "n is a number of keys and fpr a rate below 1\n");
                 if (!rebuild(*n, *fpr)) return answer(to, 409, "a rebuild is under way already\n");
                 answer(to, 202, "rebuilding; the log and bloomery_rebuilding tell when it is done\n");
               }));
    http_.Post("/snapshot", when_ready([this](const Request&, Response& to) {
                 answer(to, store_.snapshot(options_.snapshot_rate), 200, "saved\n");
               }));
    http_.Post("/switch", when_ready([this](const Request& from, Response& to) {
                 const std::string position = parameter(from, "to", "");
                 if (position != "on" && position != "off") return answer(to, 400, "give ?to=on or ?to=off\n");
                 set_switch(position == "on");
                 answer(to, 200, position + "\n");
               }));
  }
  // A call that needs the filter and no body. A client may leave the length of nothing out (curl -X POST), and the
  // library would wait for its end in vain; but a body that is there must not stay to be taken for the next request.
  httplib::Server::HandlerWithContentReader when_ready(httplib::Server::Handler handler) {
    return [this, handler = std::move(handler)](const Request& from, Response& to, const ContentReader& body) {
      if ((from.has_header("Content-Length") || from.has_header("Transfer-Encoding")) &&
          !body([](const char*, std::size_t) { return true; }))
        return;
      if (store_.live() == nullptr) return answer(to, 409, "it is still loading: try again when /readyz says so\n");
      handler(from, to);
    };
  }
  static std::string parameter(const Request& from, const char* name, const char* otherwise) {
    return from.has_param(name) ? from.get_param_value(name) : otherwise;
  }
  void report(const Request& from, Response& to) {
    const std::string was = parameter(from, "was", ""), tenant = parameter(from, "tenant", "");
    Live& live = *store_.live();
    if (was == "wrong_maybe" && (live.disabled() || live.damaged())) return answer(to, 200, "not the filter's\n");
    if (was == "wrong_maybe") tenant.empty() ? live.was_false_positive() : live.was_false_positive(tenant);
    else if (was == "right_maybe" && !tenant.empty()) live.was_true_positive(tenant);
    else if (was == "wrong_no") tenant.empty() ? live.was_false_negative() : live.was_false_negative(tenant);
    else if (was != "right_maybe")
      return answer(to, 400, "give ?was=wrong_maybe, right_maybe or wrong_no, and &tenant=NAME if there is one\n");
    answer(to, 200, "counted\n");
  }

  const ServiceOptions& options_;
  Store& store_;
  const bloomery::Hasher hasher_ = bloomery::BlockView().hasher();
  httplib::Server http_;
  std::atomic<bool> served_ = false;
  int port_ = 0;
  std::mutex mutex_;  // of rebuilding_
  std::future<void> rebuilding_;
};
