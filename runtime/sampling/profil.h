// profil(): counters of the program's own, counted beside the collector's.
//
// Thread contract: any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof_runtime::sampler {

struct ProfilBuffer {
  unsigned short* counters;
  std::uint64_t count;  // of counters
  std::uint64_t offset;
  std::uint64_t scale;  // in 65536ths of a counter for two bytes of code
};

// Null counters: no more counting. When it returns, the buffer before is not written any more.
void change_profil_buffer(const ProfilBuffer& buffer);

// From the sample handler. Counters stay at their highest value.
void count_profil(std::uint64_t pc, std::uint64_t weight);

// In a forked child, where profil() does not go on.
void abandon_profil();

}  // namespace gprof_runtime::sampler
