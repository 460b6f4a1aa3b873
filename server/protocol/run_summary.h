// What `gprof-lsp record --summary=FILE` writes when the run is over, as JSON, for the editor or
// script that started it.
//
// The texts of members document them in what is generated (tools/describe_protocol.cc). Plain
// values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gprof::lsp {

struct CrashedAt {
  std::string path;
  std::uint32_t line = 0;
  std::string function;

  static void fields(auto& visit, auto& self) {
    visit("path", self.path, "of the source, as it was compiled");
    visit("line", self.line, "from 1");
    visit("function", self.function, "empty if it is not known");
  }
};

struct RunSummary {
  std::string program;
  std::optional<std::string> profile;
  std::optional<int> status;
  std::optional<std::string> signal;
  std::optional<CrashedAt> crash;
  std::optional<std::string> problem;
  std::vector<std::uint32_t> running;
  std::optional<std::string> figures;
  std::optional<std::string> times;
  std::optional<std::string> headline;
  std::vector<std::string> remarks;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "as it was named on the command line");
    visit("profile", self.profile, "path of the gmon file; left out where there is none");
    visit("status", self.status, "the exit status; left out if a signal ended the program");
    visit("signal", self.signal, "that ended the program: \"SIGSEGV\"");
    visit("crash", self.crash, "the line where it did; left out where it is not known");
    visit("problem", self.problem, "why there is no profile, or why the program was not started");
    visit("running", self.running, "profiled processes that the program has left behind");
    visit("figures", self.figures,
          "\"1,234 calls, 321 samples at 100 Hz, 8 threads, nothing lost\"");
    visit("times", self.times, "by the clock and on CPUs: \"ran 3.9 s, 0.09 s on CPU\"");
    visit("headline", self.headline, "the same in short: \"0.09 s CPU of 3.9 s\"");
    visit("remarks", self.remarks, "caveats, the most important first");
  }
};

}  // namespace gprof::lsp
