#include "server/loading/base_comparison.h"

#include <utility>

namespace gprof::lsp {
namespace {

Expected<ComparedSide> side_of(const Snapshot& snapshot, const std::atomic<bool>& cancelled) {
  if (snapshot.profile_paths().size() > 1) {
    AnalysisRequest request;
    request.executable = snapshot.image().path();
    request.profiles.assign(snapshot.profile_paths().begin(), snapshot.profile_paths().end());
    request.program = snapshot.program();
    request.cancelled = &cancelled;
    // They were reported when the sum was loaded.
    Warnings warnings;
    return read_side(request, warnings);
  }
  ComparedSide side(snapshot.program());
  TRY(side.add(snapshot));
  return side;
}

}  // namespace

Expected<std::shared_ptr<const Comparison>> compare_with_base(const Snapshot& base,
                                                              const Snapshot& now,
                                                              const std::atomic<bool>& cancelled) {
  TRY_ASSIGN(const auto before, side_of(base, cancelled));
  TRY_ASSIGN(const auto after, side_of(now, cancelled));
  TRY_ASSIGN(auto comparison, Comparison::make(before, after));
  return std::make_shared<const Comparison>(std::move(comparison));
}

}  // namespace gprof::lsp
