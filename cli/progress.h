// Lines on standard error that are redrawn while work goes on. All of them are silent when that is no terminal, and for
// work that is done at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace bloomery::cli {

// A bar with the rate and the time that is left, for work that says how far it is.
class Progress {
 public:
  // What is counted, for the rate; that of steps is nothing to tell. total: 0 when nobody knows.
  enum class Unit : std::uint8_t { bytes, entries, steps };
  Progress(std::string what, std::uint64_t total, Unit unit = Unit::bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  std::string what_;
  std::uint64_t total_;
  Unit unit_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, next_;
};

// A bar for files that the library reads or writes as a whole: while it lives, every byte that goes through the layer
// io is counted. One at a time, and no other thread may use files.
class FileProgress {
 public:
  FileProgress(std::string what, std::uint64_t total);
  ~FileProgress();
  FileProgress(const FileProgress&) = delete;
  FileProgress& operator=(const FileProgress&) = delete;

 private:
  Progress bar_;
  std::uint64_t done_ = 0;
  bool watching_;
};

// The seconds that have gone by, for work that cannot say how far it is.
class Waiting {
 public:
  explicit Waiting(std::string what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void draw_every_second();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace bloomery::cli
