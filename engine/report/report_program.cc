#include "engine/report/report_program.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/dwarf/debug_information.h"
#include "engine/support/parallel.h"
#include "engine/symbols/external_symbols.h"
#include "engine/symbols/function_symbols.h"
#include "engine/symbols/line_symbols.h"

namespace gprof {
namespace {

Expected<SymbolTable> functions_of(const ReportRequest& request, const ReportProgram& program) {
  if (request.accurate) {
    return SymbolTable::build(program.image, program.debug_image, SymbolPolicy::full);
  }
  const GnuSymbolOptions options{request.ignore_static, request.ignore_non_functions};
  return SymbolTable::build(program.image, nullptr, SymbolPolicy::gnu, options);
}

Expected<SourceSymbolTable::Parts> choose_symbols(const ReportRequest& request,
                                                  const ReportProgram& program,
                                                  EntryLocations locations) {
  if (!request.external_symbols.empty()) {
    return external_symbols(request.external_symbols, *program.image);
  }
  Expected<SymbolTable> functions = SymbolTable();
  // Null if there is none: all reports then have no files and lines.
  std::unique_ptr<DebugInformation> debug;
  run_beside([&] { functions = functions_of(request, program); },
             [&] {
               const auto& holder = program.debug_image ? program.debug_image : program.image;
               auto opened = DebugInformation::open(holder, program.image->path());
               if (opened) debug = std::move(*opened);
             });
  if (!functions) return std::move(functions).error();
  if (request.by_line) {
    const FunctionNaming names = request.accurate ? FunctionNaming::all : FunctionNaming::gnu;
    return line_symbols(*functions, debug.get(), names);
  }
  return function_symbols(*functions, debug.get(),
                          request.accurate ? EntryLocations::all : locations);
}

// After all symbols, and empty.
SourceSymbol unknown_code_row() {
  constexpr Address nowhere{std::numeric_limits<std::uint64_t>::max()};
  SourceSymbol row;
  row.address = row.end = nowhere;
  row.name = "<unknown code>";
  return row;
}

}  // namespace

EntryLocations locations_needed(const ReportRequest& request) {
  const bool shown = request.inline_file_names || request.debug_topics != 0 ||
                     request.kinds.contains(ReportKind::execution_counts) ||
                     request.kinds.contains(ReportKind::annotated_source) ||
                     request.kinds.contains(ReportKind::file_ordering);
  const bool asked_for = !request.symspecs.empty() || !request.function_map.empty();
  return shown || asked_for ? EntryLocations::all : EntryLocations::of_static_functions;
}

Expected<ReportProgram> open_report_program(const ReportRequest& request,
                                            std::shared_ptr<const Image> image,
                                            EntryLocations locations) {
  ReportProgram program;
  program.image = std::move(image);
  std::optional<FunctionMap> map;
  if (!request.function_map.empty()) {
    TRY_ASSIGN(auto read, FunctionMap::read_file(request.function_map));
    map = std::move(read);
  }
  program.debug_image = find_debug_file(*program.image, request.debug_files, program.warnings);
  TRY_ASSIGN(auto parts, choose_symbols(request, program, locations));
  if (map) program.mapped_symbols = apply_function_map(parts, *map);
  if (request.accurate) {
    program.unknown_code = static_cast<SymbolIndex>(parts.symbols.size());
    parts.symbols.push_back(unknown_code_row());
  }
  // Accurate names are without it already.
  parts.names_are_prefixed = program.image->prefixes_names() && !request.accurate;
  program.symbols = SourceSymbolTable(std::move(parts));
  return program;
}

}  // namespace gprof
