// SCANDUMP and LOADCHUNK, the same for every kind of value.
#pragma once

#include "server/call.h"
#include "server/value.h"

namespace bloomery::server {

void scan_dump(const Call& call, ValueKind kind);
void load_chunk(const Call& call, ValueKind kind, const char* event);

// Replicates a new value that has no payload, before the command that changes it: a replica's settings decide nothing.
void replicate_header(const Call& call, const Value& value, const char* load_command);

}  // namespace bloomery::server
