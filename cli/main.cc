// The command line of Bloomery: parses arguments, runs one command, turns its outcome into an exit status.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/output.h"
#include "core/io/file.h"
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

// CLI11 takes the word behind "--fpr=" for its value: two words are made of it, and the second is empty. It takes a
// word like "[a,b]" for a list of words, and a key or a file may well be called so: a NUL behind it, which no argument
// can hold, keeps it whole, and the options take it off again.
std::vector<std::string> kept_whole(int argc, char** argv) {
  std::vector<std::string> words;
  bool options = true;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    options = options && word != "--";
    const bool without_value = options && word.starts_with("--") && word.ends_with('=');
    if (without_value) word.pop_back();
    if (word.starts_with('[') && word.ends_with(']')) word += '\0';
    words.push_back(std::move(word));
    if (without_value) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  return words;
}
// An option whose value is empty is refused, and not taken for one that was left out; only a key may be empty.
void take_whole(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool is_key = option->get_name() == "KEY" || option->get_type_name() == "KEY";
    option->transform([is_key](std::string word) {
      if (word.empty() && !is_key) throw CLI::ValidationError("is empty: give a value, or leave it out");
      if (word.ends_with('\0')) word.pop_back();
      return word;
    });
  }
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
  bloomery::io::hold_standard_streams();
  // A file-size limit shall be an error that is reported and cleaned up after, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  bloomery::set_log_hook([](bloomery::LogLevel, std::string_view message, void*) { warn(std::string(message)); });
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    tell("bloomery: standard output: cannot write\n");
  } catch (const std::bad_alloc&) {
    tell("bloomery: out of memory\n");
  } catch (const std::exception& error) {
    tell(std::string("bloomery: ") + error.what() + "\n");
  }
  return kError;
}
