// Makes one call of the layer io fail, or do less than it was asked for.
#pragma once

#include <optional>

#include "core/io/sys.h"

namespace bloomery::testing {

// Does it to the n-th call, or to the n-th of one kind, and to as many behind it as it is told; remembers the first. Of
// an interrupted call the repetition counts as another one.
class FaultAt {
 public:
  FaultAt(int call, io::Verdict verdict, std::optional<io::Op> only = {}, int times = 1)
      : left_(call), times_(times), verdict_(verdict), only_(only) {
    io::set_fault_hook(&FaultAt::decide, this);
  }
  FaultAt(int call, int error, std::optional<io::Op> only = {}) : FaultAt(call, io::Verdict{.error = error}, only) {}
  ~FaultAt() { io::set_fault_hook(nullptr); }
  FaultAt(const FaultAt&) = delete;
  FaultAt& operator=(const FaultAt&) = delete;

  const std::optional<io::Op>& failed() const { return failed_; }
  bool renamed() const { return renamed_; }  // before it

 private:
  static io::Verdict decide(const io::Call& call, void* self) {
    auto* fault = static_cast<FaultAt*>(self);
    if ((!fault->only_ || call.op == *fault->only_) && fault->left_-- <= 0 && fault->times_-- > 0) {
      if (!fault->failed_) fault->failed_ = call.op;
      return fault->verdict_;
    }
    if (!fault->failed_ && call.op == io::Op::rename) fault->renamed_ = true;
    return {};
  }

  int left_, times_;
  io::Verdict verdict_;
  std::optional<io::Op> only_, failed_;
  bool renamed_ = false;
};

}  // namespace bloomery::testing
