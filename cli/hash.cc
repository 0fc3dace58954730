// bloomery hash: the 64-bit hashes of keys, to compare implementations with.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct HashArguments {
  KeyOptions keys;
  SpellingOptions spelling;
  HashOptions hash;
  bool json = false;
};

Status hash_keys(const HashArguments& o) {
  Result<Hasher> hasher = o.hash.hasher(HashId::fnv_splitmix);
  BLOOMERY_TRY(hasher);
  const Result<std::optional<Spelling>> spelling = o.spelling.given();
  BLOOMERY_TRY(spelling);
  KeyEncoder encoder(spelling->value_or(Spelling::text));
  Result<KeyFiles> keys = KeyFiles::open(o.keys);
  BLOOMERY_TRY(keys);
  const char delimiter = o.keys.format().delimiter;
  Output out;
  std::vector<Hash> hashes;
  Progress progress("hashing", keys->bytes());
  return keys->for_each_batch([&](auto batch, std::uint64_t read, const std::string& file) -> Status {
    if (!is_terminal()) progress.update(read);  // hashes on a terminal are progress enough
    const Result<std::span<const std::string_view>> values = encoder.encode(batch, file);
    BLOOMERY_TRY(values);
    hashes.resize(batch.size());
    hasher->hash_many(*values, hashes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (o.json) {
        out.append(JsonObject().put_bytes("key", batch[i]).put("hash", fmt::format("{:016x}", hashes[i].bits)).text());
        out.append('\n');
        continue;
      }
      char digits[17];
      for (unsigned digit = 0; digit < 16; ++digit)
        digits[digit] = "0123456789abcdef"[hashes[i].bits >> (60 - 4 * digit) & 15];
      digits[16] = '\t';
      out.append({digits, sizeof digits});
      out.append(batch[i]);
      out.append(delimiter);
    }
    return out.flush();
  });
}

}  // namespace

void add_hash(Command& program) {
  auto o = std::make_shared<HashArguments>();
  Command& command = program.add("hash", "Print the 64-bit hash of each key");
  command.details("A line a key: 16 hexadecimal digits, TAB, and the key. For comparing implementations.");
  o->hash.add_to(command, "fnv_splitmix (default), xxh3, xxh64, siphash13 or siphash24");
  o->spelling.add_to(command);
  o->keys.add_to(command, "Keys and lines end in NUL instead of LF");
  command.flag("--json", o->json, "A line of JSON for each key");
  o->keys.add_files_to(command);
  command.runs([o] { return exit_status(hash_keys(*o)); });
}

}  // namespace bloomery::cli
