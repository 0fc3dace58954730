// All kinds of filters, their files, sizing and figures. What is a library of its own has headers of its own:
// bloomery/live/, bloomery/table/, bloomery/replica/, bloomery/replica_streams.h, bloomery/leveldb.h and bloomery/c.h.
#pragma once

#include "bloomery/any.h"               // IWYU pragma: export
#include "bloomery/any_mutable_view.h"  // IWYU pragma: export
#include "bloomery/block.h"             // IWYU pragma: export
#include "bloomery/choose.h"            // IWYU pragma: export
#include "bloomery/classic.h"           // IWYU pragma: export
#include "bloomery/counting.h"          // IWYU pragma: export
#include "bloomery/cuckoo.h"            // IWYU pragma: export
#include "bloomery/environment.h"       // IWYU pragma: export
#include "bloomery/export.h"            // IWYU pragma: export
#include "bloomery/figures.h"           // IWYU pragma: export
#include "bloomery/file.h"              // IWYU pragma: export
#include "bloomery/filter.h"            // IWYU pragma: export
#include "bloomery/filter_options.h"    // IWYU pragma: export
#include "bloomery/fuse.h"              // IWYU pragma: export
#include "bloomery/growth.h"            // IWYU pragma: export
#include "bloomery/hash.h"              // IWYU pragma: export
#include "bloomery/iblt.h"              // IWYU pragma: export
#include "bloomery/iblt_file.h"         // IWYU pragma: export
#include "bloomery/inspect.h"           // IWYU pragma: export
#include "bloomery/keys.h"              // IWYU pragma: export
#include "bloomery/kind.h"              // IWYU pragma: export
#include "bloomery/label.h"             // IWYU pragma: export
#include "bloomery/layout.h"            // IWYU pragma: export
#include "bloomery/log.h"               // IWYU pragma: export
#include "bloomery/memory.h"            // IWYU pragma: export
#include "bloomery/metrics.h"           // IWYU pragma: export
#include "bloomery/mutable_view.h"      // IWYU pragma: export
#include "bloomery/overlap.h"           // IWYU pragma: export
#include "bloomery/partitioned.h"       // IWYU pragma: export
#include "bloomery/quotient.h"          // IWYU pragma: export
#include "bloomery/rate.h"              // IWYU pragma: export
#include "bloomery/rate_spread.h"       // IWYU pragma: export
#include "bloomery/records.h"           // IWYU pragma: export
#include "bloomery/result.h"            // IWYU pragma: export
#include "bloomery/ribbon.h"            // IWYU pragma: export
#include "bloomery/scalable.h"          // IWYU pragma: export
#include "bloomery/split.h"             // IWYU pragma: export
#include "bloomery/stable.h"            // IWYU pragma: export
#include "bloomery/string_column.h"     // IWYU pragma: export
#include "bloomery/version.h"           // IWYU pragma: export
#include "bloomery/view.h"              // IWYU pragma: export
