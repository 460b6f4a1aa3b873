// A program for tests that counts as many calls as its argument says, in a folder of its own.
//
// Needs gcc. Thread contract: one thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"

namespace gprof::test {

struct CountingProgram {
  std::filesystem::path folder;
  std::filesystem::path program = folder / "prog";
  std::filesystem::path profile = folder / "gmon.out";

  explicit CountingProgram(const std::string& name) : folder(work_directory() / name) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    build();
  }
  CountingProgram(const std::string& name, int calls) : CountingProgram(name) { run(calls); }
  ~CountingProgram() { std::filesystem::remove_all(folder); }
  CountingProgram(const CountingProgram&) = delete;
  CountingProgram& operator=(const CountingProgram&) = delete;

  // `extra_functions` makes it a different program.
  void build(int extra_functions = 0) const {
    std::ofstream source(folder / "prog.c");
    source << "#include <stdlib.h>\n";
    for (int i = 0; i < extra_functions; ++i) {
      source << "int extra" << i << "(int n) { return n * " << i << "; }\n";
    }
    source << "int leaf(int n) { return n + 1; }\n"
              "int main(int count, char** words) {\n"
              "  int n = 0;\n"
              "  for (int i = 0; i < atoi(words[count - 1]); ++i) n = leaf(n);\n"
              "  return n < 0;\n"
              "}\n";
    source.close();
    run_or_fail({"gcc", "-g", "-O0", "-pg", "prog.c", "-o", "prog"}, folder);
  }
  void run(int calls) const { run_or_fail({"./prog", std::to_string(calls)}, folder); }

  [[nodiscard]] AnalysisRequest request() const {
    AnalysisRequest made;
    made.executable = program;
    made.profiles = {profile};
    return made;
  }
};

}  // namespace gprof::test
