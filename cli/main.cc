// The command line of Bloomery: parses arguments, runs one command, turns its outcome into an exit status.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "kernel/kernel.h"

namespace {

using namespace bloomery::cli;

// What is wrong with the words that should name a command, one for each level; nothing when they do.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* level = &app;
  std::string said = "bloomery";
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string word = argv[i];
    const auto named = level->get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
    if (named.empty()) return "there is no command '" + word + "': see '" + said + " --help'";
    level = named.front();
    if (level->get_require_subcommand_min() == 0) break;  // what follows is for the command
    said += " " + word;
  }
  return {};
}

// CLI11 takes a word like "[a,b]" for a list of words, and a key or a file may well be called so. A NUL behind it,
// which no argument can hold, keeps it whole; the options take it off again.
std::vector<std::string> kept_whole(int argc, char** argv) {
  std::vector<std::string> words;  // the last one first, as CLI11 wants them
  for (int i = argc - 1; i > 0; --i) {
    words.emplace_back(argv[i]);
    if (words.back().starts_with('[') && words.back().ends_with(']')) words.back() += '\0';
  }
  return words;
}
void take_whole(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    option->transform([](std::string word) {
      if (word.ends_with('\0')) word.pop_back();
      return word;
    });
  for (CLI::App* command : app.get_subcommands({})) take_whole(*command);
}

int run(int argc, char** argv) {
  CLI::App app("Filters that answer \"is this key definitely absent?\"", "bloomery");
  app.set_version_flag("--version", std::string("bloomery ") + bloomery::version());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 yes or done, 1 no, 2 error. 'bloomery COMMAND --help' tells more; so does 'man bloomery'.");
  int status = kYes;
  for (auto* add : {add_plan, add_build, add_query, add_inspect, add_verify, add_change, add_merge, add_convert,
                    add_overlap, add_hash, add_set_diff, add_iblt_size, add_table, add_bench, add_demo})
    add(app, status);
  take_whole(app);
  // After the options, of which bench's --isa may name an instruction set, and before any command runs.
  app.parse_complete_callback([] {
    if (const char* problem = bloomery::kernel::forced_isa_problem(); problem != nullptr)
      throw CLI::Error("BLOOMERY_ISA", problem);
  });
  if (argc < 2) return fail({bloomery::ErrorCode::invalid_argument, "no command given: see 'bloomery --help'", {}, {}});
  if (const std::string problem = unknown_command(app, argc, argv); !problem.empty())
    return fail({bloomery::ErrorCode::invalid_argument, problem, {}, {}});
  try {
    app.parse(kept_whole(argc, argv));
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
