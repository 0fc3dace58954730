// The keys of a lineage on a server. One hash tag holds them in one slot of a cluster.
#pragma once

#include <string>

#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

class Names {
 public:
  explicit Names(const Lineage& lineage) : prefix_("{blm:" + lineage.to_hex() + "}:") {}

  std::string stream() const { return prefix_ + "stream"; }
  std::string inbox(std::uint64_t origin) const { return prefix_ + "inbox:" + std::to_string(origin); }
  std::string peers() const { return prefix_ + "peers"; }            // a hash: origin, its newest hello
  std::string checkpoint() const { return prefix_ + "checkpoint"; }  // a hash: the pointer
  std::string part(const std::string& token, std::size_t i) const {
    return prefix_ + "part:" + token + ":" + std::to_string(i);
  }
  std::string copy(const std::string& token, std::size_t i) const {  // of a checkpoint of another site
    return prefix_ + "copy:" + token + ":" + std::to_string(i);
  }
  std::string bridged(const std::string& site) const { return prefix_ + "bridged:" + site; }
  std::string asked() const { return prefix_ + "asked"; }      // a hash: checkpoint or repair, a token for each time
  std::string bridges() const { return prefix_ + "bridges"; }  // a hash: name, the last entry it has forwarded

 private:
  std::string prefix_;
};

// Fields of an entry: a message or the copy of a checkpoint ("token parts bytes"), and the site that it comes from.
inline constexpr std::string_view kMessageField = "m", kCopyField = "c", kSiteField = "s";
inline constexpr std::string_view kBehind = "behind";  // of a bridge whose entries were trimmed

}  // namespace BLOOMERY_NAMESPACE::replica
