#include "engine/import/perf_samples.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gprof;

namespace {

// A line for each sample: everything that was read of it.
std::vector<std::string> samples_of(const TextBlocks& text) {
  std::vector<std::string> samples;
  PerfFrameLines lines;
  const auto read = for_each_perf_sample(text, lines, [&](const PerfSample& sample) {
    std::string line = fmt::format("{} {}/{} {} {} {}", sample.command, sample.process,
                                   sample.thread, sample.time, sample.period, sample.event);
    for (const PerfFrame& frame : sample.frames) {
      line +=
          fmt::format(" | {:x} {}+{:x} {}", frame.address, frame.symbol, frame.offset, frame.file);
    }
    samples.push_back(std::move(line));
    return true;
  });
  REQUIRE(read);
  return samples;
}

}  // namespace

TEST_CASE("amplification: of the lines of frames a bounded number is kept") {
  constexpr std::size_t lines_of_text = 300'000;
  std::string text = "prog 12/13 [001] 1.0: 1 cycles:\n";
  for (std::size_t i = 0; i < lines_of_text; ++i) {
    if (i % 1000 == 999) text += "\nprog 12/13 [001] 1.0: 1 cycles:\n";
    text += fmt::format("\t{:x} f+0x1 (/p)\n", i);
  }
  PerfFrameLines lines;
  // Twice, as readers do: lines that are not kept are read each time.
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t next = 0;
    REQUIRE(for_each_perf_sample(TextBlocks(text), lines, [&](const PerfSample& sample) {
      for (const PerfFrame& frame : sample.frames) {
        const bool is_next = frame.address == next && frame.symbol == "f" && frame.file == "/p";
        next += is_next ? 1 : 0;
      }
      return true;
    }));
    CHECK(next == lines_of_text);
    CHECK(lines.size() == std::size_t{1} << 18);
  }
}

TEST_CASE("perf samples: blocks may end anywhere") {
  const std::string text =
      "# a header\n"
      "prog 12/13 [001] 1.000001:  250000 cpu-clock:u: \n"
      "\t          401136 leaf+0x6 (/tmp/prog)\r\n"
      "\t          401150 main+0x10 (/tmp/prog)\n"
      "\n"
      "\t          401150 behind_the_end+0x10 (/tmp/prog)\n"
      "my prog 12/14 [000] 1.5:  1 cycles:   401136 leaf+0x6 (/tmp/prog)\n"
      "my prog 12/14 [000] 1.6:  1 cycles:   401137 leaf+0x7 (/tmp/prog)\n"
      "perf: a message\n"
      "prog 12/13 [001] 2.25:  7 cpu-clock:u: \n"
      "\t          401136 leaf+0x6 (/tmp/prog)\n"
      "\n"
      "\n"
      "prog 12/13 [001] 3.0:  8 cpu-clock:u: \n"
      "\tffffffff81000000 entry+0x0 ([kernel.kallsyms])";
  const auto whole = samples_of(TextBlocks(text));
  REQUIRE(whole.size() == 5);
  CHECK(whole[0] ==
        "prog 12/13 1000001000 250000 cpu-clock:u | 401136 leaf+6 /tmp/prog | 401150 main+10 "
        "/tmp/prog");
  CHECK(whole[4] ==
        "prog 12/13 3000000000 8 cpu-clock:u | ffffffff81000000 entry+0 "
        "[kernel.kallsyms]");
  for (std::size_t size = 3; size <= text.size(); ++size) {
    CAPTURE(size);
    CHECK(samples_of(TextBlocks(text, size)) == whole);
  }
}
