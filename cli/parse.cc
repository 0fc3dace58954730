// The grammar of the command line (spec/cli.md): words to the options and arguments of a command.
#include <algorithm>

#include "cli/command.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

// The least number of letters to insert, drop, replace or swap with their neighbour that makes one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

bool is_help(std::string_view word) { return word == "-h" || word == "--help"; }

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> among) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : among) {
    const std::size_t steps = word.size() >= 3 && one.starts_with(word) ? 1 : distance(word, one);
    if (steps >= least) continue;
    least = steps;
    best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string suggestion(std::string_view word, std::span<const std::string> among) {
  const std::optional<std::string> near = nearest(word, among);
  return near ? " (did you mean " + quoted(*near) + "?)" : "";
}

Result<Command*> parse(Command& program, std::span<const std::string> words) {
  Command* command = &program;
  std::size_t at = 0;
  for (; at < words.size() && command->is_group() && !words[at].starts_with('-'); ++at) {
    Command* next = command->find_command(words[at]);
    if (next == nullptr) {
      std::vector<std::string> names;
      for (const Command& known : command->commands())
        if (!known.is_hidden()) names.push_back(known.name());
      return command->wrong("there is no command " + quoted(words[at]) + suggestion(words[at], names));
    }
    command = next;
  }
  BLOOMERY_TRY(command->parse_words(words.subspan(at)));
  if (!command->wants_help() && command->parsed_) command->parsed_();
  return command;
}

Status Command::parse_words(std::span<const std::string> words) {
  if (anything_ != nullptr) return anything_->assign(words.begin(), words.end()), Status();
  bool options = true;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (options && is_help(word)) return help_wanted_ = true, Status();
    if (options && word == "--") options = false;
    else if (options && word.size() > 1 && word.starts_with('-')) BLOOMERY_TRY(parse_option(words, at));
    else BLOOMERY_TRY(take_argument(word));
  }
  return check_required();
}

// "--fpr P", "--fpr=P" or "--json".
Status Command::parse_option(std::span<const std::string> words, std::size_t& at) {
  if (!words[at].starts_with("--")) return parse_short(words, at);
  const std::size_t equals = words[at].find('=');
  const std::string name = words[at].substr(0, equals);
  Option* option = find_option(name);
  if (option == nullptr) return no_such_option(name);
  if (equals == std::string::npos) return take_value(*option, name, words, at);
  if (option->is_flag()) return wrong(name + " takes no value");
  const Status taken = option->take(words[at].substr(equals + 1));
  return taken.ok() ? taken : Status(wrong(name + " " + taken.error().message));
}

// "-n N", "-nN", or flags together: "-0q".
Status Command::parse_short(std::span<const std::string> words, std::size_t& at) {
  const std::string& word = words[at];
  for (std::size_t letter = 1; letter < word.size(); ++letter) {
    const std::string name = {'-', word[letter]};
    Option* option = find_option(name);
    if (option == nullptr) return no_such_option(letter == 1 ? word : name);
    if (option->is_flag() || letter + 1 == word.size()) {
      BLOOMERY_TRY(take_value(*option, name, words, at));
      continue;
    }
    const Status taken = option->take(word.substr(letter + 1));
    return taken.ok() ? taken : Status(wrong(name + " " + taken.error().message));
  }
  return {};
}

// The value is the next word. An option of this command is none: who means it so writes --name=VALUE.
Status Command::take_value(Option& option, const std::string& name, std::span<const std::string> words,
                           std::size_t& at) {
  if (option.is_flag()) return option.take({});
  const bool missing = at + 1 == words.size() || find_option(words[at + 1]) != nullptr || is_help(words[at + 1]);
  if (missing) return wrong(name + " needs a value: " + name + " " + option.value_name());
  const Status taken = option.take(words[++at]);
  return taken.ok() ? taken : Status(wrong(name + " " + taken.error().message));
}

Status Command::take_argument(const std::string& word) {
  for (Option& option : options_) {
    if (!option.is_argument() || (option.given() && !option.is_repeated())) continue;
    const Status taken = option.take(word);
    return taken.ok() ? taken : Status(wrong(option.names().front() + " " + taken.error().message));
  }
  return wrong("there is one argument too many, " + quoted(word));
}

Status Command::check_required() const {
  for (const Option& option : options_)
    if (option.is_required() && !option.given())
      return wrong((option.is_argument() ? option.names().front() : option.title()) + " is missing");
  return {};
}

Error Command::no_such_option(const std::string& name) const {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : options_)
    if (!option.is_argument()) names.insert(names.end(), option.names().begin(), option.names().end());
  return wrong("there is no option " + quoted(name) + suggestion(name, names));
}

}  // namespace bloomery::cli
