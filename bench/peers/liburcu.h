// liburcu (Mathieu Desnoyers and others), flavour memb: readers that are never held up, as ours, and by the same
// barrier of the system. Its reader's functions are small ones that the library means to be inlined into any program.
#pragma once

// The macro asks for inline readers: a call would be measured.
#define _LGPL_SOURCE  // NOLINT(bugprone-reserved-identifier): the name is liburcu's
#include <urcu/urcu-memb.h>

namespace bloomery::bench {

// For each thread before it reads; until the thread ends.
inline void register_rcu_reader() {
  struct Registration {
    Registration() { urcu_memb_register_thread(); }
    ~Registration() { urcu_memb_unregister_thread(); }
  };
  static thread_local const Registration registration;
  (void)registration;
}

// What all threads read and somebody may replace, as detail::Published.
template <class T>
class RcuPublished {
 public:
  explicit RcuPublished(T* value) : value_(value) {}

  template <class Use>
  bool read(Use use) const {
    urcu_memb_read_lock();
    const bool answer = use(*rcu_dereference(value_));
    urcu_memb_read_unlock();
    return answer;
  }

 private:
  T* value_;
};

}  // namespace bloomery::bench
