// bloomery merge and convert: filter files in, a filter file out.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/records.h"
#include "cli/replace.h"
#include "core/base/error.h"
#include "format/records.h"

namespace bloomery::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> inputs;
  std::string output;
  SecretOption secret;
  bool intersect = false, json = false;
};

struct ConvertOptions {
  std::string input, output, to, kind;
  SecretOption secret;
  bool json = false;
};

Result<FilterFile> open(const std::string& path, const SecretOption& secret) {
  Result<OpenOptions> options = secret.open_options();
  BLOOMERY_TRY(options);
  return open_filter(path, *options);
}

// Takes the lock of the output. Take it before the inputs are read, because the output may be one of them.
Result<io::FileLock> lock_output(const std::string& output, const SecretOption& secret) {
  BLOOMERY_TRY(refuse_secret_as_output(secret.file, output));
  return io::FileLock::take(output);
}

template <class... Contents>
Status write(const std::string& output, const AnyView& view, const Contents&... contents) {
  return write_filter(view.payload().size(), [&] { return save(output, view, contents...); });
}

// What was written, for programs; people see the file.
Status report(const std::string& output, const AnyView& view, Format format, std::optional<std::uint64_t> keys,
              bool json) {
  if (!json) return {};
  std::error_code ignored;
  JsonObject line;
  line.put("file", output)
      .put("kind", to_string(view.kind()))
      .put("format", to_string(format))
      .put("keys", keys)
      .put("bytes", std::uint64_t{std::filesystem::file_size(output, ignored)});
  summarize(line.text() + "\n", output);
  return {};
}

Status merge(const MergeOptions& o) {
  const Result<io::FileLock> lock = lock_output(o.output, o.secret);
  BLOOMERY_TRY(lock);
  Result<FilterFile> first = open(o.inputs.front(), o.secret);
  BLOOMERY_TRY(first);
  Result<AnyFilter> merged = copy_filter(*first, o.inputs.front());
  BLOOMERY_TRY(merged);
  Format format = first->info().format;
  format::MergedRecords records;
  for (int i = 0; i < 2; ++i) BLOOMERY_TRY(records.add(first->info().records));  // a merge of one drops its label too
  for (std::size_t i = 1; i < o.inputs.size(); ++i) {
    Result<FilterFile> next = open(o.inputs[i], o.secret);
    BLOOMERY_TRY(next);
    if (next->info().format == Format::envelope) format = Format::envelope;
    if (Status same = records.add(next->info().records); !same.ok())
      return in_file(std::move(same).error(), o.inputs[i]);
    Result<AnyFilter> other = copy_filter(*next, o.inputs[i]);
    BLOOMERY_TRY(other);
    Status status = o.intersect ? merged->intersect(*other) : merged->merge(*other);
    if (!status.ok()) return in_file(std::move(status).error(), o.inputs[i]);
  }
  BLOOMERY_TRY(write_filter(merged->view().payload().size(),
                            [&] { return save_merged(o.output, *merged, format, records.records()); }));
  return report(o.output, merged->view(), format, merged->key_count(), o.json);
}

// The counters that are not 0 are the bits of the classic filter; no other kind holds what another one needs.
Result<AnyFilter> as_kind(const FilterFile& file, const std::string& name) {
  Result<Kind> kind = parse_kind(name);
  BLOOMERY_TRY(kind);
  Result<AnyFilter> filter = file.copy();
  if (!filter.ok() || file.info().kind == *kind) return filter;
  const auto* counting = std::get_if<CountingFilter>(&filter->variant());
  if (counting == nullptr || *kind != Kind::classic)
    return unsupported("kind", fmt::format("{} filters cannot become {} filters, only counting ones classic: build it "
                                           "from the keys",
                                           to_string(file.info().kind), name));
  Result<ClassicFilter> classic = to_classic(*counting);
  BLOOMERY_TRY(classic);
  return AnyFilter(*std::move(classic));
}

Status convert(const ConvertOptions& o) {
  const Result<io::FileLock> lock = lock_output(o.output, o.secret);
  BLOOMERY_TRY(lock);
  Result<FilterFile> file = open(o.input, o.secret);
  BLOOMERY_TRY(file);
  Format to = file->info().format == Format::raw || !o.kind.empty() ? Format::envelope : Format::raw;
  if (o.to == "raw") to = Format::raw;
  else if (o.to == "envelope") to = Format::envelope;
  else if (!o.to.empty()) return invalid_argument("to", fmt::format("--to is '{}': give raw or envelope", o.to));
  if (o.kind.empty()) {
    if (to == Format::envelope)
      BLOOMERY_TRY(write(o.output, file->view(), file->info().key_count, file->info().rewrite_options()));
    else BLOOMERY_TRY(write(o.output, file->view(), to, file->info().key_count));
    return report(o.output, file->view(), to, file->info().key_count, o.json);
  }
  Result<AnyFilter> filter = as_kind(*file, o.kind);
  if (!filter.ok()) return in_file(std::move(filter).error(), o.input);
  BLOOMERY_TRY(write_filter(filter->view().payload().size(),
                            [&] { return save_merged(o.output, *filter, to, file->info().records.after_change()); }));
  return report(o.output, filter->view(), to, filter->key_count(), o.json);
}

void add_output(Command& command, std::string& output) {
  command.option("-o,--output", "FILE", &output, "The file to write; it appears whole or not at all").required();
}

}  // namespace

void add_merge(Command& program) {
  auto o = std::make_shared<MergeOptions>();
  Command& command = program.add("merge", "Combine filters of one kind and size: the filter of all their keys");
  command.details(
      "The filters have one geometry and hash (quotient: equally long fingerprints). The output may be "
      "one of the inputs.");
  command.flag("--intersect", o->intersect, "Keep what all have instead");
  o->secret.add_to(command);
  command.flag("--json", o->json, "One line of JSON");
  add_output(command, o->output);
  command.argument("FILE", &o->inputs, "Filter files; an envelope among them makes the result one").required();
  command.runs([o] { return exit_status(merge(*o)); });
}

void add_convert(Command& program) {
  auto o = std::make_shared<ConvertOptions>();
  Command& command =
      program.add("convert", "Turn a raw classic file into an envelope, or back; a counting filter into a classic one");
  command.details(
      "An envelope has checksums, a raw file has none. With --kind classic a counting filter becomes "
      "the classic filter of the same keys.");
  command.option("--to", "FORMAT", &o->to, "raw or envelope (default: the one it is not; with --kind, envelope)")
      .choices({"raw", "envelope"});
  command.option("--kind", "K", &o->kind, "classic: turn a counting filter into the classic filter of its keys")
      .choices({"classic"});
  o->secret.add_to(command);
  command.flag("--json", o->json, "One line of JSON");
  add_output(command, o->output);
  command.argument("FILE", &o->input, "The filter file").required();
  command.runs([o] { return exit_status(convert(*o)); });
}

}  // namespace bloomery::cli
