#include "runtime/system/vdso.h"

#include <cstddef>

#include <elf.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

using ReadClock = int(clockid_t, struct timespec*);

// Written once per process image.
ReadClock* fast_clock = nullptr;

#if defined(__x86_64__)
constexpr char clock_name[] = "__vdso_clock_gettime";
#else
constexpr char clock_name[] = "__kernel_clock_gettime";
#endif

struct Image {
  std::uint64_t bias = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
};

bool is_clock(const char* name) {
  std::size_t i = 0;
  while (clock_name[i] != '\0' && name[i] == clock_name[i]) ++i;
  return clock_name[i] == name[i];
}

void read_dynamic(const Elf64_Dyn* entry, Image* image) {
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uint64_t value = image->bias + entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) image->symbols = reinterpret_cast<const Elf64_Sym*>(value);
    if (entry->d_tag == DT_STRTAB) image->strings = reinterpret_cast<const char*>(value);
    if (entry->d_tag == DT_HASH) image->hash = reinterpret_cast<const std::uint32_t*>(value);
    if (entry->d_tag == DT_GNU_HASH) {
      image->gnu_hash = reinterpret_cast<const std::uint32_t*>(value);
    }
  }
}

// From either hash table. That of GNU has chains of symbols whose last has an odd hash.
std::uint32_t symbol_count(const Image& image) {
  if (image.hash != nullptr) return image.hash[1];
  if (image.gnu_hash == nullptr) return 0;
  const std::uint32_t buckets = image.gnu_hash[0];
  const std::uint32_t first = image.gnu_hash[1];
  constexpr std::size_t words_a_filter_word = 2;
  const std::uint32_t* bucket = image.gnu_hash + 4 + words_a_filter_word * image.gnu_hash[2];
  const std::uint32_t* chains = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    if (bucket[i] > last) last = bucket[i];
  }
  if (last < first) return first;
  while ((chains[last - first] & 1U) == 0) ++last;
  return last + 1;
}

bool read_image(std::uint64_t start, Image* image) {
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(start + header.e_phoff);
  const Elf64_Dyn* dynamic = nullptr;
  bool loaded = false;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && !loaded) {
      image->bias = start + segments[i].p_offset - segments[i].p_vaddr;
      loaded = true;
    }
    if (segments[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const Elf64_Dyn*>(start + segments[i].p_offset);
    }
  }
  if (!loaded || dynamic == nullptr) return false;
  read_dynamic(dynamic, image);
  return image->symbols != nullptr && image->strings != nullptr;
}

}  // namespace

void find_fast_clock() {
  const std::uint64_t start = getauxval(AT_SYSINFO_EHDR);
  Image image;
  if (fast_clock != nullptr || start == 0 || !read_image(start, &image)) return;
  const std::uint32_t count = symbol_count(image);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Elf64_Sym& symbol = image.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF || !is_clock(image.strings + symbol.st_name)) continue;
    fast_clock = reinterpret_cast<ReadClock*>(image.bias + symbol.st_value);
    return;
  }
}

std::uint64_t monotonic_time() {
  struct timespec now {};
  // The vdso makes the system call itself where the machine has no clock that it can read.
  const long arguments[6] = {CLOCK_MONOTONIC, sys::word(&now), 0, 0, 0, 0};
  const bool refused = __atomic_load_n(&sys::filters_in_force, __ATOMIC_RELAXED) != 0 &&
                       sys::is_forbidden(__NR_clock_gettime, arguments);
  if (refused) return 0;
  const long result = fast_clock != nullptr
                          ? fast_clock(CLOCK_MONOTONIC, &now)
                          : sys::call_always(__NR_clock_gettime, arguments[0], arguments[1]);
  if (result != 0) return 0;
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(now.tv_sec) * nanoseconds_a_second +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace gprof_runtime
