// gprof's symbol specifications (manual, section 4.5): which functions, files and lines an option
// refers to.
//
//   FILE.EXT   FILE:   NAME   LINE   FILE:NAME   FILE:LINE   :NAME     and FROM/TO for arcs
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/support/units.h"

namespace gprof {

// What an option does with the symbols that a specification matches.
enum class SymspecList : std::uint8_t {
  include_graph,
  exclude_graph,
  include_arcs,
  exclude_arcs,
  include_annotation,
  exclude_annotation,
  include_executions,
  exclude_executions,
  include_flat,
  exclude_flat,
  include_time,
  exclude_time,
};
inline constexpr std::size_t symspec_list_count = 12;

// One specification from the command line, not parsed yet.
struct SymspecChoice {
  SymspecList list = SymspecList::include_flat;
  std::string text;

  friend bool operator==(const SymspecChoice&, const SymspecChoice&) = default;
};

// Empty or 0 members match anything.
struct Symspec {
  std::string file;  // compared with base names
  std::string function;
  LineNumber line = 0;
};

[[nodiscard]] Symspec parse_symspec(std::string_view text);

}  // namespace gprof
