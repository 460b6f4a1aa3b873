// Whose profiles `gprof-lsp record` keeps.
#include "server/cli/record/record_children.h"

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint32_t started = 7;

FoundProfile profile_of(std::uint32_t process, const std::string& program, std::uint64_t samples) {
  FoundProfile profile;
  profile.process = process;
  profile.program = program;
  profile.path = "gmon.out." + std::to_string(process);
  profile.figures.samples = samples;
  profile.figures.cpu_time = samples * millisecond;
  return profile;
}

// "program:process" of those that are kept.
std::vector<std::string> kept(const std::vector<FoundProfile>& profiles,
                              Children which = Children::own) {
  std::vector<std::string> names;
  for (const FoundProfile& profile : choose_profiles(profiles, which, started).kept) {
    names.push_back(profile.program + ":" + std::to_string(profile.process));
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the user's own programs are kept, the busiest first") {
  const std::vector<FoundProfile> profiles = {
      profile_of(7, "/usr/bin/make", 30), profile_of(8, "/usr/bin/dash", 2),
      profile_of(9, "/home/u/tests/one", 5), profile_of(10, "/usr/lib/gcc/cc1", 900),
      profile_of(11, "/home/u/tests/two", 50)};
  CHECK(kept(profiles) == Names{"/home/u/tests/two:11", "/home/u/tests/one:9"});
  CHECK(kept(profiles, Children::none) == Names{"/usr/bin/make:7"});
  CHECK(kept(profiles, Children::all).size() == 5);
  const auto left_out = choose_profiles(profiles, Children::own, started).left_out;
  CHECK(describe_left_out(left_out) ==
        "left out: cc1 0.9 s, make 0.03 s, dash 0.002 s (--children=all keeps them)");
  CHECK(describe_left_out({}).empty());
}

TEST_CASE("one sample of many is no time that a program took") {
  CHECK(kept({profile_of(7, "/usr/bin/dash", 500), profile_of(8, "/home/u/a", 1)}) ==
        Names{"/usr/bin/dash:7"});
  CHECK(kept({profile_of(7, "/usr/bin/dash", 50), profile_of(8, "/home/u/a", 1)}) ==
        Names{"/home/u/a:8"});
  CHECK(kept({profile_of(7, "/usr/bin/make", 50), profile_of(8, "/usr/lib/gcc/cc1", 90'000),
              profile_of(9, "/home/u/a", 5)}) == Names{"/home/u/a:9"});
}

TEST_CASE("a tick that stands for more time than a program had is no time that it took") {
  FoundProfile brief = profile_of(8, "/home/u/a", 4);
  brief.figures.cpu_time = millisecond;
  brief.figures.sampling.tick_period = 4 * millisecond;
  const FoundProfile other = profile_of(7, "/usr/bin/dash", 350);
  CHECK(kept({other, brief}) == Names{"/usr/bin/dash:7"});
  // It may be much to the others, or have been run often.
  CHECK(kept({profile_of(7, "/usr/bin/dash", 90), brief}) == Names{"/home/u/a:8"});
  CHECK(kept({other, brief, brief, brief, brief}).size() == 4);
}

TEST_CASE("what was named is kept, wherever it lies, but not what is in front") {
  CHECK(kept({profile_of(7, "/usr/bin/gzip", 0), profile_of(8, "/home/u/a", 5)}) ==
        Names{"/usr/bin/gzip:7", "/home/u/a:8"});
  CHECK(kept({profile_of(7, "/usr/bin/env", 1), profile_of(7, "/usr/bin/gzip", 5)}) ==
        Names{"/usr/bin/gzip:7"});
  CHECK(kept({profile_of(7, "/usr/bin/python3.11", 90), profile_of(8, "/home/u/a", 5)}) ==
        Names{"/home/u/a:8"});
  CHECK(kept({profile_of(7, "/home/u/lua/lua", 9), profile_of(8, "/home/u/a", 5)}) ==
        Names{"/home/u/lua/lua:7", "/home/u/a:8"});
}

TEST_CASE("where nothing else took time, what is in front is kept") {
  CHECK(kept({profile_of(7, "/usr/bin/bash", 3), profile_of(7, "/home/u/.pyenv/bin/python3.11", 90),
              profile_of(8, "/usr/bin/bash", 1), profile_of(9, "/home/u/a", 0)}) ==
        Names{"/home/u/.pyenv/bin/python3.11:7"});
  CHECK(kept({profile_of(7, "/usr/bin/dash", 0), profile_of(8, "/usr/bin/sort", 3)}) ==
        Names{"/usr/bin/sort:8"});
  CHECK(kept({profile_of(7, "/usr/bin/dash", 0)}) == Names{"/usr/bin/dash:7"});
  CHECK(kept({}).empty());
}

TEST_CASE("CPU time that is in no profile is of others, or was not sampled") {
  ProcessEnd end;
  end.process = started;
  const ChosenProfiles chosen{{profile_of(started, "/home/u/a", 1000)},
                              {profile_of(8, "/usr/bin/b", 500)}};
  SECTION("what a process with a profile used beyond its samples was not sampled") {
    end.cpu_time = 1'900 * millisecond;
    end.own_cpu_time = 1'300 * millisecond;
    const UnseenTime time = unseen_time(end, 600 * millisecond, chosen);
    CHECK(time.not_sampled == 400 * millisecond);
    CHECK(time.of_others == 0);
  }
  SECTION("the rest is of programs without a profile") {
    end.cpu_time = 4'000 * millisecond;
    end.own_cpu_time = 1'000 * millisecond;
    const UnseenTime time = unseen_time(end, 500 * millisecond, chosen);
    CHECK(time.not_sampled == 0);
    CHECK(time.of_others == 2'500 * millisecond);
  }
  SECTION("where the used time is not known, it is that of the samples") {
    end.cpu_time = 2'000 * millisecond;
    const UnseenTime time = unseen_time(end, 0, chosen);
    CHECK(time.not_sampled == 0);
    CHECK(time.of_others == 500 * millisecond);
  }
  SECTION("a started process without a profile is one of the others") {
    end.process = 9;
    end.cpu_time = 3'000 * millisecond;
    end.own_cpu_time = 1'500 * millisecond;
    CHECK(unseen_time(end, 1'500 * millisecond, chosen).of_others == 1'500 * millisecond);
  }
}

TEST_CASE("CPU time that is in no profile is told where it is much") {
  FoundProfile profile = profile_of(started, "/home/u/a", 1000);
  profile.figures.requested_rate = 1000;
  const ChosenProfiles chosen{{profile}, {}};
  const auto told = [&](const UnseenTime& time, const std::string& problem = "") {
    return describe_unseen(time, 3'000 * millisecond, chosen, problem);
  };
  CHECK(told({}).empty());
  CHECK(told({100 * millisecond, 100 * millisecond}).empty());
  const auto both = told({2'000 * millisecond, 500 * millisecond});
  REQUIRE(both.size() == 2);
  CHECK(both[0].starts_with("0.5 s on CPU were not sampled: the start and end of threads"));
  CHECK(both[1].starts_with("2 s on CPU were of programs without a profile"));
  CHECK(
      told({0, 500 * millisecond}, "no timer") ==
      std::vector<std::string>{"0.5 s on CPU were not sampled: the collector reported: no timer"});
}

TEST_CASE("time that a program used unseen is told as what it was") {
  ChosenProfiles chosen{{profile_of(7, "/home/u/a", 1000)}, {}};
  ProfileFigures& figures = chosen.kept.front().figures;
  CHECK(describe_unsampled(1'100 * millisecond, chosen).empty());
  figures.unsampled_time = 2'000 * millisecond;
  CHECK(describe_unsampled(3'000 * millisecond, chosen) ==
        "2 s on CPU were of threads that could not be sampled");
  figures.earlier_time = 1'000 * millisecond;
  CHECK(describe_unsampled(4'000 * millisecond, chosen) ==
        "1 s on CPU were before sampling began, in constructors of libraries; "
        "2 s on CPU were of threads that could not be sampled");
  // Little is not worth a word.
  figures.earlier_time = 150 * millisecond;
  figures.unsampled_time = 250 * millisecond;
  CHECK(describe_unsampled(3'000 * millisecond, chosen).empty());
}
