#include "bloomery/choose.h"

#include <array>
#include <string_view>

#include "bloomery/any.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

struct Need {
  const char *need, *words, *why;  // why: of the first kind
  std::array<Kind, 3> kinds;       // the best first; a kind again where there is no further one
  bool saves = false;              // of the first ones, only those that take less than the last
};

constexpr Need one(const char* need, const char* words, Kind kind, const char* why) {
  return {need, words, why, {kind, kind, kind}};
}

const std::array kNeeds = {
    Need{"static",
         "all keys are known now, none comes later",
         "made of all keys at once, close to the limit, quick to ask",
         {Kind::fuse, Kind::ribbon, Kind::block},
         true},
    Need{"smallest",
         "the same, and every byte counts (a download, a phone)",
         "within a few percent of the limit, slower to make and to ask",
         {Kind::ribbon, Kind::fuse, Kind::block},
         true},
    one("adding", "keys come one by one, about n of them", Kind::block, "one cache line a lookup; the default"),
    Need{"removing",
         "keys come and go (sessions)",
         "remove only what was added; sized for the most that are in at once",
         {Kind::cuckoo, Kind::quotient, Kind::counting}},
    Need{"counted",
         "the same, and counted, merged, listed or grown in place",
         "holds the fingerprints themselves",
         {Kind::quotient, Kind::counting, Kind::counting}},
    one("unknown", "nobody knows how many keys will come (a crawl)", Kind::scalable,
        "starts with these bytes for n keys and grows by itself, below its rate"),
    one("stream", "a stream that never ends, in memory that stays", Kind::stable,
        "remembers about the last n keys and forgets older ones"),
    Need{"table",
         "in front of a sorted table (an SSTable)",
         "the fewest wasted reads for its bits; tables take it",
         {Kind::block, Kind::fuse, Kind::ribbon}},
    one("parquet", "a Parquet column", Kind::split, "Parquet's own filter: the next power of two of bytes"),
    one("languages", "a file that a page of code in any language reads", Kind::classic, "k reads of memory a lookup"),
    one("exact", "few keys, and the rate must hold", Kind::partitioned, "the textbook's rate from one key on"),
    one("overlap", "two sets: how many keys have they in common?", Kind::block,
        "two filters of one n and fpr tell, each with its error"),
    one("replicas", "two replicas: which keys differ?", Kind::iblt, "as large as the difference, whatever n is"),
};

// Bytes of that kind at these numbers; nothing where it cannot do them, or only with a warning.
std::optional<std::uint64_t> bytes_of(const Need& need, Kind kind, std::uint64_t n, double fpr) {
  if (need.need == std::string_view("parquet")) {
    const Result<SplitGeometry> rounded = SplitGeometry::for_parquet(n, fpr);
    return rounded.ok() ? std::optional(rounded->payload_bytes()) : std::nullopt;
  }
  const Result<SizePlan> plan = plan_size(kind, n, {fpr});
  if (!plan.ok() || !plan->warning.empty()) return std::nullopt;
  return plan->bytes;
}

Choice choose(const Need& need, std::uint64_t n, double fpr) {
  if (need.kinds[0] == Kind::iblt) return {need.need, need.words, to_string(Kind::iblt), {}, need.why};
  const auto last = bytes_of(need, need.kinds.back(), n, fpr);
  for (const Kind kind : need.kinds)
    if (const auto bytes = bytes_of(need, kind, n, fpr); bytes && !(need.saves && last && *bytes > *last))
      return {need.need, need.words, to_string(kind), bytes, kind == need.kinds[0] ? need.why : when_to_pick(kind)};
  return {need.need, need.words, "none", {}, "no kind for this can do these numbers; the table says why"};
}

}  // namespace

Result<std::vector<Choice>> choices(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<std::vector<Choice>> {
    std::vector<Choice> all;
    all.reserve(kNeeds.size());
    for (const Need& need : kNeeds) all.push_back(choose(need, n, fpr));
    return all;
  });
}

}  // namespace BLOOMERY_NAMESPACE
