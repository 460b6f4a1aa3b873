#include "server/session/routes/test_answers.h"

#include "server/features/test_lens.h"

namespace gprof::lsp {
namespace {

TestPrograms::Query query_of(const FeatureContext& context) {
  TestPrograms::Query query;
  query.file = context.views.document().path;
  query.configured = context.settings.programs;
  for (const LoadedProgram& program : *context.loaded) {
    if (program.part_of.empty()) query.shown.emplace_back(program.snapshot->image().path());
  }
  return query;
}

}  // namespace

std::vector<CodeLens> lenses_of_tests(const FeatureContext& context) {
  const DocumentView& view = context.views.document();
  if (!view.document || view.path.empty()) return {};
  const std::vector<TestMacro> tests = test_macros(view.document->text());
  // Most sources have none: no program is looked at for them.
  if (tests.empty()) return {};
  const auto programs = context.tests->at_hand(query_of(context));
  return test_lenses(test_runs(tests, *view.document, *programs, context.views.alignments()),
                     *view.document);
}

std::vector<TestRun> tests_of_document(const FeatureContext& context) {
  const DocumentView& view = context.views.document();
  if (!view.document || view.path.empty()) return {};
  const std::vector<TestMacro> tests = test_macros(view.document->text());
  if (tests.empty()) return {};
  const auto programs = context.tests->find(query_of(context));
  return test_runs(tests, *view.document, *programs, context.views.alignments());
}

std::vector<TestRun> tests_of_ctest(const FeatureContext& context) {
  std::vector<TestRun> runs;
  for (const CTestTest& test : context.tests->ctest_tests(query_of(context))) {
    runs.push_back(run_of(test));
  }
  return runs;
}

}  // namespace gprof::lsp
