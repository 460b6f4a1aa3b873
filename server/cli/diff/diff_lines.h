// Compares the lines of two builds, matched by a diff of the two source texts. A line whose old
// text is not known is not compared; lines are never matched by number. The statistic is the
// editor's (server/features/line_differences.h): the lines of each file are judged together.
//
// A build's text is known if a file matches the MD5 that the compiler wrote, if the file is no
// newer than the executable, or if the line cache holds it (build_texts.h). A directory that the
// user names for the old sources is trusted unless an MD5 contradicts it. Only files that define a
// sampled function are compared.
//
// Ownership: owns what it gathers. Thread contract: one thread; reads source files and the cache.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "server/cli/diff/diff_result.h"
#include "server/sources/line_cache.h"

namespace gprof::lsp {

// The times of one side's lines, gathered run by run.
class LineTimes {
 public:
  void add(const Snapshot& run);

  struct File {
    std::map<LineNumber, std::vector<Ticks>> lines;  // one entry per run
    std::shared_ptr<const FileCosts> costs;          // of some run: which functions they belong to
  };
  [[nodiscard]] const std::map<FileId, File>& files() const { return files_; }
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  [[nodiscard]] const std::vector<SampleErrors>& errors() const { return errors_; }

 private:
  std::map<FileId, File> files_;
  std::vector<double> rates_;
  std::vector<SampleErrors> errors_;
};

struct LineComparison {
  std::vector<ComparedLine> lines;  // ranked: significant regressions, improvements, noise
  std::vector<std::string> remarks;
};

// Both sides' programs must be those of the comparison.
[[nodiscard]] LineComparison compare_lines(const Comparison& comparison, const LineTimes& before,
                                           const LineTimes& after, const DiffOptions& options,
                                           const std::shared_ptr<LineCache>& cache);

}  // namespace gprof::lsp
