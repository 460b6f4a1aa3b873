// Reads the profiles of a request, adds them up, and keeps what parts of them can be made from.
//
// Ownership: borrows the request. Thread contract: one thread at a time.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis.h"
#include "engine/profile_files.h"
#include "engine/recording.h"
#include "engine/run_sum.h"

namespace gprof {

class RunReader {
 public:
  explicit RunReader(const AnalysisRequest& request) : request_(request) {}

  // Reads the first and usually only profile before the program is open: a gmon file needs no more
  // of it than its layout. read() takes it from there, and reads what could not be read yet.
  void read_early();
  // Errors: cancelled; those of the files; mismatch if a profile is not of this program, or does
  // not go with the others.
  [[nodiscard]] Expected<SummedProfile> read(const Program& program);

 private:
  [[nodiscard]] Expected<ProfileFile> read_one(const std::filesystem::path& path,
                                               const Program& program, Warnings& warnings);
  [[nodiscard]] Expected<RecordedRun> read_run(const std::string& path, const Program& program,
                                               RunSum& sum);

  const AnalysisRequest& request_;
  std::optional<Expected<std::optional<ProfileFile>>> early_;  // none inside: not a gmon file
  Warnings early_warnings_;
};

}  // namespace gprof
