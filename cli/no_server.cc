// Stands in for push and pull in a build without a client of Redis.
#include "cli/cli.h"

namespace bloomery::cli {

void add_server(Command& program) {
  static std::vector<std::string> words;
  for (const char* name : {"push", "pull"}) {
    Command& command = program.add(name, "A filter file into Redis or Valkey, or out of it (not in this build)");
    command.takes_anything(words);
    command.runs([] {
      return fail({ErrorCode::unsupported,
                   "this build has no client of Redis: install hiredis (Debian: libhiredis-dev) and build again",
                   {},
                   {}});
    });
  }
}

}  // namespace bloomery::cli
