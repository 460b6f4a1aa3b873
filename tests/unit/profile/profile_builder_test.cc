// How tables of a profile are made: whatever rows come in whatever order, the result is the same,
// and nothing is lost.
#include "engine/profile/profile_builder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/profile/memory_room.h"
#include "tests/unit/fixtures/profile_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t large_file = 100'000'000;

// A cost, with all that it refers to.
struct Sample {
  std::uint32_t metric = 0;
  std::string thread = {};
  std::uint32_t process = 0;
  std::vector<std::pair<PlaceKind, std::uint32_t>> places = {};  // the innermost first
  std::uint32_t slice = no_time_slice;
  std::uint64_t amount = 0;
  std::uint64_t excess_variance = 0;
};

std::string metric_name(std::uint32_t metric) { return fmt::format("m{}", metric); }

Row place_of(ProfileBuilder& builder, PlaceKind kind, std::uint32_t number) {
  Place place;
  place.kind = kind;
  if (kind == PlaceKind::left_out) return builder.place(place);
  // Some are known by their name, some by their address.
  if (number % 3 == 0) {
    place.function = builder.text(fmt::format("f{}", number));
  } else {
    place.module =
        builder.module({.kind = ModuleKind::library, .path = fmt::format("/lib{}.so", number % 4)});
    place.address = {0x1000 + number};
  }
  return builder.place(place);
}

void add(ProfileBuilder& builder, const Sample& sample) {
  const Row run =
      builder.run({.path = "a.data", .tool = "a tool", .slice_width = 1000, .slices = 8});
  const Row process = builder.process({.run = run, .number = sample.process});
  const Row thread = builder.thread({.process = process, .number = 1, .name = sample.thread});
  const std::string name = metric_name(sample.metric);
  const Row metric = builder.metric(
      {.metric = {name, name, "events", MetricKind::sampled, "a tool"}, .order = sample.metric});
  std::vector<Row> places;
  for (const auto& [kind, number] : sample.places)
    places.push_back(place_of(builder, kind, number));
  builder.cost(metric, builder.stack(places), thread, sample.slice, sample.amount,
               sample.excess_variance);
}

std::vector<Sample> random_samples(std::mt19937& random, std::size_t count) {
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.metric = below(3);
    sample.thread = fmt::format("t{}", below(3));
    sample.process = below(2);
    sample.places.emplace_back(below(4) == 0 ? PlaceKind::interrupted : PlaceKind::sampled,
                               below(10));
    for (std::uint32_t depth = below(6); depth > 0; --depth) {
      constexpr std::array kinds = {PlaceKind::call, PlaceKind::call, PlaceKind::inlined,
                                    PlaceKind::left_out};
      sample.places.emplace_back(kinds[below(4)], below(5));
    }
    if (below(2) == 0) sample.slice = below(8);
    sample.amount = below(3) == 0 ? ~std::uint64_t{0} / 2 : below(100);
    sample.excess_variance = below(3) == 0 ? below(1000) : 0;
    samples.push_back(std::move(sample));
  }
  return samples;
}

Profile profile_of(const std::vector<Sample>& samples) {
  MemoryRoom room(large_file);
  ProfileBuilder builder(room);
  for (const Sample& sample : samples) add(builder, sample);
  auto profile = builder.finish();
  REQUIRE(profile);
  return std::move(*profile);
}

// Sums of amounts and of variances, by all that a cost says but its order.
using Totals = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

Totals totals_of(const std::vector<Sample>& samples) {
  Totals totals;
  for (const Sample& sample : samples) {
    if (sample.amount == 0) continue;
    // A profile of one sample says in its text what the sample says.
    Sample single = sample;
    single.amount = 1;
    single.excess_variance = 0;
    auto& [amount, variance] = totals[profile_text(profile_of({single}))];
    amount = saturating_sum(amount, sample.amount);
    variance = saturating_sum(variance, sample.excess_variance);
  }
  return totals;
}

