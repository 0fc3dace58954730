// Run as a 32-bit program without threads (tools/bits32.sh), as WebAssembly is one: the golden files of every kind,
// what is made of the same keys, and files and filters that have more bytes than an address reaches. A program of its
// own, because the test libraries of the host cannot be linked here. usage: check spec/vectors/kinds.json
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/detail/batch.h"
#include "bloomery/detail/bits.h"

namespace {

using namespace bloomery;
using Json = nlohmann::json;

int g_failed = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++g_failed;
}

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

// A filter with the geometry and the hash of the view, of these keys.
template <class Layout>
Result<BasicFilter<Layout>> rebuilt(const BasicView<Layout>& view, const std::vector<std::string>& keys) {
  using Filter = BasicFilter<Layout>;
  if constexpr (StaticLayout<Layout>) {
    return Filter::build_like(view.geometry(), detail::key_run(view.hasher(), keys), view.hasher(), 4);
  } else {
    Result<Filter> filter = Filter::with_geometry(view.geometry(), view.hasher());
    BLOOMERY_TRY(filter);
    BLOOMERY_TRY(filter->add_many(keys, 4));
    return filter;
  }
}

// Records and secrets have tests of their own; a chain that grew is not what with_geometry makes.
bool plain(const Json& row) {
  return row["secret"].is_null() && row["label"].is_null() && row["created"].is_null() &&
         row["chunk_bytes"].is_null() && row["key_type"].is_null();
}

void check_golden(const Json& row) {
  const std::string name = row["kind"].get<std::string>() + " " + row["words"].dump();
  const std::vector<std::uint8_t> bytes = bytes_of(row["hex"]);
  const Result<Decoded> file = decode(bytes);
  expect(file.ok(), name + ": " + (file.ok() ? "" : file.error().message));
  if (!file.ok()) return;
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < row["keys"].get<std::uint64_t>(); ++i) keys.push_back("key" + std::to_string(i));
  if (!file->view.forgets())
    for (const std::string& key : keys) expect(file->view.contains(key), name + " denies " + key);
  for (const std::string key : row["denied"]) expect(!file->view.contains(key), name + " does not deny " + key);
  std::visit(
      [&]<class Layout>(const BasicView<Layout>& view) {
        if (view.geometry().kKind == Kind::scalable) return;
        const auto made = rebuilt(view, keys);
        expect(made.ok() && made->view() == view, name + ": other bytes than the golden ones");
      },
      file->view.variant());
}

void check_products() {
  const std::uint64_t numbers[] = {0, 1, 0xffffffff, 0x100000000, 0x123456789abcdef0, ~std::uint64_t{0}};
  for (const std::uint64_t a : numbers)
    for (const std::uint64_t b : numbers) {  // the high half, digit by digit as on paper
      std::uint64_t high = 0, low = 0;
      for (int bit = 63; bit >= 0; --bit) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if ((a >> bit & 1) != 0) low += b, high += low < b ? 1 : 0;
      }
      expect(detail::mulhi64(a, b) == high, "mulhi64");
      expect(detail::checked_mul(a, b).has_value() == (high == 0), "checked_mul");
    }
}

// 5 GiB: more than 32 bits reach. Sparse, so that it takes no disk.
void check_too_large(const std::string& path) {
  expect(BlockFilter::with_bytes(std::uint64_t{5} << 30, 1'000'000'000).error().code == ErrorCode::out_of_memory,
         "a filter of 5 GiB");
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
  expect(fd >= 0 && ::ftruncate(fd, static_cast<off_t>(std::uint64_t{5} << 30)) == 0, "a file of 5 GiB");
  const Result<FilterFile> opened = FilterFile::open(path);
  const Result<UnverifiedFile> mapped = UnverifiedFile::map(path);
  expect(!opened.ok() && !mapped.ok(), "a file of 5 GiB is opened");
  if (!mapped.ok()) std::printf("%s\n", mapped.error().to_string().c_str());
  ::close(fd);
  ::unlink(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  static_assert(sizeof(void*) == 4);
  if (argc < 3) return 2;
  const Json golden = Json::parse(std::ifstream(argv[1]));
  std::size_t rows = 0;
  for (const Json& row : golden["files"])
    if (plain(row)) check_golden(row), ++rows;
  expect(rows >= kAllKinds.size(), "golden files");
  check_products();
  check_too_large(argv[2]);
  std::printf("%zu golden files, %d failed\n", rows, g_failed);
  return g_failed == 0 ? 0 : 1;
}
