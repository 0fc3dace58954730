// The commands of BLM.* that stand in files of their own.
#pragma once

#include "server/call.h"

namespace bloomery::server {

void blm_reserve(const Call& call);
void blm_window(const Call& call);
void blm_merge(const Call& call);
void blm_intersect(const Call& call);
void blm_overlap(const Call& call);
void blm_export(const Call& call);
void blm_import(const Call& call);

}  // namespace bloomery::server
