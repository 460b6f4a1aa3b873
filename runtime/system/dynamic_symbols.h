// Functions of other libraries, found by name: those that the shared library interposes and calls,
// and those that are not in every libc. A static program has no such look-ups.
//
// Thread contract: any thread, but no signal handler: the loader's locks are taken. A failure
// leaves no dlerror() behind.
#pragma once

namespace gprof_runtime {

// In the libraries that come after this one. Null if none has it.
void* next_symbol(const char* name);
// The same for one version of it.
void* versioned_symbol(const char* name, const char* version);

enum class Missing : unsigned char { stays, is_loaded };

// Of libpthread, which before glibc 2.34 is a library of its own: it may have come with a library
// that the program opened, where next_symbol() does not look. `is_loaded`: it is loaded if the
// process does not have it.
void* thread_symbol(const char* name, Missing library);

}  // namespace gprof_runtime
