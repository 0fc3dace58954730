// bloomery query: which of these keys may be present?
#include <memory>
#include <variant>

#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string file, keys;
  SecretOption secret;
  ParquetOptions parquet;
  bool nul = false, no_verify = false;
};

// The file, verified or not, and the view that answers.
struct Opened {
  std::variant<FilterFile, UnverifiedFile> file;

  const AnyView& view() const {
    if (const auto* mapped = std::get_if<UnverifiedFile>(&file)) return mapped->unverified_view();
    return std::get<FilterFile>(file).view();
  }
};

Result<Opened> open(const Options& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  if (o.no_verify) {
    Result<UnverifiedFile> mapped = UnverifiedFile::map(o.file, *options);
    BLOOMERY_TRY(mapped);
    return Opened{*std::move(mapped)};
  }
  Result<FilterFile> file = FilterFile::open(o.file, *options);
  BLOOMERY_TRY(file);
  return Opened{*std::move(file)};
}

Result<bool> all_present(const Options& o) {
  Result<KeyType> key_type = o.parquet.type();
  BLOOMERY_TRY(key_type);
  Result<Opened> filter = open(o);
  BLOOMERY_TRY(filter);
  Result<io::File> keys = open_keys(o.keys);
  BLOOMERY_TRY(keys);
  const char delimiter = o.nul ? '\0' : '\n';
  PlainKeys plain(*key_type, o.keys);
  // A filter that forgets cannot say that a key was never added.
  const std::string_view no = filter->view().forgets() ? "unseen\t" : "no\t";
  Output out;
  std::vector<std::uint8_t> answers;
  bool all = true;
  Status status =
      for_each_batch(*keys, delimiter, [&](std::span<const std::string_view> batch, std::uint64_t) -> Status {
        if (answers.size() < batch.size()) answers.resize(batch.size());
        Result<std::span<const std::string_view>> values = plain.encode(batch);
        BLOOMERY_TRY(values);
        filter->view().contains_many(*values, answers);
        for (std::size_t i = 0; i < batch.size(); ++i) {
          all = all && answers[i] != 0;
          out.append(answers[i] != 0 ? "maybe\t" : no);
          out.append(batch[i]);
          out.append(delimiter);
        }
        return out.flush();
      });
  BLOOMERY_TRY(status);
  return all;
}

}  // namespace

void add_query(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "query", "Tell which keys may be present: 'maybe' or 'no', a line a key ('unseen' of a kind that forgets)");
  o->secret.add_to(*command);
  o->parquet.add_with_key_type(*command, "The file is the filter of a Parquet column");
  command->add_flag("--no-verify", o->no_verify, "Map the file and check its header only");
  command->add_flag("-0", o->nul, "Keys and answers end in NUL instead of LF");
  command->add_option("FILE", o->file, "The filter file")->required();
  command->add_option("KEYS", o->keys, "File of keys; standard input when none or '-'");
  command->callback([o, &status] {
    const Result<bool> all = all_present(*o);
    status = !all.ok() ? fail(all.error()) : *all ? kYes : kNo;
  });
}

}  // namespace bloomery::cli
