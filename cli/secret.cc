// bloomery secret: a fresh secret for a keyed hash, in a file that nobody else may read.
#include <cerrno>
#include <memory>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/output.h"
#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/sys.h"

namespace bloomery::cli {
namespace {

std::string hex_line(const Secret& secret) {
  std::string line;
  for (const std::uint8_t byte : secret.bytes()) {
    line += "0123456789abcdef"[byte >> 4];
    line += "0123456789abcdef"[byte & 15];
  }
  return line + "\n";
}

// A file that is there stays: filters may need the secret in it.
Status write_secret(const std::string& path) {
  const Result<Secret> secret = Secret::random();
  BLOOMERY_TRY(secret);
  const int fd = io::sys_open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0 && errno == EEXIST)
    return Error{ErrorCode::io, "is there already, and filters may need the secret in it: name another file", path, {}};
  if (fd < 0) return io::io_error(path, "create", errno);
  io::File file = io::File::adopted(fd, path);
  const std::string line = hex_line(*secret);
  Status written = file.write_all({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
  if (written.ok() && io::sys_fsync(fd) != 0) written = io::io_error(path, "sync", errno);
  if (!written.ok()) io::sys_unlink(path.c_str());
  return written;
}

}  // namespace

void add_secret(Command& program) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Command& command = program.add("secret", "Write a fresh secret for siphash13 and siphash24 to a file");
  command.details(
      "16 bytes of the system's random numbers as 32 hexadecimal digits, for --secret of the other commands. FILE gets "
      "mode 0600 and must not be there yet. The secret is printed nowhere: keep a copy of the file where you keep "
      "secrets, since a keyed filter answers nobody without it.");
  command.option("-o,--output", "FILE", path.get(), "The file to write").required();
  command.flag("--json", *json, "One line of JSON, without the secret");
  command.runs([path, json] {
    const Status written = write_secret(*path);
    if (written.ok() && *json) summarize(JsonObject().put("file", *path).text() + "\n", *path);
    return exit_status(written);
  });
}

}  // namespace bloomery::cli
