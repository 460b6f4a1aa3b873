// Filters of system calls (seccomp) that the program installs while it runs. The collector keeps a
// copy of each and asks it before a call of its own: what would end the program, reach a handler of
// it or a tracer, is answered with EPERM instead. What a filter answers with an error goes to the
// kernel.
//
// Filters belong to the thread that installs them and those that it makes then; with
// SECCOMP_FILTER_FLAG_TSYNC to all threads. A thread of which nothing is known obeys all.
//
// Ownership: copies are anonymous memory, never freed. Thread contract: any thread, any signal
// handler; prepare() to install() of one filter is one thread's.
#pragma once

#include <cstdint>

struct sock_fprog;

namespace gprof_runtime::seccomp {

struct Filter;

// A copy of the program; null where it cannot be read, is none that the kernel takes, or there is
// no memory.
Filter* prepare(const struct sock_fprog* program);
// What strict mode lets through: read, write, exit, rt_sigreturn.
Filter* prepare_strict();

// Whether the filter alone would not let the call through.
bool forbids(const Filter& filter, long number, const long (&arguments)[6]);

// From here on the calling thread, or the whole process, obeys it; and no longer, where the kernel
// refused it.
void install(Filter* filter, bool whole_process);
void uninstall(Filter* filter);

// Of the calling thread, for one that it makes; null for none.
const Filter* of_this_thread();
// In a new thread, or the first one.
void inherit(const Filter* filter);

}  // namespace gprof_runtime::seccomp
