// The command line of Bloomery: parses arguments, runs one command, turns its outcome into an exit status.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/output.h"
#include "core/io/file.h"
#include "kernel/kernel.h"

namespace {

using namespace bloomery::cli;

int print_help(const Command& command) {
  fmt::print("{}", help_of(command, terminal_columns()));
  return kYes;
}

int run(const std::vector<std::string>& words) {
  Command program("bloomery", "Filters that answer \"is this key definitely absent?\"");
  program.details(
      "Exit status: 0 yes or done, 1 no, 2 error. 'bloomery COMMAND --help' tells more; so does 'man bloomery'.");
  bool version = false, verbose = false;
  program.flag("--version", version, "Show the version");
  program.flag("--verbose", verbose, "With --version: instruction sets, kinds, hashes, formats and the build");
  for (auto* add : {add_plan,  add_build,   add_query,   add_inspect, add_label,  add_verify,   add_change,
                    add_merge, add_convert, add_overlap, add_hash,    add_secret, add_set_diff, add_iblt_size,
                    add_table, add_server,  add_replica, add_bench,   add_demo,   add_describe})
    add(program);
  const bloomery::Result<Command*> command = parse(program, words);
  if (!command.ok()) return fail(command.error());
  if (version) return print_version(verbose), kYes;
  if ((*command)->wants_help() || (*command)->is_group()) return print_help(**command);
  // This comes after the options are parsed, because --isa of bench may name an instruction set, and before any command
  // runs.
  if (const char* problem = bloomery::kernel::forced_isa_problem(); problem != nullptr)
    return fail({bloomery::ErrorCode::invalid_argument, problem, {}, {}});
  set_running(**command);
  return (*command)->run();
}

// Says that standard output takes no more, and why; 0 where the system does not say.
int output_failed(int reason) {
  tell(std::string("bloomery: standard output: cannot write") + (reason == 0 ? "" : ": ") +
       (reason == 0 ? "" : std::strerror(reason)) + "\n");
  return kError;
}

}  // namespace

int main(int argc, char** argv) {
  bloomery::io::hold_standard_streams();
  // A file-size limit shall be an error that is reported and cleaned up after, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  bloomery::set_log_hook([](bloomery::LogLevel, std::string_view message, void*) { warn(std::string(message)); });
  try {
    const int status = run({argv + 1, argv + argc});
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    return output_failed(errno);
  } catch (const std::bad_alloc&) {
    return fail({bloomery::ErrorCode::out_of_memory, "out of memory", {}, {}});
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return output_failed(error.code().value());
    tell(std::string("bloomery: ") + error.what() + "\n");
  } catch (const std::exception& error) {
    tell(std::string("bloomery: ") + error.what() + "\n");
  }
  return kError;
}
