// A store of tables, as storage engines have it: writes gather in memory, go out as a table, and a read asks memory and
// then the tables, the newest first. Most tables do not have the key; their filters say so without a read.
//
//   table FOLDER        an empty folder, or none yet
#include <bloomery/table/compact.h>
#include <bloomery/table/table.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

namespace {

using bloomery::BlockCache;
using bloomery::Table;

// Errors of the library are values; this program has nothing better to do with one than to stop.
template <class T>
T expect(bloomery::Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  std::exit(2);
}

class Store {
 public:
  explicit Store(std::string folder) : folder_(std::move(folder)) {
    options_.cache = std::make_shared<BlockCache>(64 << 20);
  }

  void put(const std::string& key, std::string value) { memory_[key] = {std::move(value), ++sequence_, false}; }
  // Older tables may have it still, so that it is gone must be written, too.
  void remove(const std::string& key) { memory_[key] = {"", ++sequence_, true}; }

  std::optional<std::string> get(const std::string& key) const {
    if (const auto found = memory_.find(key); found != memory_.end())
      return found->second.deleted ? std::nullopt : std::optional(found->second.value);
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
      bloomery::Lookup got = expect((*table)->get(key));
      if (got.state != bloomery::Found::absent) return got.found() ? std::optional(std::move(got.value)) : std::nullopt;
    }
    return std::nullopt;
  }

  // What is in memory becomes a table: in the order of the keys, which the map has already.
  void flush() {
    bloomery::TableBuilder builder = expect(bloomery::TableBuilder::create(next_name(), {}));
    for (const auto& [key, entry] : memory_)
      if (auto added = builder.add({key, entry.value, entry.sequence, entry.deleted}); !added.ok()) std::exit(2);
    expect(builder.finish());
    memory_.clear();
    tables_.push_back(expect(Table::open(name_, options_)));
  }

  // All tables become one. Nothing older is left, so keys that were removed are really gone, from the filter too.
  void compact() {
    const std::vector<std::shared_ptr<Table>> newest_first(tables_.rbegin(), tables_.rend());
    bloomery::CompactOptions options;
    options.last_level = true;
    expect(bloomery::compact(
        newest_first, [&](unsigned) { return next_name(); }, options));
    for (const auto& table : std::exchange(tables_, {})) std::filesystem::remove(table->path());
    tables_.push_back(expect(Table::open(name_, options_)));
  }

  const std::vector<std::shared_ptr<Table>>& tables() const { return tables_; }

 private:
  struct InMemory {
    std::string value;
    std::uint64_t sequence = 0;
    bool deleted = false;
  };
  const std::string& next_name() { return name_ = folder_ + "/" + std::to_string(++named_) + ".blt"; }

  std::string folder_, name_;
  unsigned named_ = 0;
  std::uint64_t sequence_ = 0;
  std::map<std::string, InMemory> memory_;
  std::vector<std::shared_ptr<Table>> tables_;  // the oldest first
  bloomery::TableReadOptions options_;
};

std::string user(int i) { return "user" + std::to_string(100'000 + i); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: table FOLDER\n", stderr), 2;
  std::filesystem::create_directories(argv[1]);
  Store store(argv[1]);
  for (int table = 0; table < 8; ++table) {
    for (int i = table; i < 80'000; i += 8) store.put(user(i), "of table " + std::to_string(table));
    store.flush();
  }
  store.remove(user(1234));
  store.flush();

  std::printf("user101233: %s\n", store.get(user(1233)).value_or("none").c_str());
  std::printf("user101234: %s\n", store.get(user(1234)).value_or("none").c_str());
  for (int i = 0; i < 20'000; ++i) (void)store.get(user(i) + "?");
  std::uint64_t asked = 0, denied = 0;
  for (const auto& table : store.tables()) {
    asked += table->stats().asked;
    denied += table->stats().filter_no;
  }
  std::printf("%zu tables: %llu questions, of which the filters answered %.1f %%\n", store.tables().size(),
              static_cast<unsigned long long>(asked), 100.0 * static_cast<double>(denied) / static_cast<double>(asked));

  store.compact();
  const Table& one = *store.tables().front();
  std::printf("after compaction: %llu entries, may contain user101234: %s\n",
              static_cast<unsigned long long>(one.properties().entries), one.may_contain(user(1234)) ? "yes" : "no");
}
