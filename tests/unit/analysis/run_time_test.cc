// How long runs took by the clock and on CPUs, and whether samples came at their rate.
#include "engine/run_time.h"

#include <catch2/catch.hpp>

#include "engine/delivered_rate.h"

using namespace gprof;
using Catch::Contains;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

SidecarProcess run(double begin, double end, double cpu) {
  SidecarProcess process;
  process.start_time = static_cast<std::uint64_t>((1000 + begin) * second);
  process.end_time = static_cast<std::uint64_t>((1000 + end) * second);
  process.cpu_time = static_cast<std::uint64_t>(cpu * second);
  return process;
}

SampledRun sampled(std::uint32_t rate, double cpu, std::uint64_t samples) {
  SampledRun run;
  run.requested_rate = rate;
  run.cpu_time = static_cast<std::uint64_t>(cpu * second);
  run.samples = samples;
  run.source = SampleSource::perf_clock;
  return run;
}

}  // namespace

TEST_CASE("run time: runs that overlap are counted by the clock once, on CPUs each") {
  RunTimes times;
  CHECK_FALSE(times.sum());
  times.add(run(0, 4, 1));
  times.add(run(10, 12, 2));
  times.add(run(1, 3, 0.5));
  times.add(run(11, 15, 1.5));
  const auto sum = times.sum();
  REQUIRE(sum);
  CHECK(sum->wall == Approx(9));
  CHECK(sum->cpu == Approx(5));
  CHECK_FALSE(sum->is_mostly_waiting());
}

TEST_CASE("run time: less than a third on CPUs is mostly waiting") {
  CHECK(RunTime{3, 0.99}.is_mostly_waiting());
  CHECK_FALSE(RunTime{3, 1}.is_mostly_waiting());
  CHECK_FALSE(RunTime{3, 20}.is_mostly_waiting());
}

TEST_CASE("run time: nothing is told where a run does not tell") {
  RunTimes unknown;
  unknown.add(run(0, 4, 1));
  unknown.add_unknown();
  CHECK_FALSE(unknown.sum());
  RunTimes endless;
  endless.add(run(4, 0, 1));
  CHECK_FALSE(endless.sum());
  RunTimes imported;
  imported.add(SidecarProcess{});
  CHECK_FALSE(imported.sum());
}

TEST_CASE("delivered rate: by the time that the clock covered, less what sampling took") {
  SampledRun run = sampled(1000, 10, 8000);
  run.sampling.covered_time = 9 * second;
  CHECK(delivered_rate(run) == Approx(900));
  run.sampling.sampling_time = second / 2;
  CHECK(delivered_rate(run) == Approx(900 / 0.95));
  run.sampling.covered_time = 95 * second / 10;
  CHECK(delivered_rate(run) == Approx(1000));
  CHECK_FALSE(rate_warning(run));
  run.sampling.covered_time = 5 * second;
  CHECK_THAT(
      rate_warning(run).value_or(""),
      Contains("was sampled at 526.3 of 1,000 Hz: 47 % of the CPU time was in the kernel and "
               "was not sampled"));
  run.source = SampleSource::thread_timers;
  CHECK_THAT(rate_warning(run).value_or(""),
             Contains("in step with the kernel's tick") && Contains("perf_event_paranoid"));
  run.lost_samples = 5000;
  CHECK_THAT(rate_warning(run).value_or(""), Contains("for want of memory"));
}

TEST_CASE("delivered rate: without it, by the samples, where chance does not explain them") {
  CHECK_FALSE(missed_rate(sampled(100, 1, 75)));
  REQUIRE(missed_rate(sampled(100, 1, 50)));
  CHECK(missed_rate(sampled(100, 1, 50))->off == Approx(-0.5));
  CHECK(missed_rate(sampled(100, 100, 9000))->off == Approx(-0.1));
  CHECK_THAT(rate_warning(sampled(100, 100, 8500)).value_or(""), Contains("at 85.0 of 100 Hz"));
  // The kernel's time, which is told where the program runs.
  CHECK(missed_rate(sampled(100, 100, 9300)));
  CHECK_FALSE(rate_warning(sampled(100, 100, 9300)));
  CHECK_THAT(rate_warning(sampled(100, 100, 11'000)).value_or(""), Contains("10 % too large"));
  // Known, and close enough.
  CHECK_FALSE(rate_warning(sampled(100, 1000, 96'500)));
  // Weights make the number vary more.
  SampledRun weighted = sampled(100, 100, 9000);
  weighted.sampling.excess_variance = 1'000'000;
  CHECK_FALSE(missed_rate(weighted));
}

TEST_CASE("delivered rate: nothing is said of what was not sampled, nor of two samples") {
  CHECK_FALSE(missed_rate(sampled(0, 10, 0)));
  CHECK_FALSE(delivered_rate(sampled(100, 0, 0)));
  SampledRun run = sampled(100, 1, 0);
  run.sampling.covered_time = second;
  run.sampling.sampling_time = 2 * second;
  CHECK_FALSE(delivered_rate(run));
  run = sampled(100, 0.02, 0);
  run.sampling.covered_time = second / 1000;
  CHECK_FALSE(missed_rate(run));
}

TEST_CASE("delivered rate: too many samples are noted like too few") {
  SampledRun run = sampled(1000, 10, 0);
  run.source = SampleSource::perf_clock;
  run.sampling.tick_period = 4'000'000;
  run.sampling.covered_time = 104 * second / 10;
  CHECK_FALSE(missed_rate(run));
  run.sampling.covered_time = 106 * second / 10;
  REQUIRE(missed_rate(run));
  CHECK(missed_rate(run)->off == Approx(0.06));
  // As much as the weights of the ticks may vary.
  run.sampling.excess_variance = 1'000'000;
  CHECK_FALSE(missed_rate(run));
  // The shortest run whose rate is judged.
  run = sampled(1000, 0.1, 0);
  run.source = SampleSource::perf_clock;
  run.sampling.tick_period = 4'000'000;
  run.sampling.covered_time = second * 12 / 100;
  CHECK(missed_rate(run));
}
