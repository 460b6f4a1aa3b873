#include "engine/report/debugging.h"

#include "tests/unit/report/synthetic_program.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// What the topics show for a small program: main calls f, f calls itself; g is only in the code.
std::string shown(std::uint32_t topics, const std::vector<SymspecChoice>& symspecs = {}) {
  ReportRequest request;
  request.debug_topics = topics;
  request.symspecs = symspecs;
  request.source_directories = {"/src"};
  RawProfile raw;
  raw.rate = 100;
  raw.histograms = {{entry_of(0), entry_of(3), {1, 2, 3}}};
  raw.arcs = {{entry_of(0) + 5, entry_of(1), 4}, {Address{1}, entry_of(1) + 2, 1}};
  JoinedReport joined;
  joined.arcs = {{entry_of(0) + 5, 0, 1, 4}, {entry_of(1) + 5, 1, 0, 2}};
  joined.static_arcs = {{entry_of(0) + 9, 0, 2, 0}};
  std::vector<SiteArc> all = joined.static_arcs;
  all.insert(all.end(), joined.arcs.begin(), joined.arcs.end());
  joined.data = data_of(functions_named({"main", "f", "g"}), {100, 200, 300}, all);
  const GraphIndex index(joined.data);
  return written_text([&](TextOutput& text) {
    append_debugging(text, {request, raw, joined, index});
  });
}

std::string shown(DebugTopic topic) { return shown(static_cast<std::uint32_t>(topic)); }

}  // namespace

TEST_CASE("debugging: nothing without a topic") { CHECK(shown(0).empty()); }

TEST_CASE("debugging: each topic has a section under its number") {
  for (const std::uint32_t topic :
       {2U, 4U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U, 2048U, 4096U, 8192U}) {
    INFO(topic);
    const std::string text = shown(topic);
    CHECK(text.starts_with("debug " + std::to_string(topic) + ": "));
    CHECK(text.ends_with("\n\n"));
    CHECK(text.find("debug ", 1) == std::string::npos);
  }
}

TEST_CASE("debugging: topics add up") {
  const std::string text = shown(128 + 4);
  CHECK(text.find("debug 128: ") < text.find("debug 4: "));
  CHECK(shown(~0U).size() > text.size());
}

TEST_CASE("debugging: symbols, records and what their addresses are") {
  CHECK(shown(DebugTopic::symbols).find("  [0x1040, 0x1080) global function f\n") !=
        std::string::npos);
  const std::string records = shown(DebugTopic::records);
  CHECK(records.find("  histogram [0x1000, 0x10c0), 3 bins, 100 a second\n") != std::string::npos);
  CHECK(records.find("  arc from 0x1005 to 0x1040, 4 calls\n") != std::string::npos);
  const std::string lookups = shown(DebugTopic::lookups);
  CHECK(lookups.find("  0x1005 is main+0x5, 0x1040 is f+0x0\n") != std::string::npos);
  CHECK(lookups.find("  0x1 is no symbol, 0x1042 is f+0x2\n") != std::string::npos);
}

TEST_CASE("debugging: calls, counted and in the code") {
  CHECK(shown(DebugTopic::tally) ==
        "debug 16: counted arcs\n  f calls main, 2 of 2+0\n  main calls f, 4 of 4+0\n\n");
  CHECK(shown(DebugTopic::static_calls).find("  main calls g before 0x1009\n") !=
        std::string::npos);
}

TEST_CASE("debugging: order, cycles and propagation") {
  CHECK(shown(DebugTopic::order) == "debug 2: callees before callers\n  1 g\n  2 main\n  3 f\n\n");
  CHECK(shown(DebugTopic::cycles) ==
        "debug 4: cycles\n  cycle 1, 0 calls from outside, 6 inside: main f\n\n");
  CHECK(shown(DebugTopic::propagation).find("  f: self 200, children 0, fraction 1, printed\n") !=
        std::string::npos);
  CHECK(shown(DebugTopic::arc_order).find("  main to g: 0 + 0 ticks, 0 calls\n") !=
        std::string::npos);
}

TEST_CASE("debugging: specifications and how much they match") {
  const std::string text =
      shown(static_cast<std::uint32_t>(DebugTopic::symspecs),
            {{SymspecList::exclude_flat, "f"}, {SymspecList::include_arcs, "main/f"}});
  CHECK(text.find("  exclude from flat 'f': 1 symbols\n") != std::string::npos);
  CHECK(text.find("  include arcs 'main/f'\n") != std::string::npos);
}

TEST_CASE("debugging: where sources are looked for") {
  CHECK(shown(DebugTopic::sources).find("  looked for in /src\n") != std::string::npos);
}
