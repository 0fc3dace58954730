// A model of a disk that loses power: what a program did to the files of a folder is recorded, and every state is made
// in which POSIX lets the folder be found afterwards. What was not synced is there, is not there, or is there in part:
// data by sectors of 512 bytes, names by single operations, in any combination.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/io/sys.h"

namespace bloomery::testing {

struct DiskEvent {
  enum class What { create, write, sync, rename, remove, sync_folder };
  What what;
  std::size_t file = 0;       // of create, write, sync and rename: a number
  std::string name, to = {};  // of create, rename and remove; of rename
  std::string data = {};      // of write
};

// Names and contents of a folder.
using Folder = std::map<std::string, std::string>;

// Records what happens in a folder as long as it lives. Files are written from front to back.
class DiskRecorder {
 public:
  explicit DiskRecorder(std::string folder);
  ~DiskRecorder();
  DiskRecorder(const DiskRecorder&) = delete;
  DiskRecorder& operator=(const DiskRecorder&) = delete;

  const std::vector<DiskEvent>& events() const { return events_; }

 private:
  static io::Verdict record(const io::Call& call, void* self);
  void record(const io::Call& call);
  std::string name_of(const std::string& path) const;  // in the folder; empty for others

  std::string folder_;
  std::vector<DiskEvent> events_;
  std::map<std::string, std::size_t> files_;  // by their names of the moment
  std::size_t next_ = 0;
};

// What a crash does to data that was not synced.
enum class Fate { lost, kept, random };

// The folder after a crash behind the first `count` events.
Folder after_crash(const Folder& before, const std::vector<DiskEvent>& events, std::size_t count, Fate data, Fate names,
                   std::mt19937_64& random);

}  // namespace bloomery::testing
