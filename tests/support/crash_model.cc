#include "support/crash_model.h"

#include <unistd.h>

#include <cstdlib>

namespace bloomery::testing {
namespace {

using What = DiskEvent::What;

constexpr std::size_t kSector = 512;

std::string path_of(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
  if (length < 0) std::abort();
  return {path, static_cast<std::size_t>(length)};
}

bool happens(Fate fate, std::mt19937_64& random) {
  return fate == Fate::random ? random() % 2 == 0 : fate == Fate::kept;
}

struct File {
  std::string written;
  std::size_t synced = 0;  // bytes of it

  // Sectors that were not synced have their bytes, or zeros, or what was on the disk before.
  std::string after_crash(Fate fate, std::mt19937_64& random) const {
    std::string found = written;
    if (!happens(fate, random))
      found.resize(synced + (fate == Fate::random ? random() % (written.size() - synced + 1) : 0));
    if (fate != Fate::random) return found;
    for (std::size_t at = synced / kSector * kSector; at < found.size(); at += kSector) {
      if (random() % 2 == 0) continue;
      const std::size_t first = std::max(at, synced), end = std::min(at + kSector, found.size());
      std::fill(found.begin() + static_cast<std::ptrdiff_t>(first), found.begin() + static_cast<std::ptrdiff_t>(end),
                random() % 2 == 0 ? '\0' : '\xa5');
    }
    return found;
  }
};

// A change of names that happens whole or not at all: names and the files they then have.
using Change = std::vector<std::pair<std::string, std::optional<std::size_t>>>;
using Names = std::map<std::string, std::size_t>;

void apply(const Change& change, Names& names) {
  for (const auto& [name, file] : change) {
    if (file) names[name] = *file;
    else names.erase(name);
  }
}

}  // namespace

DiskRecorder::DiskRecorder(std::string folder) : folder_(std::move(folder)) {
  io::set_fault_hook(&DiskRecorder::record, this);
}

DiskRecorder::~DiskRecorder() { io::set_fault_hook(nullptr); }

io::Verdict DiskRecorder::record(const io::Call& call, void* self) {
  static_cast<DiskRecorder*>(self)->record(call);
  return {};
}

std::string DiskRecorder::name_of(const std::string& path) const {
  return path.starts_with(folder_ + "/") ? path.substr(folder_.size() + 1) : std::string();
}

void DiskRecorder::record(const io::Call& call) {
  const auto of_fd = [&] { return files_.find(name_of(path_of(call.fd))); };
  switch (call.op) {
    case io::Op::open:
      // What is opened and is not there is created.
      if (const std::string name = name_of(call.path); !name.empty() && ::access(call.path, F_OK) != 0) {
        files_[name] = next_;
        events_.push_back({What::create, next_++, name});
      }
      break;
    case io::Op::write:
      if (const auto file = of_fd(); file != files_.end())
        events_.push_back(
            {What::write, file->second, {}, {}, std::string(static_cast<const char*>(call.from), call.bytes)});
      break;
    case io::Op::sync:
      if (path_of(call.fd) == folder_) events_.push_back({What::sync_folder, 0, {}});
      else if (const auto file = of_fd(); file != files_.end()) events_.push_back({What::sync, file->second, {}});
      break;
    case io::Op::rename: {
      const std::string from = name_of(call.path), to = name_of(call.to);
      events_.push_back({What::rename, files_.at(from), from, to});
      files_[to] = files_.at(from);
      files_.erase(from);
      break;
    }
    case io::Op::unlink:
      files_.erase(name_of(call.path));
      events_.push_back({What::remove, 0, name_of(call.path)});
      break;
    default: break;
  }
}

Folder after_crash(const Folder& before, const std::vector<DiskEvent>& events, std::size_t count, Fate data, Fate names,
                   std::mt19937_64& random) {
  std::map<std::size_t, File> files;
  Names synced;
  std::size_t number = events.size();  // above those of the events
  for (const auto& [name, contents] : before) {
    files[++number] = {contents, contents.size()};
    synced[name] = number;
  }
  std::vector<Change> pending;
  for (std::size_t i = 0; i < count; ++i) {
    const DiskEvent& event = events[i];
    File& file = files[event.file];
    switch (event.what) {
      case What::create: pending.push_back({{event.name, event.file}}); break;
      case What::write: file.written += event.data; break;
      case What::sync: file.synced = file.written.size(); break;
      case What::rename: pending.push_back({{event.name, std::nullopt}, {event.to, event.file}}); break;
      case What::remove: pending.push_back({{event.name, std::nullopt}}); break;
      case What::sync_folder:
        for (const Change& change : pending) apply(change, synced);
        pending.clear();
    }
  }
  for (const Change& change : pending)
    if (happens(names, random)) apply(change, synced);
  Folder found;
  for (const auto& [name, file] : synced) found[name] = files[file].after_crash(data, random);
  return found;
}

}  // namespace bloomery::testing
