// The last line of `gprof-lsp record`, from the figures in sidecars.
#include "server/cli/record/record_summary.h"

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar.h"
#include "server/cli/record/record_collector.h"
#include "server/cli/record/record_figures.h"
#include "server/cli/record/record_words.h"
#include "server/features/crash_text.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t second = 1'000 * millisecond;

ProfileFigures figures_at(std::uint32_t rate, std::uint64_t samples, std::uint64_t cpu_time) {
  ProfileFigures figures;
  figures.requested_rate = rate;
  figures.samples = samples;
  figures.cpu_time = cpu_time;
  figures.threads = 1;
  return figures;
}

// What follows the calls, samples, threads and losses.
std::string remarks_of(const ProfileFigures& figures) {
  const DescribedFigures described = describe_figures(figures, 1);
  std::string text = described.times;
  for (const std::string& remark : described.remarks) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

std::string samples_of(const ProfileFigures& figures) {
  const std::string text = describe_figures(figures, 1).figures;
  const std::size_t begin = text.find(", ") + 2;
  return text.substr(begin, text.find(", 1 thread") - begin);
}

Sidecar sidecar_with_samples() {
  Sidecar sidecar;
  sidecar.modules.resize(4);
  sidecar.modules[0].flags = module_flags::main;
  sidecar.modules[0].file = "gmon.out";
  sidecar.modules[1].path = "/opt/lib/libgprof_runtime.so";
  sidecar.modules[2].path = "/lib/libc.so.6";
  sidecar.modules[3].file = "gmon.out.libx.so";
  sidecar.samples = {{{0, Address{1}}, 1000}, {{1, Address{1}}, 400},
                     {{1, Address{2}}, 41},   {{2, Address{1}}, 300},
                     {{3, Address{1}}, 144},  {{no_module, Address{7}}, 50}};
  sidecar.process.samples = 1935;
  sidecar.process.requested_rate = 1000;
  sidecar.process.sample_source = SampleSource::perf_clock;
  sidecar.process.cpu_time = 1935 * millisecond;
  sidecar.process.start_time = 10 * second;
  sidecar.process.end_time = 12 * second;
  sidecar.process.calls = 40'000'000;
  sidecar.process.price_picoseconds = 2000;
  return sidecar;
}

}  // namespace

