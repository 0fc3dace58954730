// bloomery table in a build without tables.
#include "cli/cli.h"

namespace bloomery::cli {

void add_table(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("table", "Sorted tables with a filter in front (not in this build)");
  command->allow_extras();
  command->callback([&status] {
    status = fail({ErrorCode::unsupported, "this build has no tables: configure it with -DBLOOMERY_TABLE=ON", {}, {}});
  });
}

}  // namespace bloomery::cli
