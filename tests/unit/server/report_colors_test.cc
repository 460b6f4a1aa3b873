#include "server/cli/report/report_colors.h"

#include <fstream>
#include <string>
#include <vector>

#include "server/report_documents/report_text.h"
#include "server/text/shown_text.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

// Of 33 samples main has 1, the rest is 20 to 12 of a cycle.
ProgramOnDisk program_to_color(const std::string& name) {
  ProgramOnDisk made(
      name, {{"main", at(0)}, {"odd\x1b[1m", at(1)}, {"even", at(2)}, {"12.5 12.5", at(3)}},
      4 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(4), {1, 20, 12, 0}, 1, "seconds", 's', {}}};
  profile.arcs = {{at(0) + 8, at(1), 1}, {at(1) + 8, at(2), 9}, {at(2) + 8, at(1), 8}};
  made.add_profile(profile);
  return made;
}

std::string without_colors(std::string text) {
  for (const std::string_view sequence : {color_bold, color_dim, color_warm, color_off}) {
    for (std::size_t found = text.find(sequence); found != std::string::npos;
         found = text.find(sequence, found)) {
      text.erase(found, sequence.size());
    }
  }
  return text;
}

// B, D, W for the colours, and a closing angle.
std::string readable(std::string text) {
  const std::vector<std::pair<std::string_view, std::string_view>> signs = {
      {color_bold, "B{"}, {color_dim, "D{"}, {color_warm, "W{"}, {color_off, "}"}};
  for (const auto& [sequence, sign] : signs) {
    for (std::size_t found = text.find(sequence); found != std::string::npos;
         found = text.find(sequence)) {
      text.replace(found, sequence.size(), sign);
    }
  }
  return text;
}

// As a terminal shows it.
std::string colored(const ProgramOnDisk& made) {
  ReportOutput output = made.report();
  const std::string text = shown_text(output.text, output.ranges.ranges, for_terminal);
  const std::string painted = colored_report(text, output.ranges.ranges);
  CHECK(without_colors(painted) == for_terminal(output.text));
  return readable(painted);
}

void check_parts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    INFO(part << "\nin\n" << text);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("colours of a report's parts") {
  const ProgramOnDisk made = program_to_color("report_colors_parts");
  check_parts(colored(made),
              {"B{Flat profile:}\n\nEach sample",
               "\nD{  %   cumulative   self              self     total           }\n",
               "\nD{ time   seconds   seconds    calls   s/call   s/call  name    }\n",
               "\n W{60.61}     20.00    20.00",
               "\n  3.03     33.00     1.00                             main\n",
               "\f\nB{\t\t\tCall graph}\n", "\ngranularity: each",
               "\nD{index % time    self  children    called     name}\n",
               "W{97.0}   32.00    0.00       1+17      B{<cycle 1 as a whole> [", "B{main [",
               "             odd?[1m <cycle 1> [", "B{even <cycle 1> [",
               "\f\nB{Index by function name}\n"});
}

TEST_CASE("colours of sources and of file information") {
  ProgramOnDisk made = program_to_color("report_colors_files");
  made.request.file_information = true;
  check_parts(colored(made), {"B{File `", "' (version 1) contains:}\n\t"});
}

TEST_CASE("the traditional layout gets its colours, too") {
  ProgramOnDisk made = program_to_color("report_colors_traditional");
  made.request.traditional = true;
  made.request.brief = false;
  check_parts(colored(made),
              {"\nB{call graph profile:}\n", "\nB{flat profile:}\n",
               "\nD{                                  called/total       parents }\n",
               "\nD{index  %time    self descendants  called+self    name    \tindex}\n",
               "\nD{                                  called/total       children}\n",
               "W{97.0}   32.00        0.00       1+17      B{<cycle 1 as a whole> [",
               "\n W{60.6}      20.00    20.00"});
}

TEST_CASE("the column of errors is no part of a name") {
  ProgramOnDisk made = program_to_color("report_colors_errors");
  made.request.show_errors = true;
  check_parts(colored(made), {" +-1.00", "B{main ["});
  CHECK(colored(made).find("B{0.00") == std::string::npos);
}

TEST_CASE("only what there is gets a colour") {
  CHECK(colored_report("", {}).empty());
  CHECK(colored_report("Flat profile:\n", {}) == "Flat profile:\n");
  const std::vector<ReportRange> ranges = {{RangeKind::heading, 0, 0, 0, 0},
                                           {RangeKind::share, 0, 999, 0, 6},
                                           {RangeKind::share, 0, 10'00, 6, 13}};
  CHECK(readable(colored_report("  9.99  10.00\n", ranges)) == "  9.99  W{10.00}\n");
}
