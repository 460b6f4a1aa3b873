// The names of the files of a profile: NAME, NAME.SONAME for libraries, NAME.gpx the sidecar.
//
// Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/output/module_table.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

// Tells the files of libraries that have one (Module::has_file) apart: of several with one soname,
// the first keeps it and the others get a number.
void number_library_files(ModuleTable& modules);

// Of NAME: the gmon file of a module, the sidecar.
void add_gmon_name(FixedText& to, const char* name, const ModuleTable& modules,
                   std::uint32_t module);
void add_sidecar_name(FixedText& to, const char* name);

// A path without its directories.
const char* last_component(const char* path);

}  // namespace gprof_runtime
