// Other tools' files: perf.data, what `perf script` prints, callgrind's, folded stacks, pprof's,
// gperftools'.
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/import/callgrind.h"
#include "engine/import/converted_profile.h"
#include "engine/import/folded.h"
#include "engine/import/gperftools.h"
#include "engine/import/perf_data/perf_data.h"
#include "engine/import/perf_script.h"
#include "engine/import/pprof.h"
#include "tests/fuzz/imported_checks.h"
#include "tests/fuzz/require.h"
#include "tests/support/converted_recording.h"

using namespace gprof;
using namespace gprof::test;

namespace {

void check(const Expected<ImportedProfile>& imported, std::size_t size) {
  if (!imported) {
    require(!imported.error().message.empty(), "an error says what went wrong");
    require(!imported.error().offset || *imported.error().offset <= size,
            "an error's offset lies in the text");
    return;
  }
  check_metrics(*imported);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Warnings warnings;
  (void)is_perf_script(text);
  (void)is_callgrind(text);
  check(read_converted(read_perf_script, text, "input", target(), warnings), size);
  const perf_data::PerfBytes bytes(std::as_bytes(std::span(data, size)), "input");
  check(converted_recording(bytes, target(), program().image(), warnings), size);
  (void)program_of_perf_data(bytes);
  check(read_callgrind(text, "input", target(), warnings), size);
  (void)is_gperftools(text);
  check(read_converted(read_gperftools, text, "input", target(), warnings), size);
  (void)is_folded(text);
  check(read_converted(read_folded, text, "input", target(), warnings), size);
  (void)is_pprof(text);
  check(read_converted(read_pprof, text, "input", target(), warnings), size);
  return 0;
}
