// System call filters (seccomp) that the program installs while it runs. The collector keeps a copy
// of each and runs it before its own calls: a call that would end the program or reach its handler
// or a tracer fails with EPERM instead. If a filter would return an error, the call goes to the
// kernel.
//
// Filters apply to the thread that installs them and to threads that it creates afterwards; with
// SECCOMP_FILTER_FLAG_TSYNC to all threads. A thread that nothing is known about obeys all filters.
//
// Ownership: copies are anonymous memory, never freed. Thread contract: any thread, any signal
// handler; one thread takes a filter from prepare() to install().
#pragma once

#include <cstdint>

struct sock_fprog;

namespace gprof_runtime::seccomp {

struct Filter;

// A copy of the program; null if there is none, if the kernel would reject its length, or if out of
// memory.
Filter* prepare(const struct sock_fprog* program);
// The filter of strict mode, which allows read, write, exit and rt_sigreturn.
Filter* prepare_strict();

// Whether this filter alone would block the call.
bool forbids(const Filter& filter, long number, const long (&arguments)[6]);

// From install() on, the calling thread or the whole process obeys the filter. uninstall() reverts
// that if the kernel refused the filter.
void install(Filter* filter, bool whole_process);
void uninstall(Filter* filter);

// The calling thread's filters, for a thread that it creates; null for none.
const Filter* of_this_thread();
// Called in a new thread, or in the first one.
void inherit(const Filter* filter);

}  // namespace gprof_runtime::seccomp
