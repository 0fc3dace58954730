// A filter that survives its process: a LiveFilter, the truth that it is built from, and its snapshots, in one folder.
// For examples/service.cc, which puts HTTP in front of it.
//
//   truth.hashes   every hash that was ever added, 8 bytes each; stands for your database. Written before the filter.
//   filter.blm     the last snapshot
//   filter.state   what the snapshot is: how much of the truth it has at least, its n and its fpr
//
// A start loads the snapshot and adds what the truth has beyond it, so a key whose add was answered is never lost with
// the process, not even by kill -9. (A power cut may cost the last ones: a database would sync.)
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"

using Live = bloomery::LiveFilter<bloomery::BlockFilter>;
using Hashes = std::vector<bloomery::Hash>;

inline void log_line(const std::string& text) { std::fprintf(stderr, "service: %s\n", text.c_str()); }

inline bloomery::Error file_error(const std::string& path, const char* what) {
  return {bloomery::ErrorCode::io, std::string("cannot ") + what + ": " + std::strerror(errno), path, {}};
}

// The hashes in a file, appended by one thread at a time and read by any.
class Truth {
 public:
  static bloomery::Result<std::unique_ptr<Truth>> open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (file < 0) return file_error(path, "open");
    std::unique_ptr<Truth> truth(new Truth(path, file));
    struct stat now {};
    if (::fstat(file, &now) != 0) return file_error(path, "look at it");
    truth->count_ = static_cast<std::uint64_t>(now.st_size) / 8;
    if (now.st_size % 8 != 0) {
      log_line(path + ": ends in the middle of a hash, whose add was never answered: dropped");
      if (!truth->cut_to_count()) return file_error(path, "cut the half hash off");
    }
    return truth;
  }
  ~Truth() { ::close(file_); }

  std::uint64_t count() const { return count_.load(); }

  // All or nothing.
  bloomery::Status append(const Hashes& hashes) {
    const auto* bytes = reinterpret_cast<const char*>(hashes.data());
    for (std::size_t done = 0; done < 8 * hashes.size();) {
      const ssize_t written = ::write(file_, bytes + done, 8 * hashes.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const bloomery::Error error = file_error(path_, "write");
        if (!cut_to_count()) log_line(path_ + ": half an add is in it: end the service before more is added");
        return error;
      }
      done += static_cast<std::size_t>(written);
    }
    count_ += hashes.size();
    return {};
  }

  // Calls use(hashes) page by page from the hash of that number to the one that is the last now. It returns whether to
  // go on.
  bloomery::Status read(std::uint64_t first, const std::function<bool(const Hashes&)>& use) const {
    Hashes page(1 << 16);
    for (const std::uint64_t end = count(); first < end;) {
      page.resize(std::min<std::uint64_t>(1 << 16, end - first));
      const ssize_t got = ::pread(file_, page.data(), 8 * page.size(), static_cast<off_t>(8 * first));
      if (got < 0 && errno == EINTR) continue;
      if (got < 8) return file_error(path_, "read");
      page.resize(static_cast<std::size_t>(got) / 8);
      if (!use(page)) return {};
      first += page.size();
    }
    return {};
  }

  bloomery::Status sync() const {
    if (::fdatasync(file_) != 0) return file_error(path_, "sync");
    return {};
  }

 private:
  Truth(std::string path, int file) : path_(std::move(path)), file_(file) {}
  bool cut_to_count() { return ::ftruncate(file_, static_cast<off_t>(8 * count())) == 0; }

  std::string path_;
  int file_;
  std::atomic<std::uint64_t> count_{0};
};

// The filter with its truth and its snapshots. Safe from any thread; load is called once, before rebuild and snapshot.
class Store {
 public:
  struct State {
    std::uint64_t position = 0, n = 0;
    double fpr = 0;
  };

  Store(std::string folder, bloomery::LiveOptions options) : folder_(std::move(folder)), options_(std::move(options)) {}

  bloomery::Status open() {
    auto truth = Truth::open(folder_ + "/truth.hashes");
    BLOOMERY_TRY(truth);
    truth_ = *std::move(truth);
    return {};
  }

  // The filter, or nullptr while it is being loaded: every answer is "maybe" then, and adds go to the truth alone.
  Live* live() const { return live_.load(); }

  // Truth first, filter second: a rebuild that begins between the two finds the key in the truth.
  bloomery::Status add(const Hashes& hashes) {
    const std::lock_guard lock(adding_);
    BLOOMERY_TRY(truth_->append(hashes));
    if (Live* filter = live())
      for (const bloomery::Hash hash : hashes) filter->add(hash);
    return {};
  }

