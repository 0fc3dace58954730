// The nodes of this machine: processors, and the memory that is near to them. libnuma tells of them; it is looked for
// at the first use and can be missing. Without it, or where the system does not let us ask, there is one node. Nodes
// without processors do not count, and the others are numbered from 0 without gaps.
#pragma once

#include <cstddef>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// At least 1, and the same for the life of the process.
unsigned numa_nodes() noexcept;

// Has whole pages come from that node when they are first written, as long as it has any left. Whether the system
// agreed; when it did not, the memory is only slower. A number past the last node counts on from the first.
bool prefer_node(void* memory, std::size_t bytes, unsigned node) noexcept;

// From now on the calling thread runs on the processors of that node alone, and its this_node() is that number. One
// past the last node means processors as in prefer_node, but the number stays, so that a machine can play a larger one.
Status run_on_node(unsigned node);

// Where a thread is, as far as it remembers.
struct ThreadNode {
  unsigned node = 0;
  unsigned trusted = 0;  // so many times more
  bool pinned = false;
};
extern BLOOMERY_API constinit thread_local ThreadNode t_node;

// The node of the calling thread, asked of the system.
BLOOMERY_API unsigned ask_node() noexcept;

// The same, asked every 64th time: the system may take longer to answer than a lookup does. Whoever is moved
// meanwhile reads far memory for a few lookups, which is right too.
inline unsigned this_node() noexcept {
  if (t_node.trusted == 0) [[unlikely]]
    return ask_node();
  --t_node.trusted;
  return t_node.node;
}

}  // namespace BLOOMERY_NAMESPACE::detail
