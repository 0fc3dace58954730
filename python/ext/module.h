// The parts of the module, each of which adds its classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace bloomery::python {

void bind_filter(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_table(nanobind::module_& module);
void bind_iblt(nanobind::module_& module);
void bind_live(nanobind::module_& module);

}  // namespace bloomery::python
