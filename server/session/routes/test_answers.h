// What lenses and requests say of tests, of the state that a request is answered from.
//
// Thread contract: as of the context. lenses_of_tests() waits for no program to be read, which the
// client is told of later; the others do.
#pragma once

#include <vector>

#include "server/features/feature_context.h"
#include "server/protocol/features.h"
#include "server/protocol/test_messages.h"

namespace gprof::lsp {

// Above the tests of the request's document that a program is known to contain.
[[nodiscard]] std::vector<CodeLens> lenses_of_tests(const FeatureContext& context);
// How these tests are run.
[[nodiscard]] std::vector<TestRun> tests_of_document(const FeatureContext& context);
// What CTest would run, in all build folders of the workspace.
[[nodiscard]] std::vector<TestRun> tests_of_ctest(const FeatureContext& context);

}  // namespace gprof::lsp
