// The module bloomery._core: what Python has of the library. It binds and converts; no algorithm lives here.
#include <nanobind/nanobind.h>

#include "bloomery/version.h"
#include "filter.h"
#include "guard.h"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // interpreters may end before the last filter does
  bloomery::python::watch_forks();
  module.attr("__version__") = BLOOMERY_VERSION;
  bloomery::python::bind_filter(module);
}
