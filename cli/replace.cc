#include "cli/replace.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/keys.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

Status refuse(bool same, const char* what, const std::string& output) {
  if (!same) return {};
  return in_file(
      invalid_argument("output",
                       fmt::format("is the file of {} itself, which would be replaced: name another file", what)),
      output);
}

}  // namespace

Status refuse_keys_as_output(std::span<const std::string> keys, const std::string& output) {
  const io::File standard_input = io::File::borrowed(STDIN_FILENO, "standard input");
  bool same = keys.empty() && standard_input.is_at(output);
  for (const std::string& path : keys)
    same = same || (is_standard_input(path) ? standard_input.is_at(output) : io::same_file(path, output));
  return refuse(same, "keys", output);
}

Status refuse_secret_as_output(const std::string& secret, const std::string& output) {
  return refuse(!secret.empty() && io::same_file(secret, output), "the secret", output);
}

}  // namespace bloomery::cli
