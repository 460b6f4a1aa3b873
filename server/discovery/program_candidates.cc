#include "server/discovery/program_candidates.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

}  // namespace

// The state of the decision for one profile.
struct ProgramCandidates::Choice {
  using Rank = std::tuple<Fit, bool, bool, bool, bool, bool, FileTime, bool>;

  std::string directory;
  const std::string& owner;
  const ProfileFacts& facts;
  const Candidate* best = nullptr;
  Rank best_rank = {};

  void consider(const Candidate& candidate, Fit fit) {
    if (fit == Fit::none) return;
    const FileTime modified = candidate.facts->stamp.modified;
    const bool has_lines = candidate.facts->has_lines;
    const Rank rank(fit, candidate.path->native() == owner, fit == Fit::build_id && has_lines,
                    modified <= facts.stamp.modified, has_lines, candidate.directory == directory,
                    modified, !candidate.is_link);
    if (best != nullptr && rank <= best_rank) return;
    best = &candidate;
    best_rank = rank;
  }
  [[nodiscard]] Match match() const {
    return best == nullptr ? Match() : Match{*best->path, std::get<Fit>(best_rank)};
  }
};

ProgramCandidates::ProgramCandidates(const std::set<fs::path>& binaries, FileCatalog& catalog) {
  for (const fs::path& path : binaries) {
    const BinaryFacts* facts = catalog.binary(path);
    if (facts == nullptr || !facts->is_program) continue;
    std::error_code ignored;
    candidates_.push_back(
        {&path, facts, path.parent_path().native(), fs::is_symlink(path, ignored)});
  }
  by_end_.resize(candidates_.size());
  std::iota(by_end_.begin(), by_end_.end(), std::size_t{0});
  by_build_ = by_end_;
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](std::size_t a, std::size_t b) {
    return candidates_[a].facts->code.high < candidates_[b].facts->code.high;
  });
  std::stable_sort(by_build_.begin(), by_build_.end(), [&](std::size_t a, std::size_t b) {
    return candidates_[a].facts->build_id < candidates_[b].facts->build_id;
  });
}

// Those with the profile's build-id and those without any, which come first.
std::vector<const ProgramCandidates::Candidate*> ProgramCandidates::of_build(
    const GmonIdentity& identity) const {
  std::vector<const Candidate*> found;
  const auto id_of = [&](std::size_t i) -> const std::vector<std::byte>& {
    return candidates_[i].facts->build_id;
  };
  for (const std::size_t i : by_build_) {
    if (!id_of(i).empty()) break;
    found.push_back(&candidates_[i]);
  }
  const auto& prefix = *identity.build_id_prefix;
  auto place = std::lower_bound(
      by_build_.begin(), by_build_.end(), prefix, [&](std::size_t i, const auto& wanted) {
        return std::lexicographical_compare(id_of(i).begin(), id_of(i).end(), wanted.begin(),
                                            wanted.end());
      });
  for (; place != by_build_.end(); ++place) {
    const auto& id = id_of(*place);
    const bool begins =
        id.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), id.begin());
    if (!begins) break;
    found.push_back(&candidates_[*place]);
  }
  return found;
}

// Those whose text range may be the sampled one.
std::vector<const ProgramCandidates::Candidate*> ProgramCandidates::of_text(
    const GmonIdentity& identity) const {
  std::vector<const Candidate*> found;
  if (!identity.histogram_range) return found;
  const std::uint64_t end = identity.histogram_range->high.value;
  const std::uint64_t first = end - std::min(end, end_rounding);
  const auto end_of = [&](std::size_t i) { return candidates_[i].facts->code.high.value; };
  auto place =
      std::lower_bound(by_end_.begin(), by_end_.end(), first,
                       [&](std::size_t i, std::uint64_t wanted) { return end_of(i) < wanted; });
  for (; place != by_end_.end(); ++place) {
    if (end_of(*place) > end && end_of(*place) - end > end_rounding) break;
    found.push_back(&candidates_[*place]);
  }
  return found;
}

ProgramCandidates::Match ProgramCandidates::best_for(const fs::path& profile,
                                                     const ProfileFacts& facts,
                                                     const fs::path& owner) const {
  Choice choice{profile.parent_path().native(), owner.native(), facts};
  if (!facts.program.empty()) {
    const auto named = file_stamp(facts.program);
    for (const Candidate& candidate : candidates_) {
      choice.consider(candidate, fit_of(*candidate.path, candidate.facts->stamp, named, facts));
    }
    return choice.match();
  }
  const GmonIdentity& identity = *facts.identity;
  if (identity.build_id_prefix) {
    for (const Candidate* one : of_build(identity)) {
      choice.consider(*one, fit_of(*one->facts, identity));
    }
    return choice.match();
  }
  for (const Candidate* one : of_text(identity)) {
    const Fit fit = fit_of(*one->facts, identity);
    if (fit == Fit::text_range) choice.consider(*one, fit);
  }
  if (choice.best != nullptr) return choice.match();
  for (const Candidate& candidate : candidates_) {
    choice.consider(candidate, fit_of(*candidate.facts, identity));
  }
  return choice.match();
}

}  // namespace gprof::lsp
