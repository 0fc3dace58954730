// The NUMA nodes of this machine: processors, and the memory that is near to them. libnuma knows them; it is loaded at
// the first use and may be missing. Without it, or where the system refuses to answer, there is one node. Nodes without
// processors do not count, and the others are numbered from 0 without gaps.
#pragma once

#include <cstddef>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// Returns the number of nodes: at least 1, and the same for the life of the process.
unsigned numa_nodes() noexcept;

// Asks the system to take whole pages from that node when they are first written, as long as it has any left. Returns
// whether the system agreed; if not, the memory is only slower. A number past the last node wraps around.
bool prefer_node(void* memory, std::size_t bytes, unsigned node) noexcept;

// From now on the calling thread runs on the processors of that node alone, and its this_node() is that number. A
// number past the last node wraps around for the processors but not for this_node(), so that a machine can play a
// larger one.
Status run_on_node(unsigned node);

// The node of a thread, as it last heard.
struct ThreadNode {
  unsigned node = 0;
  unsigned trusted = 0;  // how many more times it is believed
  bool pinned = false;
};
extern BLOOMERY_API constinit thread_local ThreadNode t_node;

// Asks the system for the node of the calling thread.
BLOOMERY_API unsigned ask_node() noexcept;

// Returns the node of the calling thread, and asks the system every 64th time only, because that may take longer than a
// lookup. A thread that was moved meanwhile reads far memory for a few lookups, which is correct.
inline unsigned this_node() noexcept {
  if (t_node.trusted == 0) [[unlikely]]
    return ask_node();
  --t_node.trusted;
  return t_node.node;
}

}  // namespace BLOOMERY_NAMESPACE::detail
