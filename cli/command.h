// A command as it describes itself: what it is for, its options and its arguments. Parsing, help, completions and the
// man page are all made from this description, so that none of them can say something else. It is no library of
// options: those keep their description to themselves, and reading one took most of the time to compile a command.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/result.h"

namespace bloomery::cli {

// An option ("-q,--quiet", "--fpr P") or an argument ("FILE") of a command. Its value is stored in a variable of the
// command's: a flag in a bool, what may come several times in a vector.
class Option {
 public:
  using Target = std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*>;

  Option(std::string_view names, std::string value_name, Target target, std::string help);

  Option& required();
  // The words it takes, for completions. With commas: several of them in one value.
  Option& choices(std::vector<std::string> words, bool with_commas = false);

  const std::vector<std::string>& names() const { return names_; }  // of an argument its one name, such as FILE
  const std::string& value_name() const { return value_name_; }
  const std::string& help() const { return help_; }
  const std::vector<std::string>& choices() const { return choices_; }
  bool takes_commas() const { return with_commas_; }
  bool is_required() const { return required_; }
  bool is_argument() const { return !names_.front().starts_with('-'); }
  bool is_flag() const { return std::holds_alternative<bool*>(target_); }
  bool is_repeated() const { return std::holds_alternative<std::vector<std::string>*>(target_); }
  bool takes_file() const;
  bool has_name(std::string_view name) const;
  bool given() const { return given_; }
  // "-o, --output FILE"; "FILE".
  std::string title() const;

  // Stores a value; an error when there is one already, or when it is empty and no key.
  Status take(std::string value);

 private:
  std::vector<std::string> names_;
  std::string value_name_;
  Target target_;
  std::string help_;
  std::vector<std::string> choices_;
  bool with_commas_ = false, required_ = false, given_ = false;
};

// The program, a group of commands, or a command. References that it returns stay good as long as it lives.
class Command {
 public:
  explicit Command(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // A command below this one. A hidden one is for programs: neither help nor the man page lists it.
  Command& add(std::string name, std::string summary);
  Command& hide();
  // Paragraphs for --help and the man page; those after the first begin with an empty line.
  Command& details(std::string paragraphs);

  Option& flag(std::string_view names, bool& target, std::string help);
  Option& option(std::string_view names, std::string value_name, Option::Target target, std::string help);
  Option& argument(const std::string& name, Option::Target target, std::string help);
  // Refuses no argument and no option: the words are stored as they are.
  void takes_anything(std::vector<std::string>& words) { anything_ = &words; }

  // Returns the exit status.
  void runs(std::function<int()> run) { run_ = std::move(run); }
  // Called when everything is parsed, before anything runs.
  void after_parsing(std::function<void()> call) { parsed_ = std::move(call); }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::string& details() const { return details_; }
  bool is_hidden() const { return hidden_; }
  bool is_group() const { return !commands_.empty(); }
  std::string path() const;  // "bloomery table build"
  const std::deque<Command>& commands() const { return commands_; }
  const std::deque<Option>& options() const { return options_; }  // arguments too, in the order of the command line
  bool has_name(std::string_view name) const { return name_ == name; }
  // nullptr when there is none.
  const Command* find_command(std::string_view name) const;
  const Option* find_option(std::string_view name) const;
  bool given(std::string_view option) const;
  // "bloomery build [OPTIONS] -o FILE [KEYS]"
  std::string usage() const;
  // An error of the command line, which names the help of this command.
  Error wrong(const std::string& what) const;

  bool wants_help() const { return help_wanted_; }
  int run() const { return run_(); }

 private:
  friend Result<Command*> parse(Command& program, std::span<const std::string> words);

  Status parse_words(std::span<const std::string> words);
  Status parse_option(std::span<const std::string> words, std::size_t& at);
  Status parse_short(std::span<const std::string> words, std::size_t& at);
  Status take_value(Option& option, const std::string& name, std::span<const std::string> words, std::size_t& at);
  Status take_argument(const std::string& word);
  Status check_required() const;
  Command* find_command(std::string_view name);
  Option* find_option(std::string_view name);
  Error no_such_option(const std::string& name) const;

  std::string name_, summary_, details_;
  const Command* parent_ = nullptr;
  std::deque<Command> commands_;
  std::deque<Option> options_;
  std::vector<std::string>* anything_ = nullptr;
  std::function<int()> run_;
  std::function<void()> parsed_;
  bool hidden_ = false, help_wanted_ = false;
};

// Finds the command that the words name, and stores what they give it. With -h or --help it returns the command at
// once: ask wants_help() before running it.
Result<Command*> parse(Command& program, std::span<const std::string> words);

// The word most like the one given, or nothing when none is near: "did you mean 'query'?".
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> among);
// " (did you mean 'query'?)", or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> among);

}  // namespace bloomery::cli
