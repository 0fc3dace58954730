// The man page, made from the description of the program and the topics of its help.
#pragma once

#include <string>

#include "cli/command.h"

namespace bloomery::cli {

// Returns the man page in the man macros of roff.
std::string man_page(const Command& program);

}  // namespace bloomery::cli
