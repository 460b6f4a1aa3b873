// profil(): the program's own counters, kept in addition to the collector's.
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

// Null counters stop counting. Once this returns, the previous buffer is no longer written.
void change_profil_buffer(const ProfilBuffer& buffer);

// Called from the sample handler. Counters saturate.
void count_profil(std::uint64_t pc, std::uint64_t weight);

// In a forked child, where profil() does not continue.
void abandon_profil();

}  // namespace gprof_runtime::sampler