TEST_CASE("figures of a profile in words") {
  ProfileFigures figures = figures_at(100, 321, 3'222 * millisecond);
  figures.calls = 1234567;
  figures.threads = 8;
  CHECK(describe_figures(figures, 1).figures ==
        "1,234,567 calls, 321 samples at 100 Hz, 8 threads, nothing lost");
  CHECK(describe_figures(figures, 3).figures ==
        "1,234,567 calls, 321 samples at 100 Hz, 3 processes, 8 threads, nothing lost");
  figures.lost_calls = 1;
  figures.lost_samples = 12;
  figures.lost_stacks = 3;
  figures.threads = 1;
  figures.calls = 1;
  CHECK(describe_figures(figures, 1).figures ==
        "1 call, 321 samples at 100 Hz, 1 thread, 1 call "
        "lost, 12 samples lost, 3 stacks lost");
  figures.limited = true;
  CHECK(describe_figures(figures, 1).figures ==
        "1 call, 321 samples at 100 Hz, 1 thread, 1 call "
        "lost, 12 samples lost, 3 stacks lost, the counters reached their limit "
        "(GPROF_LIVE_LIMIT)");
  CHECK(describe_figures(ProfileFigures(), 1).figures ==
        "0 calls, no samples asked for, 0 threads, nothing lost");
}

TEST_CASE("of programs that count no calls it is said once that they do not") {
  ProfileFigures figures = figures_at(100, 1204, 12'040 * millisecond);
  figures.counts_no_calls = true;
  figures.threads = 4;
  CHECK(describe_figures(figures, 1).figures ==
        "1,204 samples at 100 Hz, 4 threads; calls are not counted (built without -pg)");
  figures.lost_stacks = 3;
  CHECK(describe_figures(figures, 2).figures ==
        "1,204 samples at 100 Hz, 2 processes, 4 threads, 3 stacks lost; calls are not "
        "counted (built without -pg)");
}

TEST_CASE("a rate is told where it was missed, and there are enough samples to judge it") {
  CHECK(samples_of(figures_at(100, 96, second)) == "96 samples at 100 Hz");
  CHECK(samples_of(figures_at(100, 104, second)) == "104 samples at 100 Hz");
  CHECK(samples_of(figures_at(100, 106, second)) == "106 samples at 106 of 100 Hz");
  CHECK(samples_of(figures_at(100, 99, 990 * millisecond)) == "99 samples at 100 Hz");
  CHECK(samples_of(figures_at(100, 90, second)) == "90 samples at 90.0 of 100 Hz");
}

TEST_CASE("no sample at all: what that means") {
  ProfileFigures figures = figures_at(100, 0, 4 * millisecond);
  CHECK(samples_of(figures) == "no samples in 0.004 s of CPU time");
  CHECK(remarks_of(figures) == "at 100 Hz, what takes less than 0.03 s may have no sample");
  figures.requested_rate = 1000;
  CHECK(remarks_of(figures) == "at 1,000 Hz, what takes less than 0.003 s may have no sample");
  SECTION("where there should have been many, they are missing") {
    figures.cpu_time = second;
    CHECK(remarks_of(figures) == "times are about 100 % too small");
  }
  SECTION("no clock, no samples") {
    figures.has_timer = false;
    CHECK(samples_of(figures) == "no samples (the system gave no timer)");
    CHECK(remarks_of(figures).empty());
  }
}

TEST_CASE("the rate is judged by the time that the clock covered") {
  ProfileFigures figures = figures_at(1000, 1204, 1'210 * millisecond);
  figures.sampling.covered_time = 1'198 * millisecond;
  figures.sampling.sampling_time = 10 * millisecond;
  figures.source = SampleSource::perf_clock;
  CHECK(samples_of(figures) == "1,204 samples at 1,000 Hz");
  CHECK(remarks_of(figures) == "sampling took 0.8 % of the CPU time");
  figures.sampling.sampling_time = figures.cpu_time;
  CHECK(remarks_of(figures).find("sampling took") == std::string::npos);
  figures.sampling.sampling_time = 10 * millisecond;

  // 1,040 of 1,200 ms: too low, however many samples chance produced.
  figures.sampling.covered_time = 1'040 * millisecond;
  CHECK(samples_of(figures) == "1,204 samples at 867 of 1,000 Hz");
  CHECK(remarks_of(figures) ==
        "13 % of the CPU time was in the kernel and was not sampled; sampling took 0.8 % of the "
        "CPU time");
  figures.sampling.sampling_time = 0;
  figures.cpu_time = 1'200 * millisecond;

  SECTION("one timer for all threads") {
    figures.source = SampleSource::process_timer;
    figures.threads = 2;
    CHECK(remarks_of(figures) ==
          "times are about 13 % too small: one timer serves all threads, and the signals of those "
          "that run at one time merge");
  }
  SECTION("in step with the tick") {
    figures.source = SampleSource::thread_timers;
    figures.sampling.covered_time = 1'320 * millisecond;
    CHECK(remarks_of(figures) ==
          "times are about 10 % too large: the program may be in step with the kernel's tick, by "
          "which its timers strike");
  }
  SECTION("lost samples") {
    figures.samples = 1040;
    figures.lost_samples = 160;
    CHECK(remarks_of(figures) ==
          "times are about 13 % too small: the others were lost for want of memory");
  }
  SECTION("within five percent nothing is said") {
    figures.sampling.covered_time = 1'145 * millisecond;
    CHECK(remarks_of(figures).empty());
    figures.sampling.covered_time = 1'135 * millisecond;
    CHECK_FALSE(remarks_of(figures).empty());
  }
  SECTION("nor where no sample can be missing yet") {
    figures.cpu_time = 10 * millisecond;
    figures.sampling.covered_time = 8 * millisecond;
    CHECK(remarks_of(figures).empty());
  }
  SECTION("absurd figures give no rate") {
    figures.sampling.sampling_time = figures.cpu_time + 1;
    CHECK(samples_of(figures) == "1,204 samples, 1,000 Hz asked for");
  }
}

TEST_CASE("without the clock's word a rate is judged beyond chance alone") {
  // 100 expected, with a standard deviation of 10.
  ProfileFigures figures = figures_at(100, 71, second);
  CHECK(remarks_of(figures).empty());
  figures.samples = 69;
  CHECK(remarks_of(figures) == "times are about 31 % too small");
  figures.samples = 129;
  CHECK(remarks_of(figures).empty());
  figures.samples = 131;
  CHECK(remarks_of(figures) == "times are about 31 % too large");
}

TEST_CASE("samples that go with the kernel's tick say how far times may be off") {
  ProfileFigures figures = figures_at(100, 300, 3 * second);
  figures.source = SampleSource::thread_timers;
  figures.sampling.covered_time = 3 * second;
  figures.sampling.tick_samples = 291;
  CHECK(remarks_of(figures) ==
        "the places of 97 % of the samples go with the kernel's tick: times are ± 2.9 s; "
        "kernel.perf_event_paranoid=2 or lower allows a better clock");
  figures.source = SampleSource::perf_clock;
  CHECK(remarks_of(figures) ==
        "the places of 97 % of the samples go with the kernel's tick: times are ± 2.9 s");
  figures.sampling.tick_samples = 15;
  CHECK(remarks_of(figures).empty());
}

TEST_CASE("samples outside of the program and the price of counting are told") {
  CollectorCode collector;
  Sidecar sidecar = sidecar_with_samples();
  const ProfileFigures figures = figures_of(sidecar, collector);
  CHECK(figures.collector_samples == 441);
  CHECK(figures.library_samples == 300);
  CHECK(figures.elsewhere_samples == 50);
  // 40 million calls of 2 ns, in 1.935 s.
  CHECK(remarks_of(figures) ==
        "ran 2 s, 1.9 s on CPU; 441 samples (23 %) in the collector itself, 300 (16 %) in "
        "libraries without a profile, 50 (2.6 %) in code of no file; counting calls took at least "
        "4.1 % of the CPU time");

  sidecar.samples.resize(1);
  sidecar.process.sampling = {1'900 * millisecond, 20 * millisecond, 0, 0, 0};
  CHECK(remarks_of(figures_of(sidecar, collector)) ==
        "ran 2 s, 1.9 s on CPU; sampling took 1.0 % of the CPU time, counting calls about 4.1 %");
  sidecar.process.calls = 40'000'000'000;
  CHECK(remarks_of(figures_of(sidecar, collector)).find("counting calls about 100 %") !=
        std::string::npos);
  sidecar.process.calls = 4'000'000;
  CHECK(remarks_of(figures_of(sidecar, collector)) ==
        "ran 2 s, 1.9 s on CPU; sampling took 1.0 % of the CPU time");
}

TEST_CASE("truncated stacks are told beyond a twentieth") {
  Sidecar sidecar = sidecar_with_samples();
  sidecar.stacks = {{1800, false, {{0, Address{1}}}}, {60, true, {{0, Address{2}}}}};
  CollectorCode collector;
  CHECK(remarks_of(figures_of(sidecar, collector)).find("truncated") == std::string::npos);
  sidecar.stacks[1].count = 600;
  ProfileFigures figures = figures_of(sidecar, collector);
  CHECK(figures.stacks == 2400);
  CHECK(figures.truncated_stacks == 600);
  const std::string remark = "25 % of the stacks are truncated: their outer callers are not known";
  CHECK(remarks_of(figures).find(remark) != std::string::npos);
  add_figures(figures, figures_of(sidecar, collector));
  CHECK(figures.truncated_stacks == 1200);
  CHECK(remarks_of(figures).find(remark) != std::string::npos);
}

TEST_CASE("a program that waited is told so") {
  ProfileFigures figures = figures_at(100, 9, 90 * millisecond);
  figures.ran = {{100 * second, 103'900 * millisecond}};
  CHECK(remarks_of(figures) == "ran 3.9 s, 0.09 s on CPU: waiting is not in the figures");
  figures.cpu_time = 2 * second;
  figures.samples = 200;
  CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU");
  SECTION("waiting for a CPU is no waiting for something else") {
    figures.cpu_wait = 100 * millisecond;
    CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU");
    figures.cpu_wait = 1'800 * millisecond;
    CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU, waited 1.8 s for a CPU");
    figures.cpu_wait = 9 * second;  // most of it by the program that executed this one
    CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU, waited 1.9 s for a CPU");
    figures.cpu_time = 200 * millisecond;
    figures.samples = 20;
    figures.cpu_wait = 3 * second;
    CHECK(remarks_of(figures) == "ran 3.9 s, 0.2 s on CPU, waited 3 s for a CPU");
    figures.cpu_wait = 500 * millisecond;
    CHECK(remarks_of(figures) ==
          "ran 3.9 s, 0.2 s on CPU, waited 0.5 s for a CPU: waiting is not in the figures");
  }
  SECTION("how long it waited is told if that was measured") {
    figures.measures_waits = true;
    figures.waited = 8'200 * millisecond;
    CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU, waited 8.2 s");
    figures.idle = 52'500 * millisecond;
    CHECK(remarks_of(figures) == "ran 3.9 s, 2 s on CPU, waited 8.2 s, idle 52.5 s");
  }
  SECTION("the start of a short program is no waiting") {
    figures = figures_at(100, 1, millisecond);
    figures.ran = {{100 * second, 100 * second + 5 * millisecond}};
    CHECK(remarks_of(figures) == "ran 0.005 s, 0.001 s on CPU");
  }
}

TEST_CASE("the line of several processes is one of all of them") {
  FoundProfile first;
  first.path = "gmon.out";
  first.process = 7;
  first.figures = figures_at(100, 100, second);
  first.figures.calls = 40;
  first.figures.ran = {{10 * second, 12 * second}};
  FoundProfile second_one = first;
  second_one.path = "gmon.out.8";
  second_one.process = 8;
  second_one.figures.lost_calls = 5;
  second_one.figures.ran = {{11 * second, 13 * second}};  // partly at the same time
  FoundProfile later = first;
  later.path = "gmon.out.7.1";
  later.figures.lost_samples = 2;
  later.figures.ran = {{20 * second, 21 * second}};
  CHECK(describe_profiles({first, later, second_one}) ==
        "gmon.out: 120 calls, 300 samples at 100 Hz, 2 processes, 3 threads, 5 calls lost, "
        "2 samples lost; ran 4 s, 3 s on CPU; after exec: gmon.out.7.1; further processes: "
        "gmon.out.8");
}

TEST_CASE("the last line names files of libraries and further processes") {
  FoundProfile first;
  first.path = "out/gmon.out";
  first.libraries = {"out/gmon.out.libx.so"};
  first.killed_by = 9;
  first.recovered = true;
  CHECK(describe_profiles({first}) ==
        "out/gmon.out: 0 calls, no samples asked for, 0 threads, nothing lost; killed by SIGKILL; "
        "recovered; libraries: out/gmon.out.libx.so");
  std::vector<FoundProfile> many(12);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].path = "p" + std::to_string(i);
    many[i].process = static_cast<std::uint32_t>(100 + i);
  }
  CHECK(describe_profiles(many).find(
            "further processes: p1, p2, p3, p4, p5, p6, p7, p8 and 3 more") != std::string::npos);
  many[1].process = 100;
  CHECK(describe_profiles(many).find("; after exec: p1; further processes: p2, p3") !=
        std::string::npos);
  CHECK(signal_name(64) == "signal 64");
}

TEST_CASE("times of the last line have the digits that matter") {
  CHECK(seconds_text(0) == "0 s");
  CHECK(seconds_text(0.0004) == "<0.001 s");
  CHECK(seconds_text(0.0042) == "0.0042 s");
  CHECK(seconds_text(0.0934) == "0.093 s");
  CHECK(seconds_text(3.94) == "3.9 s");
  CHECK(seconds_text(9.96) == "10.0 s");
  CHECK(seconds_text(42.14) == "42.1 s");
  CHECK(seconds_text(1234.4) == "1,234 s");
}
