// Bloomery's filters inside LevelDB: a policy in the place of leveldb::NewBloomFilterPolicy. Link bloomery::leveldb,
// the only target that needs LevelDB. spec/leveldb.md has the bytes.
//
//   auto policy = bloomery::leveldb_filter_policy(bloomery::Kind::split, 0.01);
//   leveldb::Options options;
//   options.filter_policy = policy->get();               // outlives the database
#pragma once

#include <leveldb/filter_policy.h>

#include <array>
#include <memory>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The kinds that have a policy.
inline constexpr std::array kPolicyKinds = {Kind::classic, Kind::split, Kind::block};

// Creates a policy, which must outlive the database. Any thread may use it. Refuses a rate that the kind cannot reach.
//
// LevelDB builds a filter of the keys of each block, some dozens. Sizes are rounded up to whole blocks of the kind, so
// the rate may be better than asked for, never worse. The policy also reads filters of another rate. Filters of another
// kind have another name, and LevelDB reads such tables without a filter. Bytes that are no filter of this kind answer
// "maybe". LevelDB verifies its own checksum of filters only with Options::paranoid_checks.
BLOOMERY_API Result<std::unique_ptr<const leveldb::FilterPolicy>> leveldb_filter_policy(Kind kind = Kind::split,
                                                                                        double fpr = 0.01);

}  // namespace BLOOMERY_NAMESPACE
