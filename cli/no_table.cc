// What there is of tables in a build without them.
#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/demo.h"

namespace bloomery::cli {

void add_table(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("table", "Sorted tables with a filter in front (not in this build)");
  command->allow_extras();
  command->callback([&status] {
    status = fail({ErrorCode::unsupported, "this build has no tables: configure it with -DBLOOMERY_TABLE=ON", {}, {}});
  });
}

Result<bool> demo_table(const ScratchFolder&, std::uint64_t) {
  fmt::print("6. A sorted table with the filter in front\n  not in this build\n");
  return true;
}

}  // namespace bloomery::cli
