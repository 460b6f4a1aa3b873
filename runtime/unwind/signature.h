// Signatures of return addresses.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// Return addresses may carry a signature in their upper bits. The instruction that strips it has no
// effect on processors without signatures or on unsigned addresses.
inline std::uint64_t without_signature(std::uint64_t address) {
#if defined(__aarch64__)
  register std::uint64_t x30 asm("x30") = address;
  asm("hint #7" : "+r"(x30));  // xpaclri
  return x30;
#else
  return address;
#endif
}

}  // namespace gprof_runtime
