// The names of a profile's files: NAME, NAME.SONAME for libraries, NAME.gpx for the sidecar.
//
// Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/output/module_table.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

// Makes the file names of libraries that have a file (Module::has_file) unique: of several with the
// same soname, the first keeps it and the others get a number.
void number_library_files(ModuleTable& modules);

// Append the name of a module's gmon file, or of the sidecar, for a profile called NAME.
void add_gmon_name(FixedText& to, const char* name, const ModuleTable& modules,
                   std::uint32_t module);
void add_sidecar_name(FixedText& to, const char* name);

// A path without its directories.
const char* last_component(const char* path);

}  // namespace gprof_runtime
