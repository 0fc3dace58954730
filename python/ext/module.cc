// The module bloomery._core: what Python has of the library. It binds and converts; no algorithm lives here.
#include <nanobind/nanobind.h>

#include "bloomery/version.h"
#include "errors.h"
#include "guard.h"
#include "module.h"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // interpreters may end before the last filter does
  bloomery::python::watch_forks();
  bloomery::python::prepare_errors();
  module.attr("__version__") = BLOOMERY_VERSION;
  bloomery::python::bind_filter(module);
  bloomery::python::bind_plan(module);
  bloomery::python::bind_table(module);
  bloomery::python::bind_iblt(module);
  bloomery::python::bind_live(module);
}
