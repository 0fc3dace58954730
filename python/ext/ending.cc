// Stops a thread that the interpreter ends while it is in a call of this module, before its stack is unwound.
//
// Before CPython 3.14 a daemon thread that asks for the GIL while the interpreter ends is ended by pthread_exit, which
// unwinds its stack. That must not reach a frame of this module or of nanobind: some are noexcept, and others would
// release objects of Python without the GIL. So the thread waits for the end of the process at the first frame that has
// anything to unwind, as all threads do from CPython 3.14 on. Such frames name the function that unwinds them, and the
// linker has them name one of those below instead (--wrap, CMakeLists.txt): whatever call into Python the thread is in,
// no call has to be written in a special way. Exceptions of C++ pass as before.
#if __SIZEOF_POINTER__ == 8  // 32-bit ARM unwinds in another way
#include <unistd.h>
#include <unwind.h>

namespace {

void stay_if_ended(_Unwind_Action actions) {
  while ((actions & _UA_FORCE_UNWIND) != 0) ::pause();
}

}  // namespace

extern "C" {

using Personality = _Unwind_Reason_Code(int version, _Unwind_Action actions, _Unwind_Exception_Class of,
                                        _Unwind_Exception* thrown, _Unwind_Context* context);
// The function of C++ frames, and that of frames which only clean up, as g++ has them with -flto.
Personality __real___gxx_personality_v0, __real___gcc_personality_v0;

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class of,
                                                _Unwind_Exception* thrown, _Unwind_Context* context) {
  stay_if_ended(actions);
  return __real___gxx_personality_v0(version, actions, of, thrown, context);
}

_Unwind_Reason_Code __wrap___gcc_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class of,
                                                _Unwind_Exception* thrown, _Unwind_Context* context) {
  stay_if_ended(actions);
  return __real___gcc_personality_v0(version, actions, of, thrown, context);
}

}  // extern "C"
#endif
