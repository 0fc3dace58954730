// Completions for shells. The scripts are a few lines: they ask the command itself, which answers from its description.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace bloomery::cli {

// What may stand in place of the last word, a line each: the word, TAB, what it is for. ":file" stands for any file.
std::string completions(const Command& program, std::span<const std::string> words);

// For bash, zsh or fish; nothing for another shell.
std::optional<std::string> completion_script(std::string_view shell);

}  // namespace bloomery::cli
