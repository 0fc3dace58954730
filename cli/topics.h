// What `bloomery help TOPIC` prints, which stands in the man page too.
#pragma once

#include <span>
#include <string>

namespace bloomery::cli {

struct Topic {
  std::string name;   // "exit-status"
  std::string title;  // "Exit status"
  std::string text;   // paragraphs; lines that begin with a space are examples
};

std::span<const Topic> topics();

}  // namespace bloomery::cli
