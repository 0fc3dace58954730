// Stands in for tables in a build without them.
#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/demo.h"

namespace bloomery::cli {

void add_table(Command& program) {
  Command& command = program.add("table", "Sorted tables with a filter in front (not in this build)");
  static std::vector<std::string> words;
  command.takes_anything(words);
  command.runs([] {
    return fail({ErrorCode::unsupported, "this build has no tables: configure it with -DBLOOMERY_TABLE=ON", {}, {}});
  });
}

Result<bool> demo_table(const ScratchFolder&, std::uint64_t, DemoReport& report) {
  report.say("6. A sorted table with a filter in front\n  not in this build\n");
  report.json.put("table", Json());
  return true;
}

}  // namespace bloomery::cli
