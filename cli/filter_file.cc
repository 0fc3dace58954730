#include "cli/filter_file.h"

#include <filesystem>

#include "cli/cli.h"
#include "core/base/error.h"

namespace bloomery::cli {

std::uint64_t size_of_file(const std::string& path) {
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(path, none);
  return none ? 0 : bytes;
}

Result<FilterFile> open_filter(const std::string& path, const OpenOptions& options, const std::string& mend) {
  const std::uint64_t bytes = size_of_file(path);
  const FileProgress progress("reading", bytes);
  Result<FilterFile> file = FilterFile::open(path, options);
  if (!file.ok() && file.error().code == ErrorCode::out_of_memory)
    return in_file(named_memory(file.error(), "the filter", bytes, mend), path);
  return file;
}

Result<AnyFilter> copy_filter(const FilterFile& file, const std::string& path) {
  Result<AnyFilter> copy = file.copy();
  if (copy.ok()) return copy;
  return in_file(named_memory(copy.error(), "a copy of the filter, to change", file.view().payload().size(),
                              "end other programs, or use a machine with more memory"),
                 path);
}

}  // namespace bloomery::cli
