// bloomery hash: the 64-bit hashes of keys, to compare implementations with.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string keys;
  HashOptions hash;
  bool nul = false;
};

Status hash_keys(const Options& o) {
  Result<Hasher> hasher = o.hash.hasher(HashId::fnv_splitmix);
  BLOOMERY_TRY(hasher);
  Result<io::File> keys = open_keys(o.keys);
  BLOOMERY_TRY(keys);
  const char delimiter = o.nul ? '\0' : '\n';
  Output out;
  std::vector<Hash> hashes;
  return for_each_batch(*keys, delimiter, [&](std::span<const std::string_view> batch, std::uint64_t) -> Status {
    hashes.resize(batch.size());
    hasher->hash_many(batch, hashes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      char digits[17];
      fmt::format_to_n(digits, sizeof digits, "{:016x}\t", hashes[i].bits);
      out.append({digits, sizeof digits});
      out.append(batch[i]);
      out.append(delimiter);
    }
    return out.flush();
  });
}

}  // namespace

void add_hash(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("hash", "Print the 64-bit hash of each key");
  o->hash.add_to(*command, "fnv_splitmix (default), xxh3, xxh64, siphash13 or siphash24");
  command->add_flag("-0", o->nul, "Keys and lines end in NUL instead of LF");
  command->add_option("KEYS", o->keys, "File of keys; standard input when none or '-'");
  command->callback([o, &status] {
    const Status done = hash_keys(*o);
    status = done.ok() ? kYes : fail(done.error());
  });
}

}  // namespace bloomery::cli
