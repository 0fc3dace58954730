// Bloomery's filters inside LevelDB: a policy in the place of leveldb::NewBloomFilterPolicy. A target of its own,
// bloomery::leveldb, which alone needs LevelDB. spec/leveldb.md has the bytes.
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

// The kinds that there is a policy of.
inline constexpr std::array kPolicyKinds = {Kind::classic, Kind::split, Kind::block};

// LevelDB makes a filter of the keys of each block, so of some dozens: sizes are rounded up to whole blocks of the
// kind, and the rate is then better than asked for, never worse. Filters made with another rate are read as well; those
// of another kind have another name, and LevelDB reads such tables without a filter. Bytes that are no filter of this
// kind answer "maybe". LevelDB verifies its own checksum of filters only with Options::paranoid_checks. Safe from any
// thread, as LevelDB wants it. Refuses a rate that the kind does not go to.
BLOOMERY_API Result<std::unique_ptr<const leveldb::FilterPolicy>> leveldb_filter_policy(Kind kind = Kind::split,
                                                                                        double fpr = 0.01);

}  // namespace BLOOMERY_NAMESPACE
