// A small program that a test writes, compiles, runs and changes.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/analysis.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"

namespace gprof::test {

class ProfiledSource {
 public:
  explicit ProfiledSource(const std::string& test_name) : directory(fresh_directory(test_name)) {}
  // Written, compiled and run.
  ProfiledSource(const std::string& test_name, unsigned calls,
                 const std::vector<std::string>& compiler)
      : ProfiledSource(test_name) {
    write(calls);
    compile(compiler);
    run();
  }

  // Twenty functions, each called `calls` times. `first_grows` makes the first one longer, which
  // moves all the others.
  void write(unsigned calls, bool first_grows = false) const {
    std::ofstream out(directory / "program.c");
    out << "volatile int sink;\n";
    for (int i = 0; i < functions; ++i) {
      out << "__attribute__((noinline)) int f" << i << "(int x) {\n";
      for (int line = 0; first_grows && i == 0 && line < 40; ++line) out << "  sink += x;\n";
      out << "  sink ^= x;\n  return x + " << i << ";\n}\n";
    }
    out << "int main(void) {\n  int total = 0;\n  for (int i = 0; i < " << calls << "; i++) {\n";
    for (int i = 0; i < functions; ++i) out << "    total += f" << i << "(i);\n";
    out << "  }\n  return total == 1;\n}\n";
  }
  void compile(std::vector<std::string> command, const std::string& output = "program") const {
    command.insert(command.end(), {"program.c", "-o", output});
    run_or_fail(command, directory);
  }
  // Leaves gmon.out.
  void run() const { run_or_fail({program().string()}, directory); }

  [[nodiscard]] std::filesystem::path program() const { return directory / "program"; }
  [[nodiscard]] std::filesystem::path profile() const { return directory / "gmon.out"; }
  [[nodiscard]] AnalysisRequest request() const {
    AnalysisRequest made;
    made.executable = program();
    made.profiles = {profile()};
    return made;
  }
  // Sets its time just after the profile's last change, however fast the test runs.
  void make_program_newer() const {
    std::filesystem::last_write_time(
        program(), std::filesystem::last_write_time(profile()) + std::chrono::seconds(1));
  }

  static constexpr int functions = 20;
  const std::filesystem::path directory;
};

inline std::shared_ptr<const Snapshot> analyse_or_fail(const AnalysisRequest& request) {
  auto snapshot = analyse(request);
  INFO((snapshot ? "" : describe(snapshot.error())));
  REQUIRE(snapshot);
  return *snapshot;
}

inline std::uint64_t calls_of(const Snapshot& snapshot, std::string_view function) {
  const auto symbol = snapshot.symbols().find_by_name(function);
  REQUIRE(symbol);
  return snapshot.graph().node(*symbol).calls;
}

}  // namespace gprof::test
