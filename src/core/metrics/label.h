// Names that come from outside, as the values of labels.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::metrics {

// Returns the text fit to be printed: with a question mark for each byte that is a control character or no part of
// valid UTF-8, because Prometheus and JSON insist on that. A line feed stays.
std::string clean_label(std::string_view text);

// Returns clean text as it stands between quotes, in Prometheus and in JSON: with backslash, quote and line feed
// escaped.
std::string escaped(std::string_view text);

}  // namespace BLOOMERY_NAMESPACE::metrics
