// A bar of tqdm that follows the keys of a batch, for callers who ask for one.
#pragma once

#include <memory>

#include "column.h"

namespace bloomery::python {

// The same keys in slices, with a bar that moves after each. `progress` is what the caller gave: False gives the source
// back as it is, True shows a bar, and a str shows it beside the bar. Raises UnsupportedError where tqdm is not
// installed.
std::unique_ptr<Source> with_progress(std::unique_ptr<Source> source, nb::handle progress);

// The source of the keys with what else the methods for many keys take: the name of what nulls become, and the bar.
inline std::unique_ptr<Source> open_source(nb::handle keys, const Hasher& hasher, const char* nulls,
                                           nb::handle progress) {
  return with_progress(open_source(keys, hasher, nulls_from_name(nulls)), progress);
}

}  // namespace bloomery::python
