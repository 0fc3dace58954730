#include "cli/completion.h"

namespace bloomery::cli {
namespace {

constexpr const char* kAnyFile = ":file\n";

constexpr const char* kBash = R"(# bash completion for bloomery; made by 'bloomery completion bash'
_bloomery() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :file ]]; then
      compopt -o filenames
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("$word")
    fi
  done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _bloomery bloomery
)";

constexpr const char* kZsh = R"(#compdef bloomery
# zsh completion for bloomery; made by 'bloomery completion zsh'
_bloomery() {
  local line
  local -a found
  local -i files=0
  while IFS= read -r line; do
    if [[ $line == :file ]]; then
      files=1
    else
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe -t words 'bloomery' found; fi
  if (( files )); then _files; fi
}
if [[ $funcstack[1] == _bloomery ]]; then _bloomery "$@"; else compdef _bloomery bloomery; fi
)";

constexpr const char* kFish = R"(# fish completion for bloomery; made by 'bloomery completion fish'
function __bloomery_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] complete $words[2..-1] 2>/dev/null)
        if test "$line" = :file
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c bloomery -f -a '(__bloomery_complete)'
)";

// A line when the word begins so.
void offer(std::string& lines, std::string_view begin, const std::string& word, const std::string& help) {
  if (word.starts_with(begin)) lines += word + "\t" + help + "\n";
}

// The values of an option or argument. Behind a comma a list goes on.
std::string values_of(const Option& option, const std::string& begin, const std::string& before = {}) {
  if (option.takes_file()) return before.empty() ? kAnyFile : "";
  std::string lines, start = before, word = begin;
  if (const std::size_t comma = begin.rfind(','); option.takes_commas() && comma != std::string::npos) {
    start += begin.substr(0, comma + 1);
    word = begin.substr(comma + 1);
  }
  for (const std::string& choice : option.choices())
    if (choice.starts_with(word)) lines += start + choice + "\t" + option.names().back() + "\n";
  return lines;
}

std::string options_of(const Command& command, const std::string& begin) {
  std::string lines;
  for (const Option& option : command.options())
    for (const std::string& name : option.names())
      if (name.starts_with('-') && !(option.given() && !option.is_repeated())) offer(lines, begin, name, option.help());
  offer(lines, begin, "--help", "Show the help of this command");
  return lines;
}

// The argument that the last word is; nullptr when there are too many.
const Option* argument_at(const Command& command, std::span<const std::string> words) {
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const Option* option = words[i].starts_with('-') ? command.find_option(words[i]) : nullptr;
    if (option != nullptr && !option->is_flag()) ++i;  // its value
    else if (!words[i].starts_with('-') || words[i] == "-") ++before;
  }
  for (const Option& option : command.options()) {
    if (!option.is_argument()) continue;
    if (before == 0 || option.is_repeated()) return &option;
    --before;
  }
  return nullptr;
}

std::string in_command(const Command& command, std::span<const std::string> words) {
  const std::string& last = words.back();
  if (words.size() > 1) {
    const Option* before = command.find_option(words[words.size() - 2]);
    if (before != nullptr && !before->is_flag()) return values_of(*before, last);
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    const Option* option = command.find_option(last.substr(0, equals));
    if (option == nullptr || option->is_flag()) return {};
    return values_of(*option, last.substr(equals + 1), last.substr(0, equals + 1));
  }
  if (last.starts_with('-')) return options_of(command, last);
  const Option* argument = argument_at(command, words);
  return argument == nullptr ? "" : values_of(*argument, last);
}

// bash takes "--kind=bl" for three words.
std::vector<std::string> without_equals(std::span<const std::string> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "=") kept.push_back(words[i]);
    else if (i + 1 == words.size()) kept.emplace_back();
  }
  if (kept.empty()) kept.emplace_back();
  return kept;
}

}  // namespace

std::string completions(const Command& program, std::span<const std::string> words) {
  const std::vector<std::string> all = without_equals(words);
  const Command* command = &program;
  std::size_t at = 0;
  for (; at + 1 < all.size() && command->is_group(); ++at) {
    command = command->find_command(all[at]);
    if (command == nullptr) return {};
  }
  if (!command->is_group()) return in_command(*command, std::span(all).subspan(at));
  if (all.back().starts_with('-')) return options_of(*command, all.back());
  std::string lines;
  for (const Command& one : command->commands())
    if (!one.is_hidden()) offer(lines, all.back(), one.name(), one.summary());
  return lines;
}

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return std::nullopt;
}

}  // namespace bloomery::cli
