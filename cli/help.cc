#include "cli/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/output.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kLeast = 40, kDefault = 80, kMost = 100;
constexpr std::size_t kExample = 16;  // columns before the rest of an example that is too long
constexpr std::size_t kTitles = 24;   // columns of the names, to the left of what they are for

int number_of(Stream stream) { return stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO; }

// Characters, not bytes: all but the continuation bytes of UTF-8, and but for colours.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  bool colour = false;
  for (const char c : text) {
    if (c == '\033') colour = true;
    if (!colour && (c & 0xc0) != 0x80) ++width;
    if (colour && c == 'm') colour = false;
  }
  return width;
}

// One line of text, broken between words.
void append_line(std::string& out, std::string_view line, std::size_t columns, std::size_t indent, std::size_t used) {
  bool first = true;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (!first && used + 1 + width_of(word) > columns) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
      first = true;
    }
    if (!first) out += ' ';
    out += word;
    used += width_of(word) + (first ? 0 : 1);
    first = false;
    line.remove_prefix(std::min(line.size(), word.size() + 1));
  }
}

// "  title      what it is for", which begins a line of its own when the title is long.
std::string row(const std::string& title, const std::string& help, std::size_t columns) {
  std::string text = "  " + title;
  text += text.size() + 2 > kTitles ? "\n" + std::string(kTitles, ' ') : std::string(kTitles - text.size(), ' ');
  append_line(text, help, columns, kTitles, kTitles);
  return text + "\n";
}

std::string rows_of(const Command& command, bool arguments, std::size_t columns) {
  std::string text;
  for (const Option& option : command.options())
    if (option.is_argument() == arguments) text += row(option.title(), option.help(), columns);
  return text;
}

}  // namespace

bool is_terminal(Stream stream) { return ::isatty(number_of(stream)) == 1; }

std::size_t terminal_columns(Stream stream) {
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(number_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefault;
  return std::clamp<std::size_t>(size.ws_col, kLeast, kMost);
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!out.empty()) out += std::string(line.empty() ? 0 : indent, ' ');
    const bool example = line.starts_with(' ') && (indent == 0 || !out.empty());
    if (example && width_of(line) <= columns) out += line;
    else if (example) append_line(out, line, columns, kExample, 0);
    else append_line(out, line, columns, indent, out.empty() ? 0 : indent);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    out += '\n';
    text.remove_prefix(1);
  }
  return out;
}

std::string fitted(std::string_view lines, Stream stream) {
  if (!is_terminal(stream)) return std::string(lines);
  const std::size_t columns = terminal_columns(stream);
  std::string out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += line.substr(0, indent);
    if (width_of(line) <= columns) out += line.substr(indent);
    else append_line(out, line.substr(indent), columns, indent + 2, indent);
    lines.remove_prefix(line.size());
    if (lines.empty()) break;
    out += '\n';
    lines.remove_prefix(1);
  }
  return out;
}

std::string help_of(const Command& command, std::size_t columns) {
  std::string text = wrapped(command.summary() + ".", columns) + "\n\n";
  text += tinted(Tint::heading, "Usage:") + " " + wrapped(command.usage(), columns - 7, 7) + "\n";
  if (!command.details().empty()) text += "\n" + wrapped(command.details(), columns) + "\n";
  if (command.is_group()) {
    text += "\n" + tinted(Tint::heading, "Commands:") + "\n";
    for (const Command& one : command.commands())
      if (!one.is_hidden()) text += row(one.name(), one.summary(), columns);
  }
  if (const std::string arguments = rows_of(command, true, columns); !arguments.empty())
    text += "\n" + tinted(Tint::heading, "Arguments:") + "\n" + arguments;
  return text + "\n" + tinted(Tint::heading, "Options:") + "\n" + rows_of(command, false, columns) +
         row("-h, --help", "Show this text", columns);
}

}  // namespace bloomery::cli
