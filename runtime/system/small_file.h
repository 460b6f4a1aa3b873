// Files of /proc, which are read whole.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstddef>

namespace gprof_runtime {

// The first `size` bytes at most. Returns how many; 0 if the file cannot be read.
std::size_t read_small_file(const char* path, char* text, std::size_t size);

}  // namespace gprof_runtime
