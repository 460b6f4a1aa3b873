#include "engine/report/report_ranges.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "engine/report/printed_parts.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// main calls both functions of one name and the two of a cycle.
ProgramOnDisk program_with_twins(const std::string& name) {
  ProgramOnDisk made(name,
                     {{"main", at(0)},
                      {"same", at(1), STB_LOCAL},
                      {"same", at(2), STB_LOCAL},
                      {"odd", at(3)},
                      {"even", at(4)}},
                     5 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(5), {1, 20, 20, 4, 5}, 1, "seconds", 's', {}}};
  profile.arcs = {{at(0) + 8, at(1), 6},
                  {at(0) + 16, at(2), 6},
                  {at(0) + 24, at(3), 1},
                  {at(3) + 8, at(4), 9},
                  {at(4) + 8, at(3), 8}};
  made.add_profile(profile);
  return made;
}

struct Printed {
  explicit Printed(const ReportRequest& request) {
    const auto report = Report::prepare(request);
    if (!report) FAIL(describe(report.error()));
    const auto take = [this](std::string_view piece) {
      text += piece;
      return true;
    };
    (void)report->print(take, &ranges);
  }

  [[nodiscard]] std::string_view covered(const ReportRange& range) const {
    REQUIRE(range.begin <= range.end);
    REQUIRE(range.end <= text.size());
    return std::string_view(text).substr(range.begin, range.end - range.begin);
  }
  [[nodiscard]] std::vector<std::string> texts(RangeKind kind) const {
    std::vector<std::string> found;
    for (const ReportRange& range : ranges.ranges) {
      if (range.kind == kind) found.emplace_back(covered(range));
    }
    return found;
  }

  std::string text;
  ReportRanges ranges;
};

}  // namespace

TEST_CASE("ranges cost no byte of a report, and stand in the order of the text") {
  ProgramOnDisk made = program_with_twins("report_ranges_bytes");
  using Flag = bool ReportRequest::*;
  const auto flag = GENERATE(as<Flag>{}, &ReportRequest::brief, &ReportRequest::traditional,
                             &ReportRequest::show_errors, &ReportRequest::accurate,
                             &ReportRequest::show_unused, &ReportRequest::inline_file_names);
  for (const bool brief : {true, false}) {
    made.request.brief = brief;
    made.request.*flag = true;
    const Printed printed(made.request);
    CHECK(printed.text == made.report().text);
    REQUIRE_FALSE(printed.ranges.ranges.empty());
    std::uint64_t before = 0;
    for (const ReportRange& range : printed.ranges.ranges) {
      CHECK(before <= range.begin);
      before = range.begin;
      (void)printed.covered(range);
    }
  }
}

TEST_CASE("a function's range tells which one of its name is meant") {
  const Printed printed(program_with_twins("report_ranges_twins").request);
  // In the flat profile, as an entry, as a callee, and in the index.
  std::map<std::uint64_t, std::size_t> twins;
  for (const ReportRange& range : printed.ranges.ranges) {
    if (range.kind != RangeKind::function) continue;
    const std::string_view name = printed.covered(range);
    const std::vector<std::string_view> names = {"main", "same", "same", "odd", "even"};
    CHECK(names.at((range.subject - code_start) / function_size) == name);
    if (name == "same") ++twins[range.subject];
  }
  CHECK(twins == std::map<std::uint64_t, std::size_t>{{at(1), 4}, {at(2), 4}});
}

TEST_CASE("numbers refer to the entries whose names have them") {
  ProgramOnDisk made = program_with_twins("report_ranges_entries");
  made.request.traditional = GENERATE(false, true);
  const Printed printed(made.request);
  std::map<std::uint64_t, std::string> entries;
  for (const ReportRange& range : printed.ranges.ranges) {
    if (range.kind == RangeKind::entry_name) entries[range.subject] = printed.covered(range);
  }
  CHECK(entries.size() == 6);
  bool whole_cycle = false;
  for (const auto& [number, name] : entries) {
    CHECK(name.ends_with(" [" + std::to_string(number) + "]"));
    whole_cycle = whole_cycle || name.starts_with("<cycle 1 as a whole>");
  }
  CHECK(whole_cycle);
  std::size_t references = 0;
  for (const ReportRange& range : printed.ranges.ranges) {
    if (range.kind != RangeKind::reference) continue;
    ++references;
    CHECK(printed.covered(range) == "[" + std::to_string(range.subject) + "]");
    CHECK(entries.contains(range.subject));
  }
  CHECK(references > 2 * entries.size());
  CHECK(printed.texts(RangeKind::entry).size() == entries.size());
}

TEST_CASE("headings, columns, explanations and shares") {
  ProgramOnDisk made = program_with_twins("report_ranges_parts");
  made.request.brief = false;
  const Printed printed(made.request);
  CHECK(printed.texts(RangeKind::heading) ==
        std::vector<std::string>{"Flat profile:", "\t\t     Call graph (explanation follows)",
                                 "Index by function name"});
  CHECK(printed.texts(RangeKind::column_names).size() == 3);
  const auto explanations = printed.texts(RangeKind::explanation);
  REQUIRE(explanations.size() == 2);
  CHECK(explanations[0].starts_with("\n Columns of the flat profile"));
  const auto sections = printed.texts(RangeKind::section);
  REQUIRE(sections.size() == 3);
  for (const std::string& section : sections) CHECK(section.find('\f') == std::string::npos);
  CHECK(sections[2].starts_with("Index by function name\n"));
  for (const ReportRange& range : printed.ranges.ranges) {
    if (range.kind != RangeKind::share) continue;
    const double shown = std::stod(std::string(printed.covered(range)));
    CHECK(range.subject == static_cast<std::uint64_t>(std::llround(100 * shown)));
  }
  made.request.traditional = true;
  CHECK(Printed(made.request).texts(RangeKind::heading) ==
        std::vector<std::string>{"call graph profile:", "flat profile:", "Index by function name"});
}

TEST_CASE("ranges of parts that another thread prints are where their text is") {
  const auto print = [](TextOutput& part, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      part.append(RangeKind::function, std::to_string(i), i);
      part += '\n';
    }
  };
  for (int round = 0; round < 20; ++round) {
    std::string text;
    std::vector<ReportRange> ranges;
    TextOutput output(
        [&](std::string_view piece) {
          text += piece;
          return true;
        },
        &ranges);
    output += "first\n";
    print_in_parts(output, 20'000, print);
    output.flush();
    REQUIRE(ranges.size() == 20'000);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      REQUIRE(ranges[i].subject == i);
      REQUIRE(text.substr(ranges[i].begin, ranges[i].end - ranges[i].begin) == std::to_string(i));
    }
  }
}
