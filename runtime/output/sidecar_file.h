// Writes the sidecar: formats/sidecar.h.
//
// Errors: those of the OutputFile, including ENOMEM if memory runs out. Thread contract: one thread
// at a time, any signal handler.
#pragma once

#include "formats/live_file.h"
#include "runtime/output/gather.h"
#include "runtime/output/output_file.h"
#include "runtime/output/sidecar_strings.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Facts about the process for the sidecar, beyond those gathered.
struct ProcessFacts {
  const LiveHeader* header;  // name, times, losses, rate
  Ending ending;
  std::int32_t exit_status;
  std::uint64_t end_time;
};

// The file must be open and empty.
void write_sidecar(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings,
                   const ProcessFacts& facts);

}  // namespace gprof_runtime
