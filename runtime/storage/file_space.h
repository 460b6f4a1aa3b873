// Room on the disk for a mapped file, taken before it is mapped: a page that has no room when it is
// first written ends the program with SIGBUS.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include <asm/unistd.h>

namespace gprof_runtime {

#if defined(__NR_fstat)
inline constexpr long file_status_call = __NR_fstat;
#else
inline constexpr long file_status_call = __NR3264_fstat;
#endif

// False where the bytes [offset, offset + size) cannot be had: no space, a quota, a limit on the
// size of files (which would send a signal if it were tried).
bool reserve_file_space(int descriptor, std::uint64_t offset, std::size_t size);

// The largest file that this process may write without a signal: RLIMIT_FSIZE.
std::uint64_t file_size_limit();

}  // namespace gprof_runtime