Totals totals_of(const Profile& profile) {
  Totals totals;
  std::vector<Row> rows;
  for (Row metric = 0; metric < profile.metrics().size(); ++metric) {
    const Costs& costs = profile.costs(metric);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      Sample sample;
      sample.metric = profile.metrics()[metric].order;
      const ProfileThread& thread = profile.threads()[costs.threads[i]];
      sample.thread = thread.name;
      sample.process = profile.processes()[thread.process].number;
      sample.slice = costs.slices[i];
      sample.amount = 1;
      profile.places_of(costs.stacks[i], rows);
      for (const Row row : rows) {
        const Place& place = profile.places()[row];
        const auto number = place.function != no_row
                                ? std::stoul(std::string(profile.text(place.function).substr(1)))
                                : place.address.value - 0x1000;
        sample.places.emplace_back(place.kind, static_cast<std::uint32_t>(number));
      }
      const auto [known, is_new] = totals.try_emplace(profile_text(profile_of({sample})),
                                                      costs.amounts[i], costs.excess_variance(i));
      INFO(known->first);
      CHECK(is_new);
    }
  }
  return totals;
}

void check_tables(const Profile& profile) {
  CHECK(std::ranges::is_sorted(profile.runs()));
  CHECK(std::ranges::is_sorted(profile.processes()));
  CHECK(std::ranges::is_sorted(profile.threads()));
  CHECK(std::ranges::is_sorted(profile.modules()));
  CHECK(std::ranges::adjacent_find(profile.places(), std::greater_equal<>()) ==
        profile.places().end());
  const auto stacks = profile.stacks();
  for (Row stack = 0; stack < stacks.size(); ++stack) {
    CHECK(stacks[stack].place < profile.places().size());
    // In preorder, the caller of each is the one before it or one of that one's callers.
    Row caller = stack == 0 ? no_row : stack - 1;
    while (caller != no_row && caller != stacks[stack].caller) caller = stacks[caller].caller;
    CHECK(caller == stacks[stack].caller);
  }
  for (Row metric = 0; metric < profile.metrics().size(); ++metric) {
    const Costs& costs = profile.costs(metric);
    const auto key = [&](std::size_t i) {
      return std::tuple(costs.stacks[i], costs.threads[i], costs.slices[i]);
    };
    for (std::size_t i = 0; i < costs.size(); ++i) {
      CHECK(costs.stacks[i] < stacks.size());
      CHECK(costs.threads[i] < profile.threads().size());
      CHECK(costs.amounts[i] > 0);
      if (i > 0) CHECK(key(i - 1) < key(i));
    }
  }
}

}  // namespace

TEST_CASE("profile: tables are the same whatever order rows come in, and lose nothing") {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<Sample> samples = random_samples(random, 1 + random() % 60);
    const Profile profile = profile_of(samples);
    check_tables(profile);
    CHECK(totals_of(profile) == totals_of(samples));
    std::ranges::shuffle(samples, random);
    CHECK(profile_of(samples) == profile);
  }
}

TEST_CASE("profile: equal rows become one, and their costs add up") {
  const std::vector<std::pair<PlaceKind, std::uint32_t>> stack = {{PlaceKind::sampled, 3},
                                                                  {PlaceKind::call, 6}};
  Sample heavy = {.places = stack, .amount = 5, .excess_variance = 20};
  Sample light = {.places = stack, .amount = 2};
  Sample caller = {.places = {{PlaceKind::call, 6}}, .amount = 1};
  CHECK(profile_text(profile_of({heavy, light, caller})) ==
        "m0 1 of 0:1 : call f6\n"
        "m0 7 +20 of 0:1 : f3; call f6\n");
  CHECK(profile_of({heavy, light, caller}).stacks().size() == 2);
}

TEST_CASE("profile: only a call is looked up before its address") {
  Place place;
  place.address = {0x1000};
  for (const PlaceKind kind : {PlaceKind::sampled, PlaceKind::interrupted, PlaceKind::inlined}) {
    place.kind = kind;
    CHECK(lookup_address(place).value == 0x1000);
  }
  place.kind = PlaceKind::call;
  CHECK(lookup_address(place).value == 0xfff);
  place.address = {0};
  CHECK(lookup_address(place).value == 0);
}

