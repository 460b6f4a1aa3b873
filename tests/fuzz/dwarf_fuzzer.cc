// The DWARF reader: units, files, rows, functions and inlined calls of any ELF file.
#include <cstdint>
#include <vector>

#include "engine/dwarf/debug_information.h"
#include "engine/object/image.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

void read_rows(const DebugInformation& debug, UnitIndex unit) {
  const auto rows = debug.rows(unit);
  if (!rows) return;
  for (const LineRow& row : *rows) {
    if (row.file != no_file) (void)debug.path(row.file);
  }
}

void read_functions(const DebugInformation& debug, UnitIndex unit) {
  const auto functions = debug.functions(unit);
  if (!functions) return;
  const std::size_t subprograms = functions->subprograms.size();
  for (const Subprogram& subprogram : functions->subprograms) {
    (void)debug.path(subprogram.declaration.file);
  }
  for (std::size_t i = 0; i < functions->inlined_calls.size(); ++i) {
    const InlinedCall& call = functions->inlined_calls[i];
    require(call.callee < subprograms, "an inlined call's callee is a subprogram");
    require(call.container < subprograms, "an inlined call's container is a subprogram");
    require(!call.parent || *call.parent < i, "parents come before children");
    (void)debug.path(call.call_site.file);
  }
}

void read_files(const DebugInformation& debug, UnitIndex unit) {
  for (const FileId file : debug.files(unit)) {
    const std::string path = debug.path(file);
    (void)debug.find_file(path);
    (void)debug.units_of_file(file);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto image = Image::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!image) return 0;
  const AddressRange code = (*image)->code_range();
  // Beside no program, so that no file of the machine is taken for a part of the input.
  auto debug = DebugInformation::open(*image, "/nonexistent/input");
  if (!debug) {
    require(!debug.error().message.empty(), "an error says what went wrong");
    return 0;
  }
  const auto units = static_cast<UnitIndex>((*debug)->units().size());
  for (UnitIndex unit = 0; unit < units; ++unit) {
    read_files(**debug, unit);
    read_rows(**debug, unit);
    read_functions(**debug, unit);
  }
  (void)(*debug)->all_files();
  if (const auto unit = (*debug)->unit_at(code.low)) {
    require(*unit < units, "the unit of an address is a unit");
  }
  (void)(*debug)->warnings();
  return 0;
}
