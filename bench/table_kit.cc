#include "bench/table_kit.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace bloomery::bench {
namespace {

class TableStore : public Store {
 public:
  explicit TableStore(std::shared_ptr<bloomery::Table> table) : table_(std::move(table)) {}

  std::uint64_t get_all(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) {
      const Result<Lookup> lookup = table_->get(key);
      if (!lookup.ok()) store_failed("bloomery", lookup.error().to_string());
      found += lookup->found() ? 1 : 0;
    }
    return found;
  }

  std::uint64_t scan() override {
    std::uint64_t entries = 0;
    TableIterator at = table_->iterate();
    for (at.first(); at.valid(); at.next()) entries += at.entry().value.empty() ? 0 : 1;
    if (!at.status().ok()) store_failed("bloomery", at.status().error().to_string());
    return entries;
  }

 private:
  std::shared_ptr<bloomery::Table> table_;
};

void drop_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fdatasync(file);
  (void)::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  (void)::close(file);
}

}  // namespace

Folder::Folder() : path_((std::filesystem::temp_directory_path() / "bloomery-bench-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) store_failed("bloomery", "no folder for tables under " + path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint64_t Folder::free_bytes() const {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(path_, error);
  return error ? 0 : space.available;
}

TableProperties build_table(const Entries& entries, const std::string& path, const TableOptions& options,
                            std::uint64_t first, std::uint64_t step) {
  TableBuilder builder = got(TableBuilder::create(path, options));
  for (std::uint64_t i = first; i < entries.size(); i += step) {
    const Entries::Key key = entries.key(i);
    const Status status = builder.add({.key = view_of(key), .value = entries.value(i), .sequence = i});
    if (!status.ok()) store_failed("bloomery", status.error().to_string());
  }
  return got(builder.finish());
}

std::unique_ptr<Store> store_of(std::shared_ptr<bloomery::Table> table) {
  return std::make_unique<TableStore>(std::move(table));
}

void drop_from_page_cache(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return drop_file(path);
  for (const auto& entry : std::filesystem::directory_iterator(path)) drop_file(entry.path().string());
}

TableOptions with_bits(double bits_per_key) {
  TableOptions options;
  if (bits_per_key == 0) options.filter.reset();
  else options.filter_size.bits_per_key = bits_per_key;
  return options;
}

}  // namespace bloomery::bench
