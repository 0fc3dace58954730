// plan, choose and growth: numbers of filters that do not exist yet. bloomery/_plan.py makes data classes of these.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bloomery/choose.h"
#include "errors.h"
#include "module.h"
#include "options.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;

nb::dict plan(std::string_view kind, nb::handle keys, double fpr) {
  const std::uint64_t n = number_of(keys, "n");
  SizeSpec spec;
  spec.fpr = fpr;
  const SizePlan size = checked(plan_size(kind_of(kind), n, spec));
  nb::dict geometry, fields;
  for (const auto& [name, value] : size.geometry) geometry[name] = value;
  fields["kind"] = kind;
  fields["n"] = n;
  fields["fpr"] = fpr;
  fields["bytes"] = size.bytes;
  fields["bits_per_key"] = static_cast<double>(size.bits) / static_cast<double>(n);
  fields["predicted_fpr"] = size.predicted_fpr;
  fields["geometry"] = geometry;
  fields["warning"] = size.warning;
  return fields;
}

nb::list choose(nb::handle keys, double fpr) {
  const std::uint64_t n = number_of(keys, "n");
  nb::list all;
  for (const Choice& choice : checked(choices(n, fpr))) {
    nb::dict fields;
    fields["need"] = choice.need;
    fields["words"] = choice.words;
    fields["kind"] = choice.kind;
    fields["bytes"] = or_none(choice.bytes);
    fields["why"] = choice.why;
    all.append(fields);
  }
  return all;
}

nb::list kinds() {
  nb::list all;
  for (const Kind kind : kAllKinds) all.append(to_string(kind));
  return all;
}

}  // namespace

void bind_plan(nb::module_& module) {
  module.def("plan", &plan, "kind"_a, "n"_a, "fpr"_a);
  module.def("choose", &choose, "n"_a, "fpr"_a);
  module.def("kinds", &kinds);
  module.def("least_bits_per_key", &least_bits_per_key, "fpr"_a);
}

}  // namespace bloomery::python
