// A real server of its own for a test: on a socket in a folder of its own, with an append-only file; killed and started
// again as the test likes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "streams/connection.h"

namespace bloomery::testing {

// The program that the environment names (BLOOMERY_TEST_SERVER), or nothing.
inline std::string server_program() {
  const char* path = std::getenv("BLOOMERY_TEST_SERVER");
  return path != nullptr && ::access(path, X_OK) == 0 ? path : "";
}

// Nothing takes so long but on a machine that is very busy.
inline constexpr std::chrono::minutes kPatience{3};

// Repeats the step until it returns true; false when that takes too long. Steps that pump do not wait: a server ends
// even the shortest wait at the next tick of its own, a tenth of a second.
template <class Step>
bool comes_true(Step step) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    if (step()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

class TestServer {
 public:
  explicit TestServer(std::vector<std::string> more = {}) : more_(std::move(more)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-streams-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    start();
  }
  ~TestServer() {
    kill();
    std::filesystem::remove_all(folder_);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  replica::StreamServer address() const {
    replica::StreamServer server;
    server.unix_socket = folder_ + "/socket";
    server.timeout = std::chrono::minutes(1);
    return server;
  }

  // Returns when it answers.
  void start() {
    std::vector<std::string> words = {server_program(),
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      folder_ + "/socket",
                                      "--dir",
                                      folder_,
                                      "--appendonly",
                                      "yes",
                                      "--appendfsync",
                                      "no",
                                      "--save",
                                      "",
                                      "--logfile",
                                      folder_ + "/log"};
    words.insert(words.end(), more_.begin(), more_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    for (const auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;) {
      auto connection = replica::Connection::open(address());
      if (connection.ok() && connection->run({"PING"}).ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::abort();
  }
  // As a power cut of the process: nothing is written after it.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    std::filesystem::remove(folder_ + "/socket");
  }
  void lose_everything() { std::filesystem::remove_all(folder_ + "/appendonlydir"); }

  void run(const replica::Words& words) {
    auto connection = replica::Connection::open(address());
    if (!connection.ok() || !connection->run(words).ok()) std::abort();
  }
  std::string text(const replica::Words& words) {
    auto connection = replica::Connection::open(address());
    if (!connection.ok()) std::abort();
    auto reply = connection->run(words);
    if (!reply.ok()) std::abort();
    return reply->text().empty() ? std::to_string(reply->number()) : std::string(reply->text());
  }

 private:
  std::string folder_;
  std::vector<std::string> more_;
  pid_t pid_ = -1;
};

}  // namespace bloomery::testing
