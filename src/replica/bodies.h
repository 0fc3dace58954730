// The bodies of the six messages as bytes (spec/replica.md).
#pragma once

#include <span>

#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

// Appends the body, whose delta is sorted. An error names what is too much.
Status write_body(const Body& body, Bytes& to);

// Reads a body. `newer`: its version is later than ours, so that fields may follow those we know.
Result<Body> parse_body(Type type, std::span<const std::uint8_t> bytes, bool newer);

}  // namespace BLOOMERY_NAMESPACE::replica
