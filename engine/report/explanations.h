// The paragraphs that explain the columns of a report (left out with -b), in our own words.
//
// Thread contract: constants.
#pragma once

#include <string_view>

namespace gprof {

extern const std::string_view flat_profile_explanation;
extern const std::string_view call_graph_explanation;
// For gprof's traditional layout (-T), in which they stand under a heading of their own, before the
// reports.
extern const std::string_view traditional_flat_profile_explanation;
extern const std::string_view traditional_call_graph_explanation;

}  // namespace gprof
