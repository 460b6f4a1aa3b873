#include "runtime/system/link_maps.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

using namespace gprof_runtime;

namespace {

std::uint64_t place_at(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

template <typename Function>
std::uint64_t code_at(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

int in_data = 1;

}  // namespace

TEST_CASE("the loader's list tells what libc tells of an address") {
  using Find = int(void*, struct dl_find_object*);
  auto* const find_of_libc = reinterpret_cast<Find*>(::dlsym(RTLD_DEFAULT, "_dl_find_object"));
  std::vector<std::uint64_t> places = {code_at(&place_at), place_at(&in_data),
                                       code_at(&std::getenv), code_at(&::dlsym),
                                       place_at(::dlsym(RTLD_DEFAULT, "_ZSt9terminatev"))};
  // Emulators have no vDSO.
  if (const std::uint64_t vdso = getauxval(AT_SYSINFO_EHDR); vdso != 0) {
    places.push_back(vdso + 0x700);
  }
  for (const std::uint64_t place : places) {
    INFO(std::hex << place);
    struct dl_find_object own = {};
    REQUIRE(find_in_link_maps(place, &own));
    CHECK(place_at(own.dlfo_map_start) <= place);
    CHECK(place_at(own.dlfo_map_end) > place);
    CHECK(std::memcmp(own.dlfo_map_start, ELFMAG, SELFMAG) == 0);
    if (find_of_libc == nullptr) continue;
    struct dl_find_object known = {};
    REQUIRE(find_of_libc(reinterpret_cast<void*>(place), &known) == 0);
    CHECK(own.dlfo_link_map == known.dlfo_link_map);
    CHECK(own.dlfo_eh_frame == known.dlfo_eh_frame);
    CHECK(place_at(own.dlfo_map_start) <= place_at(known.dlfo_map_start));
#if defined(__aarch64__)
    // Where segments lie apart, that of libc may be one of them.
    if (std::memcmp(known.dlfo_map_start, ELFMAG, SELFMAG) != 0) continue;
#endif
    CHECK(place_at(own.dlfo_map_start) / 4096 == place_at(known.dlfo_map_start) / 4096);
  }
}

TEST_CASE("an address of nothing that is loaded is in nobody's list") {
  int on_stack = 0;
  auto* on_heap = std::malloc(1);
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{8}, place_at(&on_stack),
                                    place_at(on_heap), ~std::uint64_t{0}}) {
    struct dl_find_object found = {};
    CHECK_FALSE(find_in_link_maps(place, &found));
  }
  std::free(on_heap);
}
