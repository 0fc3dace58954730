#include "cli/man.h"

#include <cctype>

#include "bloomery/version.h"
#include "cli/topics.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples[] = {
    "printf 'key%d\\n' $(seq 0 999) | bloomery build --fpr 0.01 -o k.blm",
    "printf 'key1\\nother\\n' | bloomery query k.blm",
    "bloomery plan --current 10M --growth 30%/y --rebuild 1mo --fpr 0.001",
    "printf 'anna\\t42\\nnils\\t7\\n' | bloomery table build -o users.blt",
    "bloomery table get users.blt anna",
    "bloomery build --kind iblt --differences 1000 -o mine.blm keys",
    "bloomery set-diff mine.blm theirs.blm",
};

// The text as roff prints it: hyphens stay, backslashes too, and no line is taken for a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fP"; }

// Paragraphs; lines that begin with a space are shown as they are.
std::string paragraphs(std::string_view text) {
  std::string out;
  bool verbatim = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool example = line.starts_with(' ');
    if (example != verbatim) out += example ? ".nf\n" : ".fi\n";
    verbatim = example;
    out += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  return verbatim ? out + ".fi\n" : out;
}

std::string option_entry(const Option& option) {
  std::string title;
  for (const std::string& name : option.names()) title += (title.empty() ? "" : ", ") + bold(name);
  if (!option.value_name().empty()) title += " \\fI" + escaped(option.value_name()) + "\\fP";
  std::string text = ".TP\n" + title + "\n" + escaped(option.help());
  if (!option.choices().empty() && option.help().find(option.choices().back()) == std::string::npos) {
    std::string words;
    for (const std::string& word : option.choices()) words += (words.empty() ? ": " : ", ") + word;
    text += escaped(words);
  }
  return text + "\n";
}

template <class Use>
void for_each_command(const Command& command, Use use) {
  for (const Command& one : command.commands()) {
    if (one.is_hidden()) continue;
    if (one.is_group()) for_each_command(one, use);
    else use(one);
  }
}

std::string section(const Command& command) {
  std::string text = ".SS " + escaped(command.path().substr(command.path().find(' ') + 1)) + "\n";
  text += bold(command.usage()) + "\n.PP\n" + escaped(command.summary()) + ".\n";
  if (!command.details().empty()) text += ".PP\n" + paragraphs(command.details());
  for (const Option& option : command.options()) text += option_entry(option);
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string man_page(const Command& program) {
  std::string page = ".TH BLOOMERY 1 \"\" \"bloomery " + std::string(version()) + "\" \"User Commands\"\n";
  page += ".SH NAME\nbloomery \\- filters that answer: is this key definitely absent?\n.SH SYNOPSIS\n";
  for_each_command(program, [&](const Command& command) { page += bold(command.usage()) + "\n.br\n"; });
  page += ".SH DESCRIPTION\n" + paragraphs(topics().front().text) + ".SH COMMANDS\n";
  page += "Every command has \\fB\\-\\-help\\fP.\n";
  for_each_command(program, [&](const Command& command) { page += section(command); });
  for (const Topic& topic : topics().subspan(1))
    page += ".SH " + upper(escaped(topic.title)) + "\n" + paragraphs(topic.text);
  page += ".SH EXAMPLES\n.nf\n";
  for (const char* example : kExamples) page += escaped(example) + "\n";
  return page + ".fi\n";
}

}  // namespace bloomery::cli
