// Indexes the executables of a workspace, so that many profiles can find theirs.
//
// Executables are read once; a profile then costs only comparisons in memory, and few of them if
// builds have distinct ids or text ranges.
// Ownership: borrows the facts of the catalog. Thread contract: one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/discovery/file_catalog.h"

namespace gprof::lsp {

class ProgramCandidates {
 public:
  ProgramCandidates(const std::set<std::filesystem::path>& binaries, FileCatalog& catalog);

  struct Match {
    std::filesystem::path executable;
    Fit fit = Fit::none;
  };
  // The best fitting executable; among equals `owner`, then, of one build, a copy that was not
  // stripped, then one that is not newer than the profile; of these one that was not stripped, then
  // one in the same directory, then the newest. Precondition: the profile has an identity.
  [[nodiscard]] Match best_for(const std::filesystem::path& profile, const ProfileFacts& facts,
                               const std::filesystem::path& owner) const;

 private:
  struct Candidate {
    const std::filesystem::path* path = nullptr;
    const BinaryFacts* facts = nullptr;
    std::string directory;
    bool is_link = false;
  };
  struct Choice;

  [[nodiscard]] std::vector<const Candidate*> of_build(const GmonIdentity& identity) const;
  [[nodiscard]] std::vector<const Candidate*> of_text(const GmonIdentity& identity) const;

  std::vector<Candidate> candidates_;
  // Indices of these, by end of code and by build-id.
  std::vector<std::size_t> by_end_;
  std::vector<std::size_t> by_build_;
};

}  // namespace gprof::lsp
