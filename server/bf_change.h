// The commands of BF.* that change a filter.
#pragma once

#include "server/call.h"

namespace bloomery::server {

void bf_reserve(const Call& call);
void bf_add(const Call& call);
void bf_madd(const Call& call);
void bf_insert(const Call& call);

}  // namespace bloomery::server
