// What the commands of `bloomery replica` share.
#pragma once

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

// A line on standard output, at once: others wait for it.
Status print_line(const std::string& line);

}  // namespace bloomery::cli
