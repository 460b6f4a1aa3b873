// Parses single rows of reports: numbers, names, and what is in brackets.
//
// Ownership: views into the line. Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/support/units.h"

namespace gprof::lsp {

// A row's name with everything after it: "f (a.c:7 @ 11b9) <cycle 1> [4]".
struct RowName {
  std::size_t begin = 0;
  std::string_view name;  // "f"
  std::string_view note;  // "a.c" of "f (a.c:7 @ 11b9)"
  std::optional<Address> address;
  std::uint32_t entry = 0;      // 4
  std::size_t entry_begin = 0;  // of "[4]"
  std::size_t entry_end = 0;
  bool is_cycle = false;  // "<cycle 1 as a whole>", "<spontaneous>": not a function
};

struct ReportRow {
  RowName name;
  std::uint32_t primary = 0;  // "[4]" at the start: the line of an entry's own function
  std::optional<std::uint64_t> calls;
};

// Of the flat profile, any layout.
[[nodiscard]] std::optional<ReportRow> parse_flat_row(std::string_view line);
// Of the call graph: an entry's own function, a caller, a callee, a member of a cycle.
[[nodiscard]] std::optional<ReportRow> parse_graph_row(std::string_view line);
// A name from `begin` to the end of the line.
[[nodiscard]] RowName parse_name(std::string_view line, std::size_t begin);

// "PATH:LINE: (NAME:0xADDRESS) N executions"
struct ExecutionsRow {
  std::string_view path;
  LineNumber line = 0;
  std::size_t name_begin = 0;
  std::string_view name;
  Address address;
};
[[nodiscard]] std::optional<ExecutionsRow> parse_executions_row(std::string_view line);

// The cell of the name index that starts at or after `from`: its number in brackets or parentheses,
// and its text up to the next cell.
struct IndexCell {
  std::uint32_t entry = 0;
  std::size_t entry_begin = 0;
  std::size_t entry_end = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::optional<IndexCell> next_index_cell(std::string_view line, std::size_t from);

}  // namespace gprof::lsp
