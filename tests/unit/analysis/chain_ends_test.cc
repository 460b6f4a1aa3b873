// Which call chains reach the function that began their thread, by comparing the chains of threads.
#include "engine/import/chain_ends.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/profile/memory_room.h"

using namespace gprof;

namespace {

// Frames are names of functions of a library, the innermost first.
struct Chains {
  MemoryRoom room{std::uint64_t{1} << 20};
  ProfileBuilder builder{room};
  SymbolTable symbols;
  ChainEnds ends{builder, symbols};
  Row library = builder.module({ModuleKind::library, "/lib/libother.so"});

  Row stack_in(const std::vector<Row>& modules, const std::vector<std::string>& frames) {
    std::vector<Row> places;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      places.push_back(builder.place({.kind = i == 0 ? PlaceKind::sampled : PlaceKind::call,
                                      .module = modules[i],
                                      .function = builder.text(frames[i])}));
    }
    return builder.stack(places);
  }
  Row stack(const std::vector<std::string>& frames) {
    return stack_in(std::vector<Row>(frames.size(), library), frames);
  }
  // That many samples, of one thread.
  Row add(int count, const std::vector<std::string>& frames, std::uint32_t thread = 1) {
    const Row made = stack(frames);
    for (int i = 0; i < count; ++i) ends.add(made, thread);
    return made;
  }
};

}  // namespace

TEST_CASE("chain ends: most chains of a thread end in the function that began it") {
  Chains chains;
  const Row main = chains.add(60, {"work", "main", "begin_program"}, 1);
  const Row cut = chains.add(5, {"work", "parse"}, 1);
  // Threads of a pool begin in another function, some of them with one sample.
  const Row pooled = chains.add(1, {"work", "task", "begin_thread"}, 2);
  chains.add(1, {"work", "task", "begin_thread"}, 3);
  const Row torn = chains.add(1, {"work", "task"}, 3);
  chains.ends.decide();
  CHECK(chains.ends.is_complete(main));
  CHECK_FALSE(chains.ends.is_complete(cut));
  CHECK(chains.ends.is_complete(pooled));
  CHECK_FALSE(chains.ends.is_complete(torn));
}

TEST_CASE("chain ends: fibers of a thread begin in a function of their own") {
  Chains chains;
  const Row scheduler = chains.add(50, {"poll", "schedule", "begin_thread"});
  const Row fiber = chains.add(50, {"work", "task", "begin_fiber"});
  chains.ends.decide();
  CHECK(chains.ends.is_complete(scheduler));
  CHECK(chains.ends.is_complete(fiber));
}

TEST_CASE("chain ends: a library that calls back cuts chains at one function") {
  Chains chains;
  const Row whole = chains.add(55, {"work", "main", "begin_program"});
  const Row called_back = chains.add(45, {"compare", "sort_with_buffer"});
  chains.ends.decide();
  CHECK(chains.ends.is_complete(whole));
  CHECK_FALSE(chains.ends.is_complete(called_back));
}

TEST_CASE("chain ends: a function that others call begins no thread") {
  Chains chains;
  // Copies of a stack that are too small end within a recursion.
  const Row deep = chains.add(70, {"leaf", "walk", "walk", "walk"});
  const Row shallow = chains.add(30, {"leaf", "walk", "main", "begin_program"});
  // Frame pointers lead nowhere from a function that others call, too.
  const Row lost = chains.add(70, {"compare", "sort"}, 2);
  const Row found = chains.add(50, {"split", "sort", "main", "begin_program"}, 2);
  chains.ends.decide();
  CHECK_FALSE(chains.ends.is_complete(deep));
  CHECK(chains.ends.is_complete(shallow));
  CHECK_FALSE(chains.ends.is_complete(lost));
  CHECK(chains.ends.is_complete(found));
}

TEST_CASE("chain ends: without frame pointers, what chains hold is chance") {
  Chains chains;
  const Row hot = chains.add(90, {"work"});
  const Row chance = chains.add(10, {"work", "table"});
  chains.ends.decide();
  CHECK_FALSE(chains.ends.is_complete(hot));
  CHECK_FALSE(chains.ends.is_complete(chance));
}

TEST_CASE("chain ends: what the recording says counts more") {
  Chains chains;
  const Row whole = chains.add(1, {"work", "main"});
  const Row cut = chains.add(50, {"leaf", "begin_program"});
  chains.ends.say(whole, ChainEnd::cut);
  chains.ends.say(whole, ChainEnd::whole);
  chains.ends.say(cut, ChainEnd::cut);
  chains.ends.say(cut, ChainEnd::open);
  const Row without_callers =
      chains.builder.stack_without_callers(chains.builder.innermost_place(cut));
  chains.ends.add(without_callers, 1);
  chains.ends.say(without_callers, ChainEnd::whole);
  chains.ends.add(no_row, 1);
  chains.ends.decide();
  CHECK(chains.ends.is_complete(whole));
  CHECK_FALSE(chains.ends.is_complete(cut));
  CHECK_FALSE(chains.ends.is_complete(without_callers));
}

TEST_CASE(
    "chain ends: the kernel's threads and the dynamic linker have no callers in the program") {
  Chains chains;
  const Row kernel = chains.builder.module({ModuleKind::kernel, "kernel"});
  const Row loader = chains.builder.module({ModuleKind::library, "/lib64/ld-linux-x86-64.so.2"});
  const Row idle = chains.stack_in({kernel, kernel}, {"idle", "start_kernel"});
  const Row linked = chains.stack_in({kernel, loader}, {"fault", "do_lookup_x"});
  const Row called = chains.stack_in({kernel, chains.library}, {"write", "flush"});
  for (const Row stack : {idle, linked, called}) chains.ends.add(stack, 1);
  chains.add(100, {"work", "main", "begin_program"});
  chains.ends.decide();
  CHECK(chains.ends.is_complete(idle));
  CHECK(chains.ends.is_complete(linked));
  CHECK_FALSE(chains.ends.is_complete(called));
}

TEST_CASE("chain ends: outermost places of which nothing is known are no part of a stack") {
  Chains chains;
  const std::array places = {
      chains.builder.place({.module = chains.library, .function = chains.builder.text("work")}),
      chains.builder.place({.kind = PlaceKind::call}), chains.builder.place({})};
  CHECK(chains.builder.stack(places) == chains.builder.stack(std::span(places).first(1)));
  CHECK(chains.builder.stack(std::span(places).last(1)) != no_row);
}
