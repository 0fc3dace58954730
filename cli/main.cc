// The command line of Bloomery: parses arguments, runs one command, turns its outcome into an exit status.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/cli.h"
#include "kernel/kernel.h"

namespace {

using namespace bloomery::cli;

int run(int argc, char** argv) {
  CLI::App app("Filters that answer \"is this key definitely absent?\"", "bloomery");
  app.set_version_flag("--version", std::string("bloomery ") + bloomery::version());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 yes or done, 1 no, 2 error. 'bloomery COMMAND --help' tells more; so does 'man bloomery'.");
  int status = kYes;
  for (auto* add :
       {add_plan, add_build, add_query, add_inspect, add_verify, add_merge, add_convert, add_hash, add_bench, add_demo})
    add(app, status);
  // After the options, of which bench's --isa may name an instruction set, and before any command runs.
  app.parse_complete_callback([] {
    if (const char* problem = bloomery::kernel::forced_isa_problem(); problem != nullptr)
      throw CLI::Error("BLOOMERY_ISA", problem);
  });
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty())
    return fail({bloomery::ErrorCode::invalid_argument, "no command given: see 'bloomery --help'", {}, {}});
  const auto named = [&](const CLI::App* command) { return command->get_name() == first; };
  if (!first.starts_with('-') && app.get_subcommands(named).empty())
    return fail(
        {bloomery::ErrorCode::invalid_argument, "there is no command '" + first + "': see 'bloomery --help'", {}, {}});
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail({bloomery::ErrorCode::invalid_argument, std::string(error.what()) + ": see 'bloomery --help'", {}, {}});
  } catch (const CLI::Error& error) {  // from the callback above
    return fail({bloomery::ErrorCode::invalid_argument, error.what(), {}, {}});
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // A file-size limit shall be an error that is reported and cleaned up after, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  bloomery::set_log_hook([](bloomery::LogLevel, std::string_view message, void*) { warn(std::string(message)); });
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "bloomery: standard output: cannot write\n");
  } catch (const std::bad_alloc&) {
    std::fputs("bloomery: out of memory\n", stderr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bloomery: {}\n", error.what());
  }
  return kError;
}
