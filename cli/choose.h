// Which kind for which need (bloomery/choose.h), as text: what `bloomery plan` says below its table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/choose.h"

namespace bloomery::cli {

std::vector<Choice> choices(std::uint64_t n, double fpr);

// The lines below the table, of at most `columns`: the choices, what no filter can beat, and what no filter is for.
std::string choices_text(std::uint64_t n, double fpr, std::size_t columns);

}  // namespace bloomery::cli
