// Reports of a profile that was analysed: a view of it.
#include "engine/analysis.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

ProgramOnDisk program(const std::string& name) {
  ProgramOnDisk made(name,
                     {{"whole", at(0)},
                      {"whole.cold", at(1), STB_LOCAL},
                      {"whole.part.0", at(2), STB_LOCAL},
                      {"last", at(4)}},
                     8 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(8), {1, 2, 3, 4, 5, 6, 7, 8}, 1, "seconds", 's', {}}};
  profile.arcs = {{0, at(0), 6}, {at(0) + 8, at(2), 3}, {at(4) + 8, at(0), 2}};
  made.add_profile(profile);
  made.request.accurate = true;
  return made;
}

std::shared_ptr<const Snapshot> analysed(const ReportRequest& request) {
  AnalysisRequest analysis;
  analysis.executable = request.executable;
  analysis.profiles.assign(request.profiles.begin(), request.profiles.end());
  auto snapshot = analyse(analysis);
  REQUIRE(snapshot);
  return *snapshot;
}

}  // namespace

TEST_CASE("report: a part that is all of it gives the bytes of the files") {
  ProgramOnDisk made = program("report_view");
  const bool by_line = GENERATE(false, true);
  const bool with_errors = GENERATE(false, true);
  made.request.by_line = by_line;
  made.request.show_errors = with_errors;
  for (const ReportKind kind : {ReportKind::flat_profile, ReportKind::call_graph,
                                ReportKind::execution_counts, ReportKind::function_ordering}) {
    made.request.kinds.insert(kind);
  }
  const std::string of_files = made.report().text;
  made.request.view = analysed(made.request);
  made.request.profiles = {"/missing/gmon.out"};
  CHECK(made.report().text == of_files);
}
