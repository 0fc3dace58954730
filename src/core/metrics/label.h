// Names that come from outside, as the values of labels.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::metrics {

// The same text where it is fit to be printed; else with a question mark for each byte that is a control character or
// no part of valid UTF-8, which both Prometheus and JSON insist on. A line feed stays.
std::string clean_label(std::string_view text);

// Between quotes, in Prometheus and in JSON: of clean text, backslash, quote and line feed escaped.
std::string escaped(std::string_view text);

}  // namespace BLOOMERY_NAMESPACE::metrics
