#include "cli/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/io/atomic_file.h"

namespace bloomery::cli {
namespace {

constexpr int kWidth = 760, kMargin = 20, kLine = 22, kNames = 250, kValues = 90;

// Escapes text for elements and for values of attributes. What XML cannot hold, and a file name can, is shown as "?".
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20) out += '?';
    else out += c;
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

std::string box(double x, double y, double width, double height, const char* colour) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y, width,
                     height, colour);
}

// Title and legend around the body; the colours of text follow the reader's light or dark page.
std::string framed(const std::string& title, const std::string& body, const std::string& legend, int height) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
             "font-size=\"13\" role=\"img\" aria-label=\"{}\">\n"
             "<style>text{{fill:#222}}@media(prefers-color-scheme:dark){{text{{fill:#ddd}}}}</style>\n",
             kWidth, height, escaped(title)) +
         text_at(kMargin, kMargin + 4, title) + body + text_at(kMargin, height - kMargin / 2.0, legend) + "</svg>\n";
}

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<Bar>& bars, const std::string& legend) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max({most, bar.value, bar.mark});
  const double room = kWidth - 2 * kMargin - kNames - kValues, left = kMargin + kNames;
  std::string body;
  double y = 2 * kMargin;
  for (const Bar& bar : bars) {
    const double length = most > 0 ? room * bar.value / most : 0;
    body += text_at(left - 8, y + 14, bar.name, "end") + box(left, y + 3, std::max(length, 1.0), kLine - 8, "#3b7dd8");
    if (bar.mark > 0) body += box(left + room * bar.mark / most - 1, y, 2, kLine - 2, "#d9822b");
    body += text_at(left + std::max(length, most > 0 ? room * bar.mark / most : 0) + 8, y + 14, bar.value_text);
    y += kLine;
  }
  return framed(title, body, legend, static_cast<int>(y) + 2 * kMargin);
}

std::string column_picture(const std::string& title, const std::vector<double>& columns, const std::string& legend) {
  constexpr double kHeight = 160, kTop = 2 * kMargin;
  const double width =
      static_cast<double>(kWidth - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
  std::string body = box(kMargin, kTop + kHeight / 2, kWidth - 2 * kMargin, 1, "#999");  // a half
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double height = kHeight * columns[i];
    body += box(kMargin + width * static_cast<double>(i), kTop + kHeight - height, width - 1, height, "#3b7dd8");
  }
  return framed(title, body, legend, static_cast<int>(kTop + kHeight) + 2 * kMargin);
}

Status save_picture(const std::string& path, const std::string& svg) {
  Result<io::AtomicFile> file = io::AtomicFile::create(path);
  BLOOMERY_TRY(file);
  BLOOMERY_TRY(file->write({reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size()}));
  return file->commit();
}

}  // namespace bloomery::cli
