// What `bloomery plan` is asked for, and the table of all kinds that answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/bloomery.h"
#include "bloomery/growth.h"
#include "cli/shape.h"

namespace bloomery::cli {

// What is asked for: so many keys, or with `growth` those of a growth plan; of the kind that suits, or of one, maybe
// with numbers of its geometry.
struct PlanRequest {
  std::uint64_t n = 0;
  double fpr = 0;
  std::optional<Kind> kind;
  GeometryNumbers geometry;
  bool exact = false;  // the geometry fixes the size, whatever the rate
  std::optional<Growth> growth;
  GrowthPlan plan;
};

// Without growth only the size is filled in.
Result<GrowthSize> size_of(Kind kind, const PlanRequest& request);
// Why a plan is none, or what is wrong with it; empty when nothing is.
std::string problem_of(const Result<GrowthSize>& plan);
double bits_per_key(const SizePlan& size, std::uint64_t n);

void print_table(const PlanRequest& request);

}  // namespace bloomery::cli
