// Adds up the profiles of several runs of one program, with what their sidecars say.
//
// Ownership: borrows the symbols. Thread contract: one thread at a time. Errors: mismatch if a
// run does not go with the others; the sum cannot be used then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/gmon/sum.h"
#include "engine/profile_files.h"
#include "engine/recording.h"
#include "engine/snapshot.h"

namespace gprof {

class RunSum {
 public:
  // `runs`: how many will be added.
  RunSum(const SymbolTable& symbols, std::size_t runs) : symbols_(symbols), runs_(runs) {}

  // The file's counts are moved to the sum where it is the only one. Returns the numbers of its
  // stacks in the sum's.
  [[nodiscard]] Expected<std::vector<std::uint32_t>> add(ProfileFile& file, const std::string& path,
                                                         const ExternalFunctions& functions);
  // The same without what is on its stacks.
  [[nodiscard]] Expected<void> add_without_stacks(ProfileFile& file, const std::string& path,
                                                  const ExternalFunctions& functions);
  [[nodiscard]] RecordedRuns& runs() { return summed_.runs; }
  [[nodiscard]] SummedProfile take();

 private:
  void add_samples(const ProfileFile& file, const ExternalFunctions& functions);
  [[nodiscard]] Expected<void> add_counts(ProfileFile& file, const std::string& path);

  const SymbolTable& symbols_;
  std::size_t runs_;
  SummedProfile summed_;
  ProfileSum sum_;
  bool all_inclusive_ = true;
  std::uint32_t rate_ = 0;
};

}  // namespace gprof
