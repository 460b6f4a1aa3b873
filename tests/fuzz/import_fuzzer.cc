// Texts of other tools: what `perf script` prints, callgrind's files. They are read for a small
// program that was built in, for its symbols and lines are a part of what readers join.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "engine/import/callgrind.h"
#include "engine/import/perf_script.h"
#include "engine/program.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

const Program& program() {
  static const auto opened = Program::open(GPROF_LSP_FUZZ_PROGRAM);
  require(opened.has_value(), "the program can be opened");
  return **opened;
}

// The same lines for every function: where they come from is another's concern.
ImportTarget target() {
  const auto lines = [](SymbolIndex function, std::string_view) {
    const Symbol& symbol = program().symbols()[function];
    return std::vector<LineCode>{{{symbol.address, symbol.end}, "a.c", 1}};
  };
  return {program().symbols(), program().code(), program().image().path(), lines};
}

void check(const Expected<ImportedProfile>& imported, std::size_t size) {
  if (!imported) {
    require(!imported.error().message.empty(), "an error says what went wrong");
    require(!imported.error().offset || *imported.error().offset <= size,
            "an error's offset lies in the text");
    return;
  }
  const auto& histograms = imported->raw.histograms;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    require(histograms[i].low < histograms[i].high, "a histogram's range is not empty");
    require(histograms[i].high - histograms[i].low == 2 * histograms[i].bins.size(),
            "a bin is two bytes");
    require(i == 0 || histograms[i - 1].high <= histograms[i].low,
            "histograms are ascending and disjoint");
  }
  require(imported->raw.rate > 0, "ticks have a unit");
  if (!imported->sidecar) return;
  for (const SidecarStack& stack : imported->sidecar->stacks) {
    require(!stack.frames.empty(), "a stack has frames");
    for (const ModuleAddress& frame : stack.frames) {
      require(frame.module < imported->sidecar->modules.size(), "a frame's module is there");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Warnings warnings;
  (void)is_perf_script(text);
  (void)is_callgrind(text);
  check(read_perf_script(text, "input", target(), warnings), size);
  check(read_callgrind(text, "input", target(), warnings), size);
  return 0;
}
