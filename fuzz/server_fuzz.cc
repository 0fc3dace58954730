// Bytes as what a client or a file may hand to the module: parts of LOADCHUNK, files of IMPORT, values of an RDB (which
// RESTORE loads as well). Sums are put right first where the input says so, so that the checks behind them are reached.
// What is accepted is then used by every command that reads or changes it, saved, loaded again, moved and copied.
//
// BLOOMERY_FUZZ_DOOR=loadchunk, import or rdb tries one of the doors alone.
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash.h"
#include "fuzz/fake_server.h"
#include "fuzz/fuzz.h"

namespace {

using namespace bloomery;
using namespace bloomery::server;

struct Family {
  std::string prefix, type;
  char letter;
};
const std::array<Family, 3> kFamilies = {Family{"BF", "blm-bloom", 'B'}, Family{"CF", "blm-cucko", 'C'},
                                         Family{"BLM", "blm-filtr", 'F'}};

std::string number_bytes(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

// A header with its magic, version, kind and sum.
std::string repaired_header(const Family& family, const std::string& fields) {
  std::string header = "BLMV";
  header += '\1';
  header += family.letter;
  header += fields;
  return header + number_bytes(Hasher::xxh3()(header).bits);
}

// Every command of the family on the key. A refused input leaves no key: of those, one in 16 sees the commands without
// it, because that is most of the time of a refusal and always the same.
void use_key(const Family& family) {
  static unsigned refusals = 0;
  if (!fake::has("k") && ++refusals % 16 != 0) return;
  const std::string& p = family.prefix;
  if (p == "BLM") {
    fake::call({p + ".EXISTS", "k", "1", "2"});
    fake::call({p + ".HASHES", "k", "12345678abcdefgh"});
    fake::call({p + ".ADD", "k", "1", "2", "3"});
    fake::call({p + ".ADDHASH", "k", "12345678"});
    fake::call({p + ".DEL", "k", "1"});
    fake::call({p + ".DELHASH", "k", "12345678"});
    fake::call({p + ".COUNT", "k", "2"});
    fake::call({p + ".ROTATE", "k"});
    fake::call({p + ".MERGE", "k2", "k"});
    fake::call({p + ".OVERLAP", "k", "k2"});
    fake::call({p + ".EXPORT", "k"});
    fake::call({p + ".HASHER", "k"});
    fake::context_flags |= kFlagReplicated;  // what a primary says is done to a keyed filter, too
    fake::call({p + ".ADDHASH", "k", "12345678"});
    fake::call({p + ".DELHASH", "k", "12345678"});
    fake::call({p + ".MERGE", "k3", "k", "k"});
    fake::call({p + ".ROTATE", "k"});
    fake::context_flags = kFlagMulti;
  } else {
    fake::call({p + ".EXISTS", "k", "a"});
    fake::call({p + ".MEXISTS", "k", "a", "b"});
    fake::call({p + (p == "BF" ? ".MADD" : ".ADD"), "k", "a"});
    if (p == "CF")
      fake::call({"CF.DEL", "k", "a"}), fake::call({"CF.COMPACT", "k"}), fake::call({"CF.COUNT", "k", "a"});
    fake::call({p + ".DEBUG", "k"});
  }
  // BLM.INFO asks thousands of questions: a sixteenth of the inputs has it answered.
  static unsigned inputs = 0;
  if (p != "BLM" || ++inputs % 16 == 0) fake::call({p + ".INFO", "k"});
  fake::call({p + ".SCANDUMP", "k", "0"});
  fake::call({p + ".SCANDUMP", "k", std::to_string(fake::reply.number)});  // the part after the header
}

// What a value is saved as can be loaded again, and is then saved as the same.
void check_round_trip(const Family& family, void* value) {
  TypeMethods& methods = fake::methods(family.type);
  Io saved;
  methods.rdb_save(&saved, value);
  Io reading;
  reading.strings = saved.strings, reading.numbers = saved.numbers;
  void* again = methods.rdb_load(&reading, 1);
  FUZZ_CHECK(again != nullptr);
  methods.defrag(nullptr, nullptr, &again);  // every piece moves
  Io twice;
  methods.rdb_save(&twice, again);
  FUZZ_CHECK(twice.strings == saved.strings && twice.numbers == saved.numbers);
  void* const copied = methods.copy(nullptr, nullptr, again);
  FUZZ_CHECK(copied != nullptr);
  FUZZ_CHECK(methods.mem_usage(copied) > 0 && methods.free_effort(nullptr, copied) > 0);
  methods.free(copied);
  methods.free(again);
}

void load_chunks(const Family& family, bool repair, const std::string& first, const std::string& rest) {
  const std::string load = family.prefix + ".LOADCHUNK";
  fake::call({load, "k", "1", repair ? repaired_header(family, first) : first});
  const std::uint64_t end = rest.size();
  const std::string sum = number_bytes(Hasher::xxh3(end)(rest).bits);
  fake::call({load, "k", std::to_string(1 + end), repair ? rest + sum : rest});
  use_key(family);
}

void import_file(bool repair, std::uint8_t how, const std::string& first, const std::string& rest) {
  std::vector<std::uint8_t> file(rest.begin(), rest.end());
  if (repair) {
    if (file.size() < fuzz::kHeader) file.resize(fuzz::kHeader);
    fuzz::repair_envelope(file, how);
  }
  const std::string bytes(file.begin(), file.end());
  const std::size_t cut = first.empty() ? 0 : static_cast<std::uint8_t>(first[0]) % (bytes.size() + 1);
  const std::string total = std::to_string(bytes.size());
  fake::call({"BLM.IMPORT", "k", "0", total, bytes.substr(0, cut)});
  fake::call({"BLM.IMPORT", "k", std::to_string(cut), total, bytes.substr(cut)});
  use_key(kFamilies[2]);
}

void load_rdb(const Family& family, bool repair, const std::string& first, const std::string& rest) {
  Io io;
  io.repair_sum = repair;
  io.strings.push_back(repair ? repaired_header(family, first) : first);
  io.numbers.push_back(0);
  for (std::size_t at = 0; at + 2 <= rest.size();) {  // pieces with their lengths before them
    const std::size_t size =
        static_cast<std::uint8_t>(rest[at]) + 256 * std::size_t{static_cast<std::uint8_t>(rest[at + 1])};
    io.strings.push_back(rest.substr(at + 2, size));
    at += 2 + size;
  }
  void* value = fake::methods(family.type).rdb_load(&io, 1);
  if (value == nullptr) return;
  check_round_trip(family, value);
  fake::methods(family.type).defrag(nullptr, nullptr, &value);  // what is asked then lies elsewhere
  fake::put("k", family.type, value);
  use_key(family);
}

// The door that the environment names.
std::optional<int> door() {
  static const std::optional<int> named = []() -> std::optional<int> {
    const char* const name = std::getenv("BLOOMERY_FUZZ_DOOR");
    for (int i = 0; name != nullptr && i < 3; ++i)
      if (std::string_view(name) == std::array{"loadchunk", "import", "rdb"}[static_cast<std::size_t>(i)]) return i;
    FUZZ_CHECK(name == nullptr);
    return {};
  }();
  return named;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  fake::start();
  const Family& family = kFamilies[data[0] % kFamilies.size()];
  const bool repair = (data[1] & 1) != 0;
  const std::string all(reinterpret_cast<const char*>(data + 4), size - 4);
  const std::size_t cut = (data[2] | static_cast<std::size_t>(data[3]) << 8) % (all.size() + 1);
  const std::string first = all.substr(0, cut), rest = all.substr(cut);
  switch (door().value_or(data[1] / 2 % 3)) {
    case 0: load_chunks(family, repair, first, rest); break;
    case 1: import_file(repair, data[0], first, rest); break;
    default: load_rdb(family, repair, first, rest);
  }
  fake::clear();
  return 0;
}
