// bloomery help, completion, complete and man: what the command says of itself.
#include <fmt/format.h>

#include <memory>

#include "bench/machine.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man.h"
#include "cli/topics.h"
#include "kernel/kernel.h"

namespace bloomery::cli {
namespace {

#ifdef BLOOMERY_CLI_TABLES
constexpr bool kHasTables = true;
#else
constexpr bool kHasTables = false;
#endif

// The names of topics and commands.
std::vector<std::string> helped(const Command& program) {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  for (const Command& command : program.commands())
    if (!command.is_hidden()) names.push_back(command.name());
  return names;
}

int show_help(const Command& program, const Command& help, const std::vector<std::string>& words) {
  const std::size_t columns = terminal_columns();
  for (const Topic& topic : topics())
    if (words.size() == 1 && topic.name == words.front()) {
      fmt::print("{}\n\n{}\n", topic.title, wrapped(topic.text, columns));
      return kYes;
    }
  const Command* command = &program;
  for (const std::string& word : words) {
    const Command* next = command->find_command(word);
    if (next == nullptr)
      return fail(help.wrong("there is no help for '" + word + "'" + suggestion(word, helped(program))));
    command = next;
  }
  fmt::print("{}", help_of(*command, columns));
  return kYes;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

void print_version(bool verbose) {
  fmt::print("bloomery {}\n", version());
  if (!verbose) return;
  const std::size_t columns = terminal_columns();
  const auto line = [&](const std::string& label, const std::string& value) {
    fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
  };
  std::vector<std::string> kernels;
  for (const kernel::Kernel* kernel : kernel::available())
    kernels.push_back(std::string(kernel->name) + (kernel == &kernel::active() ? " (in use)" : ""));
  std::vector<std::string> kinds;
  for (const Kind kind : kAllKinds) kinds.emplace_back(to_string(kind));
  kinds.emplace_back(to_string(Kind::iblt));
  line("kernels", joined(kernels));
  line("kinds", joined(kinds));
  line("hashes", joined(hash_names()));
  line("formats", "envelope 1, raw (classic), parquet (split)");
  line("tables", kHasTables ? "yes" : "not in this build");
  line("limits", "counts up to 2^64 - 1, keys up to memory, files up to what the file system takes");
  for (const auto& [name, value] : bench::describe_machine())
    if (name != "version" && name != "date" && name != "load") line(name, value);
}

void add_describe(Command& program) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto shell = std::make_shared<std::string>();
  Command& help = program.add("help", "Show the help of a command or a topic");
  std::string names;
  for (const Topic& topic : topics()) names += (names.empty() ? "" : ", ") + topic.name;
  Option& word = help.argument("WORD", words.get(), "A command, or a topic: " + names);
  help.runs([words, &program, &help] { return show_help(program, help, *words); });

  Command& completion = program.add("completion", "Print the completion script of a shell");
  completion.details(
      "For one session:\n\n  source <(bloomery completion bash)\n  bloomery completion fish | source\n\nInstalled "
      "copies "
      "have them in place. The scripts ask the command itself, so they are never out of date.");
  completion.argument("SHELL", shell.get(), "bash, zsh or fish").required().choices({"bash", "zsh", "fish"});
  completion.runs([shell, &completion] {
    const std::optional<std::string> script = completion_script(*shell);
    if (!script)
      return fail(completion.wrong("there is no completion for '" + *shell + "', only for bash, zsh and fish"));
    fmt::print("{}", *script);
    return kYes;
  });

  Command& complete = program.add("complete", "Print what may stand in place of the last word, for completions").hide();
  complete.takes_anything(*words);
  complete.runs([words, &program] {
    fmt::print("{}", completions(program, *words));
    return kYes;
  });

  Command& man = program.add("man", "Print the man page, in roff");
  man.runs([&program] {
    fmt::print("{}", man_page(program));
    return kYes;
  });
  word.choices(helped(program));
}

}  // namespace bloomery::cli
