// Notes from this process to `gprof-lsp record` beyond its profile; see formats/run_notes.h.
//
// The page is attached once, when the library is loaded; adding a note then makes no system call.
// Thread contract: open_run_notes() before the first thread; the others in any thread, any signal
// handler, and in children of vfork and fork.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// Attaches the page of that number. Without one, notes are dropped.
void open_run_notes(std::uint32_t number);

// A further process has left a profile: adds the CPU time that it has used since the library was
// loaded, or since the last call.
void add_run_cpu_time();
// In a forked child, whose CPU time begins anew.
void restart_run_cpu_time();

// Adds the line "KIND DETAIL TEXT", with '?' for control characters. Does nothing if the page has
// it already, or has no room left.
void add_run_note(const char* kind, const char* detail, const char* text);

}  // namespace gprof_runtime
