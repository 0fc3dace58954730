#include "cli/command.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace bloomery::cli {
namespace {

// The first of them that has the name; nullptr when none has. Const as they are.
template <class All>
auto named(All& all, std::string_view name) -> decltype(&all.front()) {
  for (auto& one : all)
    if (one.has_name(name)) return &one;
  return nullptr;
}

}  // namespace

Option::Option(std::string_view names, std::string value_name, Target target, std::string help)
    : value_name_(std::move(value_name)), target_(target), help_(std::move(help)) {
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = names.find(',');
    names_.emplace_back(names.substr(0, comma));
    if (comma != std::string_view::npos) names.remove_prefix(comma + 1);
  }
}

Option& Option::required() {
  required_ = true;
  return *this;
}

Option& Option::choices(std::vector<std::string> words, bool with_commas) {
  choices_ = std::move(words);
  with_commas_ = with_commas;
  return *this;
}

bool Option::takes_file() const {
  if (!choices_.empty() || is_flag()) return false;
  return is_argument() ? names_.front() != "KEY" && names_.front() != "TEXT"
                       : value_name_ == "FILE" || value_name_ == "OUT";
}

bool Option::has_name(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string Option::title() const {
  std::string text;
  for (const std::string& name : names_) text += (text.empty() ? "" : ", ") + name;
  if (is_argument()) return text + (is_repeated() ? "..." : "");
  return is_flag() ? text : text + " " + value_name_;
}

Status Option::take(std::string value) {
  if (given_ && !is_repeated() && !is_flag()) return invalid_argument(names_.back(), "is given twice: give it once");
  // An empty value is not taken for an option that was left out; only a key may be empty.
  const bool may_be_empty = is_flag() || value_name_ == "KEY" || names_.front() == "KEY";
  if (value.empty() && !may_be_empty) return invalid_argument(names_.back(), "is empty: give a value, or leave it out");
  given_ = true;
  if (bool** flag = std::get_if<bool*>(&target_)) **flag = true;
  else if (auto** text = std::get_if<std::string*>(&target_)) **text = std::move(value);
  else if (auto** maybe = std::get_if<std::optional<std::string>*>(&target_)) **maybe = std::move(value);
  else std::get<std::vector<std::string>*>(target_)->push_back(std::move(value));
  return {};
}

Command& Command::add(std::string name, std::string summary) {
  Command& command = commands_.emplace_back(std::move(name), std::move(summary));
  command.parent_ = this;
  return command;
}

Command& Command::hide() {
  hidden_ = true;
  return *this;
}

Command& Command::details(std::string paragraphs) {
  details_ = std::move(paragraphs);
  return *this;
}

Option& Command::flag(std::string_view names, bool& target, std::string help) {
  return options_.emplace_back(names, "", &target, std::move(help));
}

Option& Command::option(std::string_view names, std::string value_name, Option::Target target, std::string help) {
  return options_.emplace_back(names, std::move(value_name), target, std::move(help));
}

Option& Command::argument(const std::string& name, Option::Target target, std::string help) {
  return options_.emplace_back(name, "", target, std::move(help));
}

std::string Command::path() const { return parent_ == nullptr ? name_ : parent_->path() + " " + name_; }

const Command* Command::find_command(std::string_view name) const { return named(commands_, name); }
Command* Command::find_command(std::string_view name) { return named(commands_, name); }

// The name of an argument, such as FILE, is no word that anybody types.
const Option* Command::find_option(std::string_view name) const {
  const Option* found = named(options_, name);
  return found == nullptr || found->is_argument() ? nullptr : found;
}
Option* Command::find_option(std::string_view name) {
  return const_cast<Option*>(std::as_const(*this).find_option(name));
}

bool Command::given(std::string_view option) const {
  const Option* found = find_option(option);
  return found != nullptr && found->given();
}

std::string Command::usage() const {
  std::string text = path();
  if (is_group()) return text + " COMMAND ...";
  const auto optional = [](const Option& o) { return !o.is_argument() && !o.is_required(); };
  if (std::any_of(options_.begin(), options_.end(), optional)) text += " [OPTIONS]";
  for (const Option& option : options_)
    if (!option.is_argument() && option.is_required()) text += " " + option.names().front() + " " + option.value_name();
  for (const Option& option : options_)
    if (option.is_argument()) text += option.is_required() ? " " + option.title() : " [" + option.title() + "]";
  return text;
}

Error Command::wrong(const std::string& what) const {
  return invalid_argument({}, what + ": see '" + path() + " --help'");
}

}  // namespace bloomery::cli
