// bloomery query: which of these keys may be present?
#include <fmt/format.h>

#include <memory>
#include <variant>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/progress.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct QueryArguments {
  std::string file, only;
  std::vector<std::string> given_keys;
  KeyOptions keys;
  SpellingOptions spelling;
  SecretOption secret;
  ParquetOptions parquet;
  bool no_verify = false, count = false, invert = false, json = false;

  // Whether some answers are asked for and the others left out.
  bool selects() const { return count || invert || !only.empty(); }
  // Whether an answer is one of those asked for.
  bool matches(bool maybe) const { return (maybe == (only != "no")) != invert; }
};

// The file, verified or not, and the view that answers.
struct Opened {
  std::variant<FilterFile, UnverifiedFile> file;

  const AnyView& view() const {
    if (const auto* mapped = std::get_if<UnverifiedFile>(&file)) return mapped->unverified_view();
    return std::get<FilterFile>(file).view();
  }
  const FileInfo& info() const {
    return std::visit([](const auto& one) -> const FileInfo& { return one.info(); }, file);
  }
};

Result<Opened> open(const QueryArguments& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  if (o.no_verify) {
    Result<UnverifiedFile> mapped = UnverifiedFile::map(o.file, *options);
    BLOOMERY_TRY(mapped);
    return Opened{*std::move(mapped)};
  }
  Result<FilterFile> file = open_filter(o.file, *options, "query it in place with --no-verify");
  BLOOMERY_TRY(file);
  return Opened{*std::move(file)};
}

// Asks a filter about batches of keys and prints the answers.
class Asker {
 public:
  Asker(const QueryArguments& o, const AnyView& view, KeyEncoder encoder)
      : o_(o),
        view_(view),
        encoder_(std::move(encoder)),
        no_(view.forgets() ? "unseen" : "no"),  // a filter that forgets cannot say that a key was never added
        delimiter_(o.keys.format().delimiter) {}

  Status ask(std::span<const std::string_view> keys, const std::string& file) {
    if (answers_.size() < keys.size()) answers_.resize(keys.size());
    Result<std::span<const std::string_view>> values = encoder_.encode(keys, file);
    BLOOMERY_TRY(values);
    view_.contains_many(*values, answers_);
    for (std::size_t i = 0; i < keys.size(); ++i) print(keys[i], answers_[i] != 0);
    return out_.flush();
  }
  // Prints the number with --count. What it returns decides the exit status.
  Result<bool> finish() {
    if (!o_.selects()) return all_;
    if (o_.count && o_.json) out_.append(JsonObject().put("matched", matched_).put("asked", asked_).text() + "\n");
    else if (o_.count) out_.append(fmt::format("{}\n", matched_));
    BLOOMERY_TRY(out_.flush());
    return matched_ > 0;
  }

 private:
  void print(std::string_view key, bool maybe) {
    all_ = all_ && maybe;
    ++asked_;
    if (o_.selects() && !o_.matches(maybe)) return;
    ++matched_;
    if (o_.count) return;
    if (o_.json) return print_json(key, maybe);
    if (!o_.selects()) {
      out_.append(maybe ? "maybe" : no_);
      out_.append('\t');
    }
    out_.append(key);
    out_.append(delimiter_);
  }

  void print_json(std::string_view key, bool maybe) {
    out_.append(JsonObject().put_bytes("key", key).put("answer", maybe ? "maybe" : no_).text());
    out_.append('\n');
  }

  const QueryArguments& o_;
  const AnyView& view_;
  KeyEncoder encoder_;
  std::string_view no_;
  char delimiter_;
  Output out_;
  std::vector<std::uint8_t> answers_;
  std::uint64_t asked_ = 0, matched_ = 0;
  bool all_ = true;
};

Result<bool> query(const QueryArguments& o) {
  if (!o.only.empty() && o.only != "maybe" && o.only != "no")
    return invalid_argument("only", fmt::format("--only is '{}': give maybe or no", o.only));
  if (!o.given_keys.empty() && !o.keys.files.empty())
    return invalid_argument("key", "--key and KEYS exclude each other: give one");
  BLOOMERY_TRY(o.parquet.type());
  Result<Opened> filter = open(o);
  BLOOMERY_TRY(filter);
  Result<KeyEncoder> encoder = o.spelling.encoder_for(filter->info().records, o.parquet);
  if (!encoder.ok()) return in_file(std::move(encoder).error(), o.file);
  Asker asker(o, filter->view(), *std::move(encoder));
  if (!o.given_keys.empty()) {
    BLOOMERY_TRY(asker.ask(std::vector<std::string_view>(o.given_keys.begin(), o.given_keys.end()), "--key"));
    return asker.finish();
  }
  Result<KeyFiles> keys = KeyFiles::open(o.keys);
  BLOOMERY_TRY(keys);
  Progress progress("asking", keys->bytes());
  BLOOMERY_TRY(keys->for_each_batch([&](auto batch, std::uint64_t read, const std::string& file) {
    if (!is_terminal()) progress.update(read);  // answers on a terminal are progress enough
    return asker.ask(batch, file);
  }));
  return asker.finish();
}

}  // namespace

void add_query(Command& program) {
  auto o = std::make_shared<QueryArguments>();
  Command& command = program.add(
      "query", "Tell which keys may be present: 'maybe' or 'no', a line a key ('unseen' of a kind that forgets)");
  command.details(
      "Prints 'maybe' or 'no', TAB, and the key, for each key in order. Of a stable filter, which forgets, 'unseen' "
      "takes the place of 'no': the key was not added lately, and may have been added before. Exit status 0 when every "
      "key may be present, 1 when some is absent.\n\n"
      "With --only, --invert or --count some answers match: those of --only (maybe unless given), or with --invert the "
      "others. The keys that match are printed alone, or with --count their number. Exit status 0 when some key "
      "matched, 1 when none did.");
  command.option("--key", "KEY", &o->given_keys, "Ask for this key, instead of KEYS; may be given again");
  command.option("--only", "ANSWER", &o->only, "Print the keys of this answer alone: maybe or no")
      .choices({"maybe", "no"});
  command.flag("--invert", o->invert, "Print the keys of the other answer");
  command.flag("--count", o->count, "Print how many keys match, instead of the keys");
  command.flag("--json", o->json, "A line of JSON for each key");
  o->spelling.add_with_force(command);
  o->secret.add_to(command);
  o->parquet.add_with_key_type(command, "The file is the filter of a Parquet column");
  command.flag("--no-verify", o->no_verify, "Map the file and check its header only");
  o->keys.add_to(command, "Keys and answers end in NUL instead of LF");
  command.argument("FILE", &o->file, "The filter file").required();
  o->keys.add_files_to(command);
  command.runs([o] { return exit_status(query(*o)); });
}

}  // namespace bloomery::cli
