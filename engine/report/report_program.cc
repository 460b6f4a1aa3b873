#include "engine/report/report_program.h"

#include <limits>
#include <optional>
#include <utility>

#include "engine/dwarf/debug_information.h"
#include "engine/symbols/external_symbols.h"
#include "engine/symbols/function_symbols.h"
#include "engine/symbols/line_symbols.h"

namespace gprof {
namespace {

// `debug` is null where there is none.
Expected<SourceSymbolTable::Parts> choose_symbols(const ReportRequest& request,
                                                  const ReportProgram& program,
                                                  const DebugInformation* debug,
                                                  EntryPlaces places) {
  const GnuSymbolOptions options{request.ignore_static, request.ignore_non_functions};
  if (!request.external_symbols.empty()) {
    return external_symbols(request.external_symbols, *program.image);
  }
  if (request.accurate) {
    return request.by_line ? full_line_symbols(program.image, program.debug_image, debug)
                           : full_function_symbols(program.image, program.debug_image, debug);
  }
  return request.by_line ? line_symbols(program.image, debug, options)
                         : function_symbols(program.image, debug, options, places);
}

// Behind all symbols, and empty.
SourceSymbol unknown_code_row() {
  constexpr Address nowhere{std::numeric_limits<std::uint64_t>::max()};
  SourceSymbol row;
  row.address = row.end = nowhere;
  row.name = "<unknown code>";
  return row;
}

}  // namespace

EntryPlaces places_needed(const ReportRequest& request) {
  const bool shown = request.inline_file_names || request.debug_topics != 0 ||
                     request.kinds.contains(ReportKind::execution_counts) ||
                     request.kinds.contains(ReportKind::annotated_source) ||
                     request.kinds.contains(ReportKind::file_ordering);
  const bool asked_for = !request.symspecs.empty() || !request.function_map.empty();
  return shown || asked_for ? EntryPlaces::all : EntryPlaces::of_static_functions;
}

Expected<ReportProgram> open_report_program(const ReportRequest& request,
                                            std::shared_ptr<const Image> image,
                                            EntryPlaces places) {
  ReportProgram program;
  program.image = std::move(image);
  std::optional<FunctionMap> map;
  if (!request.function_map.empty()) {
    auto read = FunctionMap::read_file(request.function_map);
    if (!read) return std::move(read).error();
    map = std::move(*read);
  }
  program.debug_image = find_debug_file(*program.image, request.debug_files, program.warnings);
  const auto& holder = program.debug_image ? program.debug_image : program.image;
  // Without debug information there are no files and lines; every report goes without.
  const auto debug = DebugInformation::open(holder, program.image->path());
  auto parts = choose_symbols(request, program, debug ? debug->get() : nullptr, places);
  if (!parts) return std::move(parts).error();
  if (map) program.mapped_symbols = apply_function_map(*parts, *map);
  if (request.accurate) {
    program.unknown_code = static_cast<SymbolIndex>(parts->symbols.size());
    parts->symbols.push_back(unknown_code_row());
  }
  program.symbols = SourceSymbolTable(std::move(*parts));
  return program;
}

}  // namespace gprof
