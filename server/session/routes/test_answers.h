// Answers about tests, from the state that a request is answered from.
//
// Thread contract: that of the context. lenses_of_tests() does not wait for programs to be read: a
// refresh follows when they were. The others wait.
#pragma once

#include <vector>

#include "server/features/feature_context.h"
#include "server/protocol/features.h"
#include "server/protocol/test_messages.h"

namespace gprof::lsp {

// Above the tests of the request's document that a program is known to contain.
[[nodiscard]] std::vector<CodeLens> lenses_of_tests(const FeatureContext& context);
// How each of these tests is run.
[[nodiscard]] std::vector<TestRun> tests_of_document(const FeatureContext& context);
// What CTest would run, in all build folders of the workspace.
[[nodiscard]] std::vector<TestRun> tests_of_ctest(const FeatureContext& context);

}  // namespace gprof::lsp
