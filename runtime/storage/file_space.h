// Reserves disk space for a file before it is mapped: a page without space would end the program
// with SIGBUS when first written.
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

// False if the bytes [offset, offset + size) are not available: no space, a quota, or a file size
// limit (exceeding it would raise a signal).
bool reserve_file_space(int descriptor, std::uint64_t offset, std::size_t size);

// The largest file that this process may write without a signal: RLIMIT_FSIZE.
std::uint64_t file_size_limit();

}  // namespace gprof_runtime
