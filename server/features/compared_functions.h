// What is said of a comparison of two sides, and of each function of it, in every form that it is
// shown in.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

template <>
inline constexpr auto wire_names<CallsVerdict> =
    enum_names<CallsVerdict>({{CallsVerdict::same, "same"},
                              {CallsVerdict::more, "more"},
                              {CallsVerdict::fewer, "fewer"},
                              {CallsVerdict::run_dependent, "run-dependent"},
                              {CallsVerdict::unknown, "unknown"}});

// Caveats, one sentence each.
[[nodiscard]] std::vector<std::string> comparison_remarks(const Comparison& comparison);

// Demangled, with parameters.
[[nodiscard]] std::string shown_name(const Comparison& comparison,
                                     const ComparedFunction& function);

// Where the newer build defines it, or the older one if the newer does not.
struct DefinitionLocation {
  std::string file;
  LineNumber line = 0;
  bool in_new_build = true;
};
[[nodiscard]] std::optional<DefinitionLocation> definition_of(const Comparison& comparison,
                                                              const ComparedFunction& function);

// "regressed"; for calls "more", "run-dependent", …
[[nodiscard]] std::string_view shown_verdict(const ComparedFunction& function,
                                             ComparisonMetric metric);

}  // namespace gprof::lsp