TEST_CASE("profile: a stack is complete unless its outermost frames are left out") {
  const Profile profile = profile_of(
      {{.places = {{PlaceKind::sampled, 3}, {PlaceKind::left_out, 0}, {PlaceKind::call, 6}},
        .amount = 1},
       {.places = {{PlaceKind::sampled, 3}, {PlaceKind::left_out, 0}}, .amount = 2}});
  const std::vector<bool> complete = profile.complete_stacks();
  const Costs& costs = profile.costs(0);
  REQUIRE(costs.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(complete[costs.stacks[i]] == (costs.amounts[i] == 1));
}

TEST_CASE("profile: a row that refers to none is an error, not a profile") {
  const auto made_by = [](const auto& make) {
    MemoryRoom room(large_file);
    ProfileBuilder builder(room);
    make(builder);
    return builder.finish().has_value();
  };
  CHECK(made_by([](ProfileBuilder&) {}));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.process({.run = 0}); }));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.thread({.process = 7}); }));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.place({.module = 0}); }));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.place({.file = 0}); }));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.stack({}); }));
  CHECK_FALSE(made_by([](ProfileBuilder& builder) { builder.stack(std::vector<Row>{0}); }));
  CHECK_FALSE(
      made_by([](ProfileBuilder& builder) { builder.cost(0, no_row, 0, no_time_slice, 1); }));
}

TEST_CASE("profile: without room callers are left out before costs, and both are counted") {
  std::mt19937 random(7);
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Sample& sample = samples.emplace_back();
    sample.places.emplace_back(PlaceKind::sampled, i % 10);
    // Few of them have callers in common.
    for (int depth = 0; depth < 50; ++depth) {
      sample.places.emplace_back(PlaceKind::call, static_cast<std::uint32_t>(random() % 10));
    }
    sample.amount = 1;
  }
  MemoryRoom whole(large_file);
  ProfileBuilder complete(whole);
  for (const Sample& sample : samples) add(complete, sample);
  CHECK(complete.costs_left_out() == 0);
  bool were_callers_left_out = false;
  bool were_costs_left_out = false;
  for (std::uint64_t given = whole.taken() * 9 / 10; given > 20'000; given -= given / 8) {
    MemoryRoom room(large_file);
    REQUIRE(room.take(room.left() - given));
    ProfileBuilder builder(room);
    for (const Sample& sample : samples) add(builder, sample);
    const auto profile = builder.finish();
    REQUIRE(profile);
    const std::uint64_t left_out = profile->costs_left_out();
    const std::vector<bool> is_complete = profile->complete_stacks();
    const bool has_cut_stacks = std::ranges::find(is_complete, false) != is_complete.end();
    CHECK((has_cut_stacks || left_out > 0));
    const auto& amounts = profile->costs(0).amounts;
    CHECK(std::accumulate(amounts.begin(), amounts.end(), left_out) == samples.size());
    were_callers_left_out = were_callers_left_out || left_out == 0;
    were_costs_left_out = were_costs_left_out || left_out > 0;
  }
  CHECK(were_callers_left_out);
  CHECK(were_costs_left_out);
}

TEST_CASE("profile: a slice that the run does not have, and amounts without a unit, are errors") {
  const auto made_with = [](std::uint32_t slice, std::uint32_t amounts_a_unit) {
    MemoryRoom room(large_file);
    ProfileBuilder builder(room);
    const Row run = builder.run({.slice_width = 5, .slices = 3});
    const Row thread = builder.thread({.process = builder.process({.run = run})});
    const Row metric = builder.metric({.amounts_a_unit = amounts_a_unit});
    const Row stack = builder.stack(std::vector<Row>{builder.place({})});
    builder.cost(metric, stack, thread, slice, 1);
    return builder.finish().has_value();
  };
  CHECK(made_with(2, 1));
  CHECK(made_with(no_time_slice, 1));
  CHECK_FALSE(made_with(3, 1));
  CHECK_FALSE(made_with(2, 0));
}
