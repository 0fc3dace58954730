// Text for people: what --help prints, and lines that fit the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/output.h"

namespace bloomery::cli {

// Whether a standard stream is a terminal; and its columns, 80 when it is none.
bool is_terminal(Stream stream = Stream::output);
std::size_t terminal_columns(Stream stream = Stream::output);
inline constexpr std::size_t kUnlimited = 1000;  // columns of what is no terminal

// The text in lines of at most `columns`, those after the first behind `indent` spaces; words are not cut. An empty
// line, and one that begins with a space (an example), stays as it is.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0);

// Lines as they are; on a terminal, those that are wider than it broken between words, the rest behind two more spaces.
std::string fitted(std::string_view lines, Stream stream = Stream::output);

std::string help_of(const Command& command, std::size_t columns);

}  // namespace bloomery::cli
