// Recordings of `perf record`: perf.data, read without perf. A metric of each event, under the name
// that perf gives it; where samples have a weight (of memory accesses: cycles), another of that.
//
// Samples weigh their periods, as in `perf report`. They keep their process, thread and time, by
// perf's clock. The kernel's part is one module, "kernel", whose functions
// are told apart where its symbols are known (kallsyms). Callers are known where call chains were
// recorded: by frame pointers, from branch stacks (lbr), or by copies of the stack (dwarf), which
// are walked here.
//
// Thread contract: pure functions of files. Errors: wrong_format, truncated, corrupt and
// unsupported with the offset; mismatch if no sample is of the program. Damage behind the header is
// one warning, and what comes before it is shown. Memory: a window of the file, and different
// stacks, whose frames are bounded.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/import/imported_profile.h"
#include "engine/import/perf_data/perf_bytes.h"
#include "engine/import/perf_data/perf_data_file.h"
#include "engine/object/image.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"

namespace gprof {

// `program`: the target's image. `room`: for a file of that size.
[[nodiscard]] Expected<Profile> read_perf_data(perf_data::PerfBytes bytes,
                                               const ImportTarget& target, const Image& program,
                                               MemoryRoom& room, Warnings& warnings);

// The program that has most samples at the beginning of a recording.
struct RecordedProgram {
  std::string path;
  std::string build_id;  // hexadecimal; empty if it is not known
};
// None if no program of the recording is known. Errors: those of its header.
[[nodiscard]] Expected<std::optional<RecordedProgram>> program_of_perf_data(
    perf_data::PerfBytes bytes);

}  // namespace gprof
