#include "engine/report/report_program.h"

#include <limits>
#include <optional>
#include <utility>

#include "engine/symbols/external_symbols.h"
#include "engine/symbols/function_symbols.h"
#include "engine/symbols/line_symbols.h"

namespace gprof {
namespace {

Expected<SourceSymbolTable::Parts> choose_symbols(const ReportRequest& request,
                                                  const ReportProgram& program) {
  const DebugInformation* debug = program.debug_information.get();
  const GnuSymbolOptions options{request.ignore_static, request.ignore_non_functions};
  if (!request.external_symbols.empty()) {
    return external_symbols(request.external_symbols, *program.image);
  }
  if (request.accurate) {
    return request.by_line ? full_line_symbols(program.image, program.debug_image, debug)
                           : full_function_symbols(program.image, program.debug_image, debug);
  }
  return request.by_line ? line_symbols(program.image, debug, options)
                         : function_symbols(program.image, debug, options);
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

Expected<ReportProgram> open_report_program(const ReportRequest& request) {
  ReportProgram program;
  auto image = Image::open(request.executable);
  if (!image) return std::move(image).error();
  program.image = std::move(*image);
  std::optional<FunctionMap> map;
  if (!request.function_map.empty()) {
    auto read = FunctionMap::read_file(request.function_map);
    if (!read) return std::move(read).error();
    map = std::move(*read);
  }
  program.debug_image = find_debug_file(*program.image, request.debug_files, program.warnings);
  const auto& holder = program.debug_image ? program.debug_image : program.image;
  // Without debug information there are no files and lines; every report goes without.
  auto debug = DebugInformation::open(holder, program.image->path());
  if (debug) program.debug_information = std::move(*debug);
  auto parts = choose_symbols(request, program);
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
