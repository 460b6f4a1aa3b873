// The gmon file of one module, in GNU's format: docs/gmon-format.md.
//
// Errors: those of the OutputFile, including ENOMEM if memory runs out. Thread contract: one thread
// at a time, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/output/gather.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

// Whether a module gets a gmon file: the executable always, others if they counted something.
bool wants_gmon_file(const Gathered& gathered, std::uint32_t module);

// `rate`: samples per second. The file must be open and empty.
void write_gmon(OutputFile& file, const Gathered& gathered, std::uint32_t module,
                std::uint32_t rate);

}  // namespace gprof_runtime
