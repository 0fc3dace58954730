// Standard output through one buffer, with its errors noticed; lines for people, whose errors are not; and a progress
// bar for terminals.
#pragma once

#include <chrono>
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

// A line on standard error that is redrawn while work goes on. Silent when that is no terminal, and for short work.
class Progress {
 public:
  // total: bytes, or steps of any other kind; 0 when nobody knows.
  enum class Unit : std::uint8_t { bytes, steps };
  Progress(std::string what, std::uint64_t total, Unit unit = Unit::bytes);
  ~Progress();

  void update(std::uint64_t done);

 private:
  std::string what_;
  std::uint64_t total_;
  Unit unit_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, next_;
};

}  // namespace bloomery::cli
