// Pictures as SVG, for `inspect --picture` and `bench --plot`. Text takes the colour of the page, so that they can be
// looked at on light and dark ones.
#pragma once

#include <string>
#include <vector>

#include "bloomery/result.h"

namespace bloomery::cli {

// A bar: its name to the left, its value to the right, and a mark of what it is held to (0: none).
struct Bar {
  std::string name, value_text;
  double value = 0, mark = 0;
};

// Bars from left to right, with a line of text above.
std::string bar_chart(const std::string& title, const std::vector<Bar>& bars, const std::string& legend);

// Columns from 0 to 1, side by side.
std::string column_picture(const std::string& title, const std::vector<double>& columns, const std::string& legend);

// Writes a picture; it appears whole or not at all.
Status save_picture(const std::string& path, const std::string& svg);

}  // namespace bloomery::cli
