// What the commands of BLM.* share: how they find the filter of a key, and what they refuse.
#pragma once

#include "server/call.h"
#include "server/filter_value.h"

namespace bloomery::server {

// Returns the filter under the key, or nullptr when it has replied why there is none. A missing key is an error here,
// unlike a missing item.
FilterValue* filter_of(const Call& call, const OpenedKey& key);
// Returns a filter to be changed or asked by keys. Refuses one whose secret is missing.
FilterValue* filter_by_keys(const Call& call, const OpenedKey& key);
// Returns a filter to be changed by what needs no secret: hashes, other filters, a turn of its windows. Refuses one
// whose secret is missing, unless a primary or an AOF says so.
FilterValue* filter_by_hashes(const Call& call, const OpenedKey& key);

// When windows turned that are said to have turned at a time: a client that names the future, where they would turn no
// more, means now.
std::uint64_t turned_at(const Call& call, std::uint64_t given_ms);
// How many windows still count: those that are overdue do not, by the clock of a primary. Replicas have no say.
std::size_t windows_that_count(const Call& call, const FilterValue& value);
// Turns the windows of a primary that are overdue, and tells replicas. Returns false when it has replied an error.
bool turn_overdue(const Call& call, FilterValue& value);

}  // namespace bloomery::server
