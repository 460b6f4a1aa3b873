// The request for a report: gprof's command line, parsed.
//
// Thread contract: a value type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/reader.h"
#include "engine/object/debug_file.h"
#include "engine/object/demangle.h"
#include "engine/support/folder_bounds.h"
#include "engine/symspec/symspec.h"

namespace gprof {

class Snapshot;

enum class ReportKind : std::uint8_t {
  flat_profile,       // -p
  call_graph,         // -q
  execution_counts,   // -C
  annotated_source,   // -A
  function_ordering,  // -r
  file_ordering,      // -R
  summary_file,       // -s
};

// A set of reports.
class ReportKinds {
 public:
  [[nodiscard]] bool contains(ReportKind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] bool empty() const { return bits_ == 0; }
  void insert(ReportKind kind) { bits_ |= bit(kind); }
  void erase(ReportKind kind) { bits_ &= ~bit(kind); }
  friend bool operator==(const ReportKinds&, const ReportKinds&) = default;

 private:
  static std::uint32_t bit(ReportKind kind) { return 1U << static_cast<unsigned>(kind); }
  std::uint32_t bits_ = 0;
};

struct ReportRequest {
  std::string executable = "a.out";
  std::vector<std::string> profiles = {"gmon.out"};
  // The contents, read by the caller, of profiles that are not files: "-" and pipes.
  std::map<std::string, std::vector<std::byte>> streams;
  GmonFormatChoice format = GmonFormatChoice::automatic;  // -O

  // What to print. `named` contains every report that an option mentions, even to suppress it: the
  // default reports exclude those.
  ReportKinds kinds;
  ReportKinds named;
  bool file_information = false;        // -i
  std::vector<SymspecChoice> symspecs;  // in command line order

  // Which symbols and arcs exist.
  bool ignore_static = false;         // -a
  bool ignore_non_functions = false;  // -D
  bool static_calls = false;          // -c
  bool by_line = false;               // -l
  std::string external_symbols;       // -S: path of a symbol list; empty: the executable's symbols
  std::string function_map;           // -R: path of the function-to-object map
  DebugFileSearch debug_files;

  // How to print it.
  bool brief = false;               // -b
  bool traditional = false;         // -T
  bool show_unused = false;         // -z
  bool full_paths = false;          // -L
  bool inline_file_names = false;   // --inline-file-names
  bool every_line = false;          // -x
  bool separate_files = false;      // -y
  std::uint64_t minimum_count = 1;  // -m
  int table_length = 10;            // -t, not negative
  int index_width = 80;             // -w, at least 1
  std::optional<DemangleStyle> demangle = DemangleStyle::automatic;
  std::vector<std::string> source_directories;  // -I, then GPROF_PATH
  Bounds source_bounds;                         // where annotated sources must be
  std::uint32_t debug_topics = 0;               // -d: the manual's numbers, added up

  // Beyond GNU gprof.
  bool accurate = false;  // --accurate: every function, as the editor sees the program
  // The profiles as they were analysed, or a part of them (snapshot_view.h): its figures are
  // reported and nothing is read of the profiles; needs `accurate`. The executable is its
  // program's. Null: the profiles are read.
  std::shared_ptr<const Snapshot> view;
  bool show_errors = false;  // --error: the statistical error of sampled times
  // For terminals, where line breaks and tabs in a name would look like the report's: replaces them
  // with '?'.
  bool one_line_names = false;
};

}  // namespace gprof
