// A folder that goes away with its contents: for commands that show or measure something.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bloomery::cli {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) folder_ = path;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool ok() const { return !folder_.empty(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace bloomery::cli
