// What is compared, and how it is shown: the command line of `gprof-lsp diff`, parsed.
//
// Thread contract: a value type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/cli/named_value.h"
#include "server/cli/profile_part.h"

namespace gprof::lsp {

// Executable and profiles, each profile a run.
struct DiffSide {
  std::string executable;
  std::vector<std::string> profiles;
};

enum class DiffFormat : std::uint8_t { text, json, sarif };

inline constexpr std::array<NamedValue<ComparisonMetric>, 3> metric_names = {
    {{"self", ComparisonMetric::self},
     {"total", ComparisonMetric::total},
     {"calls", ComparisonMetric::calls}}};

struct DiffOptions {
  DiffSide before;
  DiffSide after;
  DiffFormat format = DiffFormat::text;
  ComparisonMetric metric = ComparisonMetric::self;
  ProfilePart part;                 // of both sides
  std::string output;               // empty: standard output
  std::optional<double> fail_over;  // percent
  std::size_t limit = 20;           // rows of the text; 0: all
  bool lines = false;
  bool notes = false;
  std::string old_source;
  std::string source_root;
};

}  // namespace gprof::lsp
