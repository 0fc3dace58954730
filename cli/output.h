// Standard output through one buffer, with its errors noticed; and lines for people, whose errors are not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/result.h"

namespace bloomery::cli {

// Appends to a buffer that is kept between flushes, so that steady output allocates nothing.
class Output {
 public:
  void append(std::string_view text) { buffer_.append(text); }
  void append(char c) { buffer_.push_back(c); }
  // Writes everything; an error when standard output is full or gone.
  Status flush();

 private:
  std::string buffer_;
};

// Text with the colour of what it is, where the stream is a terminal that shows colours: not when NO_COLOR is set, nor
// when TERM is dumb. Elsewhere the text alone.
enum class Tint : std::uint8_t { heading, error, warning };
enum class Stream : std::uint8_t { output, error };
std::string tinted(Tint tint, const std::string& text, Stream stream = Stream::output);

// Text on standard error, for people. When that is closed, full or gone, the text is dropped: no command fails for it.
void tell(std::string_view text);

// The lines on standard output that say what was written to `file`. That they cannot be printed is told, and no
// failure: what was asked for is in the file.
void summarize(std::string_view lines, const std::string& file);

// A number of bytes; for people at a terminal with its size in units beside it: "94372992 (94.4 MB)".
std::string with_size(std::uint64_t bytes);
// That number in a sentence: "94372992 bytes", "94372992 bytes (94.4 MB)".
std::string bytes_text(std::uint64_t bytes);
// How fast it went: "0.0478 s, 2.1 M keys/s".
std::string speed_text(double seconds, std::uint64_t count, const char* what);

}  // namespace bloomery::cli
