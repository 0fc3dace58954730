// The structs of the Arrow C data interface and C stream interface, as their public specification lays them out.
// Whoever produced one sets `release`; whoever is done with it calls that once. A released struct has none.
#pragma once

#include <cstdint>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;  // -1: not known
  std::int64_t offset;      // of the first element, in elements, in every buffer
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);  // at the end `out` has no release
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}

namespace bloomery::python {

// Owns a struct of the interface.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;
  ~ArrowOwned() { release(); }
  // Takes over what the other holds, as the specification has it: bytes move, and the other counts as released.
  void take(Struct& other) {
    release();
    value_ = other;
    other.release = nullptr;
  }
  void release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_.release = nullptr;
  }
  Struct* operator->() { return &value_; }
  Struct& operator*() { return value_; }

 private:
  Struct value_ = {};
};

}  // namespace bloomery::python
