// Filter files as commands open and write them: with a progress bar, and with errors of memory that say what it was
// for.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/bloomery.h"
#include "cli/progress.h"
#include "cli/signals.h"

namespace bloomery::cli {

// 0 of what has no size.
std::uint64_t size_of_file(const std::string& path);
// Reads a file and verifies all of it. `mend` is what an error of memory advises.
Result<FilterFile> open_filter(const std::string& path, const OpenOptions& options,
                               const std::string& mend = "end other programs, or use a machine with more memory");
// A filter that can be changed; an error names the file.
Result<AnyFilter> copy_filter(const FilterFile& file, const std::string& path);

// Calls write(), which writes a file of about that many bytes, while signals wait.
template <class Write>
Status write_filter(std::uint64_t bytes, Write write) {
  const SignalsWait wait;
  const FileProgress progress("writing", bytes);
  return write();
}

}  // namespace bloomery::cli
