// Makes one call of the layer io fail.
#pragma once

#include <optional>

#include "io/sys.h"

namespace bloomery::testing {

// Fails the n-th call, or the n-th of one kind, with the errno given, and remembers what it failed.
class FaultAt {
 public:
  FaultAt(int call, int error, std::optional<io::Op> only = {}) : left_(call), error_(error), only_(only) {
    io::set_fault_hook(&FaultAt::decide, this);
  }
  ~FaultAt() { io::set_fault_hook(nullptr); }
  FaultAt(const FaultAt&) = delete;
  FaultAt& operator=(const FaultAt&) = delete;

  const std::optional<io::Op>& failed() const { return failed_; }
  bool renamed() const { return renamed_; }  // before it

 private:
  static int decide(io::Op op, void* self) {
    auto* fault = static_cast<FaultAt*>(self);
    if ((!fault->only_ || op == *fault->only_) && fault->left_-- == 0) {
      fault->failed_ = op;
      return fault->error_;
    }
    if (!fault->failed_ && op == io::Op::rename) fault->renamed_ = true;
    return 0;
  }

  int left_, error_;
  std::optional<io::Op> only_, failed_;
  bool renamed_ = false;
};

}  // namespace bloomery::testing
