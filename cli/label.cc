// bloomery label: the name that a filter file has for people.
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/replace.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct LabelArguments {
  std::string file;
  std::optional<std::string> text;
  bool remove = false, json = false;
};

std::string json_line(const std::string& file, const std::optional<std::string>& label) {
  return JsonObject().put("file", file).put("label", label).text() + "\n";
}

// For a filter it reads the header alone, so that a file of any size answers at once.
Result<FileInfo> info_of(const std::string& path) {
  OpenOptions without;
  without.without_secret = true;
  if (is_iblt(path)) {
    const Result<IbltFile> file = open_iblt(path, without);
    BLOOMERY_TRY(file);
    return file->info;
  }
  const Result<UnverifiedFile> file = UnverifiedFile::map(path, without);
  BLOOMERY_TRY(file);
  return file->info();
}

// Prints it; false when there is none.
Result<bool> show(const LabelArguments& o) {
  const Result<FileInfo> info = info_of(o.file);
  BLOOMERY_TRY(info);
  const std::optional<std::string>& label = info->records.label;
  if (o.json) fmt::print("{}", json_line(o.file, label));
  else if (label) fmt::print("{}\n", *label);
  return label.has_value();
}

Result<bool> change(const LabelArguments& o) {
  const Result<io::FileLock> lock = io::FileLock::take(o.file);
  BLOOMERY_TRY(lock);
  BLOOMERY_TRY(write_filter(2 * size_of_file(o.file), [&] { return set_label(o.file, o.text); }));
  if (o.json) summarize(json_line(o.file, o.text), o.file);
  return true;
}

Result<bool> label(const LabelArguments& o, const Command& command) {
  if (o.text && o.remove) return command.wrong("TEXT and --remove exclude each other: give one");
  return o.text || o.remove ? change(o) : show(o);
}

}  // namespace

void add_label(Command& program) {
  auto o = std::make_shared<LabelArguments>();
  Command& command = program.add("label", "Show, set or remove the name that a filter file has for people");
  command.details(
      "Without TEXT it prints the label; exit status 1 when there is none. With TEXT, at most 255 bytes of UTF-8 "
      "without control characters, the file is written anew with that label, and appears whole or not at all: its "
      "bits, and all else that it says of itself, stay as they are. Only an envelope has a label.");
  command.flag("--remove", o->remove, "Remove the label");
  command.flag("--json", o->json, "One line of JSON");
  command.argument("FILE", &o->file, "The filter file").required();
  command.argument("TEXT", &o->text, "The label to set");
  command.runs([o, &command] { return exit_status(label(*o, command)); });
}

}  // namespace bloomery::cli
