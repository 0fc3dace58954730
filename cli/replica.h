// What the commands of `bloomery replica` share.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/replica_streams.h"
#include "cli/cli.h"

namespace bloomery::cli {

// Each adds its subcommand to `bloomery replica`.
void add_replica_status(Command& replica);
void add_replica_follow(Command& replica);
void add_replica_checkpoint(Command& replica);
void add_replica_repair(Command& replica);
void add_replica_bridge(Command& replica);

// An option that names a server, and where its password comes from: a file, or a variable of the environment.
struct ServerOption {
  std::string url, password_file;

  // "server": --server, --password-file and BLOOMERY_PASSWORD; "from": --from, --from-password-file and
  // BLOOMERY_FROM_PASSWORD.
  void add_to(Command& command, const std::string& name, const std::string& help);
  Result<replica::StreamServer> server() const;

 private:
  std::string name_;
};

// --lineage and --secret.
struct LineageOption {
  std::string lineage;
  SecretOption secret;

  void add_to(Command& command);
  Result<replica::Lineage> id() const;
  Result<std::optional<Secret>> key() const;
};

// While it lives, SIGINT and SIGTERM end the work instead of the process.
class Ending {
 public:
  Ending();
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  static bool wanted();
};

// Connects. A server that keeps silent causes one warning, and is asked again until SIGINT or SIGTERM; one that
// refuses, or answers what cannot be, is an error at once, because nobody has seen it work yet.
template <class Connect>
auto connect_patiently(std::chrono::milliseconds timeout, Connect connect) {
  for (bool warned = false;; warned = true) {
    const auto began = std::chrono::steady_clock::now();
    auto connected = connect();
    const bool was_silent = std::chrono::steady_clock::now() - began >= timeout;
    if (connected.ok() || connected.error().field != "server" || !was_silent || Ending::wanted()) return connected;
    if (!warned) warn(connected.error().to_string());
  }
}

// The pace of a command that pumps until it is ended: what it prints and when.
class Pace {
 public:
  // Prints a line of figures every so many seconds; 0: none.
  explicit Pace(std::uint64_t every) : every_(every) {}

  // Returns whether the pump succeeded. Warns of the first error in a row, and waits a moment after each.
  template <class T>
  bool pumped(const Result<T>& step) {
    return took(step.ok() ? nullptr : &step.error());
  }
  bool line_is_due();

 private:
  bool took(const Error* error);

  std::chrono::seconds every_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
  bool failed_ = false;
};

// A count of seconds that clocks can wait.
Result<std::uint64_t> parse_seconds(const std::string& name, const std::string& text);

// A line on standard output, at once: others wait for it.
Status print_line(const std::string& line);

}  // namespace bloomery::cli
