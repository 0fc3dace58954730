// Stands in for replicas in a build without a client of servers.
#include "cli/cli.h"

namespace bloomery::cli {

void add_replica(Command& program) {
  Command& command = program.add("replica", "Filters on many machines (not in this build)");
  static std::vector<std::string> words;
  command.takes_anything(words);
  command.runs([] {
    return fail({ErrorCode::unsupported,
                 "this build has no streams: install hiredis (Debian: libhiredis-dev) and configure it again",
                 {},
                 {}});
  });
}

}  // namespace bloomery::cli
