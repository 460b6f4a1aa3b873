// Which tests of a document a program is known to contain, how each is run alone, and the lenses
// above them: for clients that run programs.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/documents/build_alignments.h"
#include "server/documents/document.h"
#include "server/features/test_macros.h"
#include "server/loading/test_programs.h"
#include "server/protocol/features.h"
#include "server/protocol/test_messages.h"

namespace gprof::lsp {

// Runs each test in the first program that contains it. GoogleTest names a class after the test;
// a test of Catch2 is found by its line, as long as the line has the text that was compiled.
// `programs` are those of the document's file.
[[nodiscard]] std::vector<TestRun> test_runs(const std::vector<TestMacro>& tests,
                                             const Document& document, const TestsOfFile& programs,
                                             BuildAlignments& alignments);

// One lens a test, above its macro.
[[nodiscard]] std::vector<CodeLens> test_lenses(const std::vector<TestRun>& runs,
                                                const Document& document);

// The arguments that make a program run the test alone.
[[nodiscard]] std::vector<std::string> test_arguments(const TestMacro& test);
// Catch2's pattern for exactly this name: special characters of patterns are escaped.
[[nodiscard]] std::string catch2_pattern(std::string_view name);

// What CTest would run.
[[nodiscard]] TestRun run_of(const CTestTest& test);

}  // namespace gprof::lsp
