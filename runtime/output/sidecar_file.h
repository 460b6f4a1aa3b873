// The sidecar: sidecar_format.h.
//
// Errors: those of the OutputFile; memory that ends sets ENOMEM there. Thread contract: one thread
// at a time, any signal handler.
#pragma once

#include "formats/live_file.h"
#include "runtime/output/gather.h"
#include "runtime/output/output_file.h"
#include "runtime/output/sidecar_strings.h"

namespace gprof_runtime {

using namespace gprof_formats;

// What the sidecar says of the process beyond what was gathered.
struct ProcessFacts {
  const LiveHeader* header;  // name, times, losses, rate
  Ending ending;
  std::int32_t exit_status;
  std::uint64_t end_time;
};

// The file is open and empty.
void write_sidecar(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings,
                   const ProcessFacts& facts);

}  // namespace gprof_runtime
