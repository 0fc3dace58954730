// Bytes as the filter of a table whose checksums all match, those of the envelope too: as the whole filter, as one part
// of it, or as the index of its parts. Whatever it is, a table that passes verify() has all its keys.
#include "fuzz/table_fuzz.h"

namespace {

using namespace bloomery;

// Only what the filter decides: walks do not ask it.
void ask_for_keys(std::span<const std::uint8_t> file, const TableReadOptions& options) {
  const Result<std::shared_ptr<Table>> opened = Table::open(fuzz::as_file(file), options);
  FUZZ_CHECK(opened.ok());  // whatever its filter is
  const Table& table = **opened;
  std::vector<std::string> names;
  for (int i = 0; i < fuzz::SmallTable::kEntries; ++i) names.push_back("key" + std::to_string(i));
  names.insert(names.end(), {"", "kez", "key3x"});
  const std::vector<std::string_view> keys(names.begin(), names.end());
  const std::vector<Result<Lookup>> together = *table.multi_get(keys);
  const bool sound = table.verify().ok();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool there = i < fuzz::SmallTable::kEntries;
    const Result<Lookup> got = table.get(keys[i]);
    FUZZ_CHECK(got.ok() && together[i].ok() && got->state == together[i]->state && got->value == together[i]->value);
    FUZZ_CHECK(!got->found() || there);
    FUZZ_CHECK(!there || got->found() == table.may_contain(keys[i]));
    FUZZ_CHECK(!sound || !there || got->found());
  }
  (void)table.stats();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, std::min<std::size_t>(size - 2, 2000));
  std::vector<std::uint8_t> envelope(bytes.begin(), bytes.end());
  if (envelope.size() < fuzz::kHeader) envelope.resize(fuzz::kHeader);
  if (choice & 16) detail::store_le<std::uint64_t>(&envelope[24], choice & 32 ? ~std::uint64_t{0} : 10);  // keys
  fuzz::repair_envelope(envelope, data[1]);
  const std::string_view part(reinterpret_cast<const char*>(envelope.data()), envelope.size());
  fuzz::SmallTable made;
  const std::string& index = made.put_data();
  const table::Handle top = made.put(fuzz::SmallTable::leading_to(made.put(index)));
  table::Handle filter = made.put_aligned((choice & 12) == 8 ? index : part);
  const bool partitioned = (choice & 12) != 0;
  if ((choice & 12) == 4) filter = made.put(fuzz::SmallTable::leading_to(filter));
  if ((choice & 12) >= 8) filter = made.put(bytes);
  ask_for_keys(made.finish(top, filter, partitioned), fuzz::ways_to_read(choice));
  return 0;
}
