#include "engine/report/flat_profile.h"

#include "tests/unit/report/synthetic_program.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::string flat(const ReportData& data, const ReportRequest& request) {
  return written_text([&](TextOutput& text) {
    append_flat_profile(text, request, data, names_of(request, data),
                        flat_profile_rows(request, data));
  });
}

ReportRequest brief() {
  ReportRequest request;
  request.brief = true;
  return request;
}

// main calls f 4 times and g 8 times; idle does nothing.
ReportData program() {
  return data_of(functions_named({"main", "f", "g", "idle"}), {0, 100, 300, 0},
                 {{Address{}, 0, 1, 4}, {Address{}, 0, 2, 8}});
}

}  // namespace

TEST_CASE("flat profile: rows by falling time, in the unit of the dearest call") {
  CHECK(flat(program(), brief()) ==
        "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
        "  %   cumulative   self              self     total           \n"
        " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
        " 75.00      3.00     3.00        8   375.00   375.00  g\n"
        " 25.00      4.00     1.00        4   250.00   250.00  f\n");
}

TEST_CASE("flat profile: what took no time and was not called is shown on request") {
  ReportRequest request = brief();
  request.show_unused = true;
  const std::string text = flat(program(), request);
  CHECK(
      text.ends_with("  0.00      4.00     0.00                             idle\n"
                     "  0.00      4.00     0.00                             main\n"));
}

TEST_CASE("flat profile: the traditional layout is in milliseconds") {
  ReportRequest request = brief();
  request.traditional = true;
  CHECK(flat(program(), request) ==
        "\ngranularity: each sample hit covers 2 byte(s) for 0.25% of 4.00 seconds\n\n"
        "  %   cumulative   self              self     total           \n"
        " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
        " 75.0       3.00     3.00        8   375.00   375.00  g\n"
        " 25.0       4.00     1.00        4   250.00   250.00  f\n");
}

TEST_CASE("flat profile: no time at all") {
  const ReportData data = data_of(functions_named({"main", "f"}), {0, 0}, {{Address{}, 0, 1, 4}});
  const std::string text = flat(data, brief());
  CHECK(text.find(" no time accumulated\n\n") != std::string::npos);
  CHECK(text.find("Ts/call") != std::string::npos);
  CHECK(text.ends_with("  0.00      0.00     0.00        4     0.00     0.00  f\n"));
}

TEST_CASE("flat profile: columns of another dimension are cut to their width") {
  ReportData data = program();
  data.samples.dimension = "cache misses";
  data.samples.abbreviation = 'c';
  const std::string text = flat(data, brief());
  CHECK(text.find("0.01 cache misses.\n") != std::string::npos);
  CHECK(text.find(" time cache mis  cache mi    calls  mc/call  mc/call  name    \n") !=
        std::string::npos);
}

TEST_CASE("flat profile: the error of a time is the root of its samples") {
  ReportRequest request = brief();
  request.show_errors = true;
  const std::string text = flat(program(), request);
  CHECK(text.find("    3.00   +-0.17        8") != std::string::npos);
  CHECK(text.find("    1.00   +-0.10        4") != std::string::npos);
  CHECK(text.find(" seconds  +-error    calls") != std::string::npos);
}

TEST_CASE("flat profile: without a rate the heading says so and nothing divides by it") {
  ReportData data = program();
  data.samples.rate = 0;
  const std::string text = flat(data, brief());
  CHECK(text.find("Each sample counts as inf seconds.") != std::string::npos);
  CHECK(text.find("Ts/call") != std::string::npos);
}

TEST_CASE("flat profile: a form feed parts it from what stands before") {
  const ReportData data = program();
  const ReportRequest request = brief();
  const std::string text = written_text([&](TextOutput& output) {
    output += "before\n";
    append_flat_profile(output, request, data, names_of(request, data),
                        flat_profile_rows(request, data));
  });
  CHECK(text.starts_with("before\n\f\nFlat profile:\n"));
}
