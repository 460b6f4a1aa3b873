#include "engine/report/annotated_source.h"

#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/source_function.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// A source file in the tests' work directory, with two functions and one of its lines.
class AnnotatedProgram {
 public:
  AnnotatedProgram() : directory_(fresh_directory("annotated")) {
    request.source_directories = {directory_.string()};
  }

  void write(const std::string& source) const { write_file(directory_ / "one.c", source); }

  ReportOutput annotate(const std::vector<BlockCount>& blocks = {}) const {
    ReportData data;
    data.symbols = SourceSymbolTable({{symbol(0x10, 1, true), symbol(0x20, 2, false),
                                       symbol(0x30, 4, true), symbol(0x40, 4, true)},
                                      {path},
                                      {},
                                      {}});
    data.graph = CallGraph::build(std::vector<Ticks>(data.symbols.size()),
                                  {{{{}, 2, 0, 7}, {{}, 0, 3, 5}, {{}, 0, 2, 3}}});
    data.blocks = BlockTally(blocks, data.symbols);
    ReportOutput output;
    PrintedBeside beside;
    output.text = written_text(
        [&](TextOutput& text) { append_annotated_sources(data, request, true, text, beside); });
    output.files = std::move(beside.files);
    output.warnings = std::move(beside.warnings);
    return output;
  }

  [[nodiscard]] std::string directory() const { return directory_.string(); }

  ReportRequest request;
  std::string path = "/build/one.c";

 private:
  static SourceSymbol symbol(std::uint64_t address, LineNumber line, bool is_function) {
    SourceSymbol made = source_function(Address{address}, 0x10, "f", 0, line);
    made.is_function = is_function;
    return made;
  }

  std::filesystem::path directory_;
};

}  // namespace

TEST_CASE("annotated source: calls in the margin, then the busiest lines and a summary") {
  AnnotatedProgram program;
  program.write("int f() {\n\tx;\r\n\nint g() {} int h() {}\n}");
  CHECK(program.annotate().text ==
        "*** File /build/one.c:\n"
        "           7 -> int f() {\n"
        "                \tx;\r\n"
        "                \n"
        "           8 -> int g() {} int h() {}\n"
        "                }\n"
        "\n"
        "Top 10 Lines:\n\n"
        "     Line      Count\n\n"
        "        4          8\n"
        "        1          7\n"
        "\nExecution Summary:\n\n"
        "        3   Executable lines in this file\n"
        "        2   Lines executed\n"
        "    66.67   Percent of the file executed\n\n"
        "       15   Total number of line executions\n"
        "     5.00   Average executions per line\n");
}

TEST_CASE("annotated source: blocks are joined by commas and cut at the margin") {
  AnnotatedProgram program;
  program.write("a\nb\n");
  const std::string text =
      program.annotate({{Address{0x11}, 1}, {Address{0x20}, 123456789}, {Address{0x22}, 1234567}})
          .text;
  CHECK(text.find("         7,1 -> a\n") != std::string::npos);
  CHECK(text.find("123456789,123456b\n") != std::string::npos);
}

TEST_CASE("annotated source: every line goes on with the last block") {
  AnnotatedProgram program;
  program.write("a\nb\n");
  program.request.every_line = true;
  program.request.minimum_count = 8;
  const std::string text = program.annotate({{Address{0x11}, 7}}).text;
  CHECK(text.find("       ##### -> a\n       ##### -> b\n") != std::string::npos);
}

TEST_CASE("annotated source: separate files and empty sources") {
  AnnotatedProgram program;
  program.write("");
  program.request.separate_files = true;
  program.request.table_length = 0;
  const ReportOutput output = program.annotate();
  CHECK(output.text.empty());
  REQUIRE(output.files.size() == 1);
  CHECK(output.files[0].path == "one.c-ann");
  CHECK(output.files[0].contents.starts_with("\nExecution Summary:\n\n        0   Executable"));
}

TEST_CASE("annotated source: a source that is nowhere is a warning") {
  AnnotatedProgram program;
  program.request.source_directories.clear();
  const ReportOutput output = program.annotate();
  CHECK(output.text.empty());
  REQUIRE(output.warnings.size() == 1);
  CHECK(output.warnings[0].code == ErrorCode::not_found);
}

TEST_CASE("annotated source: a source that is a folder has no file of its own") {
  AnnotatedProgram program;
  program.path = program.directory() + "/";
  program.request.separate_files = true;
  const ReportOutput output = program.annotate();
  CHECK(output.files.empty());
  REQUIRE(output.warnings.size() == 1);
  CHECK(output.warnings.front().path == program.path);
}
