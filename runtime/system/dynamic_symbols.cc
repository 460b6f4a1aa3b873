#include "runtime/system/dynamic_symbols.h"

#include <dlfcn.h>

// The versions that every glibc has: before 2.34 in libdl, which this library therefore needs,
// since then in libc as well.
#if defined(__x86_64__)
#define GPROF_FIRST_VERSION "GLIBC_2.2.5"
#else
#define GPROF_FIRST_VERSION "GLIBC_2.17"
#endif
asm(".symver dlsym, dlsym@" GPROF_FIRST_VERSION);
asm(".symver dlvsym, dlvsym@" GPROF_FIRST_VERSION);
asm(".symver dlopen, dlopen@" GPROF_FIRST_VERSION);
asm(".symver dlerror, dlerror@" GPROF_FIRST_VERSION);

// Only glibc has versions of symbols.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" void* dlvsym(void* handle, const char* name, const char* version) noexcept
    __attribute__((weak));

namespace gprof_runtime {
namespace {

constexpr const char* thread_library = "libpthread.so.0";

// What the program would be told of an error that is not its own.
void forget_error() { static_cast<void>(dlerror()); }

}  // namespace

void* next_symbol(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) forget_error();
  return found;
}

void* versioned_symbol(const char* name, const char* version) {
  if (&dlvsym == nullptr) return next_symbol(name);
  void* const found = dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) forget_error();
  return found;
}

void* thread_symbol(const char* name, Missing library) {
  if (void* const found = next_symbol(name); found != nullptr) return found;
  const int unless_there = library == Missing::stays ? RTLD_NOLOAD : 0;
  // Never closed: a program that has it keeps it.
  void* const opened = dlopen(thread_library, RTLD_LAZY | unless_there);
  void* const found = opened == nullptr ? nullptr : dlsym(opened, name);
  if (found == nullptr) forget_error();
  return found;
}

}  // namespace gprof_runtime