  // From the snapshot and what the truth has beyond it; without a snapshot that can be read, from the truth.
  bloomery::Status load() {
    State state{0, options_.n, options_.fpr};
    BLOOMERY_TRY(load_snapshot(state));
    if (!owned_) {
      auto made = Live::make(options_);
      BLOOMERY_TRY(made);
      owned_ = *std::move(made);
    }
    if (state.position > truth_->count())
      log_line("the truth is older than the snapshot: it has " + std::to_string(truth_->count()) + " of " +
               std::to_string(state.position) + " hashes; a rebuild would forget the others");
    std::uint64_t next = std::min(state.position, truth_->count());
    const std::uint64_t first = next;
    const auto add_page = [&](const Hashes& page) {
      for (const bloomery::Hash hash : page) owned_->add(hash);
      next += page.size();
      return !stopping_.load();
    };
    BLOOMERY_TRY(truth_->read(next, add_page));
    const std::lock_guard lock(adding_);  // what came meanwhile; from here on adds reach the filter themselves
    BLOOMERY_TRY(truth_->read(next, add_page));
    if (stopping_.load()) return {};
    live_.store(owned_.get());
    log_line("ready, with " + std::to_string(next - first) + " hashes from the truth");
    return {};
  }

  // Reads the truth into a second filter while everything goes on, and swaps it in. 0: as before.
  bloomery::Status rebuild(std::uint64_t n, double fpr) {
    const State design = this->design();
    if (n == 0) n = design.n;
    if (fpr == 0) fpr = design.fpr;
    BLOOMERY_TRY(live()->begin_rebuild(n, fpr));
    log_line("rebuild: began, for " + std::to_string(n) + " keys at a rate of " + std::to_string(fpr));
    bool fed = true;
    bloomery::Status read =
        truth_->read(0, [&](const Hashes& page) { return fed = !stopping_.load() && live()->feed_many(page).ok(); });
    if (!read.ok() || !fed) {  // half a truth is none
      BLOOMERY_TRY(live()->abort());
      log_line("rebuild: aborted; the filter in use was never touched");
      return read;
    }
    BLOOMERY_TRY(live()->commit());
    const std::lock_guard lock(state_mutex_);
    design_ = {0, n, fpr};
    log_line("rebuild: committed");
    return {};
  }

  // Holds every key whose add was answered before it began. One at a time; the other way round an older position could
  // stand beside a newer snapshot, which costs time, and never a newer one beside an older snapshot.
  bloomery::Status snapshot(std::uint64_t bytes_per_second = 0) {
    const std::lock_guard one(snapshot_mutex_);
    const State now = design();
    BLOOMERY_TRY(truth_->sync());
    BLOOMERY_TRY(live()->snapshot(folder_ + "/filter.blm", {bytes_per_second}));
    BLOOMERY_TRY(write_state(now));
    log_line("snapshot: saved, with the first " + std::to_string(now.position) + " hashes of the truth");
    return {};
  }

  // Makes load and rebuild end soon.
  void stop() { stopping_ = true; }

 private:
  // What the filter in use is designed for, and how much of the truth it surely has.
  State design() {
    State now;
    {
      const std::lock_guard lock(adding_);
      now.position = truth_->count();
    }
    const std::lock_guard lock(state_mutex_);
    now.n = design_.n > 0 ? design_.n : options_.n;
    now.fpr = design_.n > 0 ? design_.fpr : options_.fpr;
    return now;
  }

  // Leaves owned_ empty when there is none, or one that cannot be used.
  bloomery::Status load_snapshot(State& state) {
    const std::string path = folder_ + "/filter.blm";
    if (::access(path.c_str(), F_OK) != 0) return log_line("no snapshot: building from the truth"), bloomery::Status();
    State saved;
    std::ifstream(folder_ + "/filter.state") >> saved.position >> saved.n >> saved.fpr;
    if (saved.n > 0) state = saved;
    options_.n = state.n, options_.fpr = state.fpr;
    auto loaded = Live::load(path, options_);
    if (loaded.ok()) return owned_ = *std::move(loaded), log_line("snapshot: loaded"), bloomery::Status();
    log_line(loaded.error().to_string() + "; building from the truth instead");
    state.position = 0;
    return {};
  }

  bloomery::Status write_state(const State& state) {
    const std::string path = folder_ + "/filter.state", fresh = path + ".new";
    std::ofstream(fresh) << state.position << ' ' << state.n << ' ' << state.fpr << '\n';
    if (std::rename(fresh.c_str(), path.c_str()) != 0) return file_error(path, "write");
    return {};
  }

  std::string folder_;
  bloomery::LiveOptions options_;
  std::unique_ptr<Truth> truth_;
  std::unique_ptr<Live> owned_;
  std::atomic<Live*> live_{nullptr};
  std::mutex adding_, snapshot_mutex_, state_mutex_;
  State design_;  // of the last rebuild
  std::atomic<bool> stopping_{false};
};
