#include "runtime/system/link_maps.h"

#include <cstdlib>
#include <cstring>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

using namespace gprof_runtime;

namespace {

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

template <typename Function>
std::uint64_t address_of_function(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

int in_data = 1;

}  // namespace

TEST_CASE("the loader's list tells what libc tells of an address") {
  struct Libc {
    int (*find)(void*, struct dl_find_object*);
  };
  Libc libc{};
  libc.find = reinterpret_cast<decltype(libc.find)>(::dlsym(RTLD_DEFAULT, "_dl_find_object"));
  const std::uint64_t places[] = {address_of_function(&address_of),
                                  address_of(&in_data),
                                  address_of_function(&std::getenv),
                                  address_of_function(&::dlsym),
                                  address_of(::dlsym(RTLD_DEFAULT, "_ZSt9terminatev")),
                                  getauxval(AT_SYSINFO_EHDR) + 0x700};
  for (const std::uint64_t place : places) {
    INFO(std::hex << place);
    struct dl_find_object own = {};
    REQUIRE(find_in_link_maps(place, &own));
    CHECK(address_of(own.dlfo_map_start) <= place);
    CHECK(address_of(own.dlfo_map_end) > place);
    CHECK(std::memcmp(own.dlfo_map_start, ELFMAG, SELFMAG) == 0);
    if (libc.find == nullptr) continue;
    struct dl_find_object known = {};
    REQUIRE(libc.find(reinterpret_cast<void*>(place), &known) == 0);
    CHECK(own.dlfo_link_map == known.dlfo_link_map);
    CHECK(own.dlfo_eh_frame == known.dlfo_eh_frame);
    CHECK(address_of(own.dlfo_map_start) / 4096 == address_of(known.dlfo_map_start) / 4096);
  }
}

TEST_CASE("an address of nothing that is loaded is in nobody's list") {
  int on_stack = 0;
  auto* on_heap = std::malloc(1);
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{8}, address_of(&on_stack),
                                    address_of(on_heap), ~std::uint64_t{0}}) {
    struct dl_find_object found = {};
    CHECK_FALSE(find_in_link_maps(place, &found));
  }
  std::free(on_heap);
}
