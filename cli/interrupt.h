// Signals that would end the program, noted while a long piece of work can still clean up after itself.
#pragma once

#include <csignal>

#include "bloomery/result.h"
#include "core/io/file.h"

namespace bloomery::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP are noted; when it goes, the program ends by the one that came. Make it
// before what has to be cleaned up. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool pending() const;
  // An error once a signal came, for those who pass errors on.
  Status status() const;
  // A read from it that waits ends with a signal, and all that follow it read nothing: ask status() at the end.
  void watch(const io::File& input);
  void unwatch();

 private:
  struct sigaction before_[3];
};

}  // namespace bloomery::cli
