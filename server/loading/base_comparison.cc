#include "server/loading/base_comparison.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace gprof::lsp {
namespace {

// What is kept of the runs of both sides grows with their programs' symbols and with what the
// profiles hold: at most some 100 MiB each.
constexpr std::size_t most_symbols_kept = 500'000;
constexpr std::uintmax_t most_profile_bytes_kept = std::uintmax_t{64} << 20U;

// Takes snapshots until they are too many or too large; then lets all of them go.
class KeptRuns {
 public:
  void add(const std::shared_ptr<const Snapshot>& run) {
    symbols_ += run->symbols().size();
    for (const std::string& path : run->profile_paths()) bytes_ += size_of(path);
    runs_.push_back(run);
    if (symbols_ > most_symbols_kept || bytes_ > most_profile_bytes_kept) overflow_ = true;
    if (overflow_) runs_.clear();
  }
  [[nodiscard]] bool overflow() const { return overflow_; }
  [[nodiscard]] std::vector<std::shared_ptr<const Snapshot>> take() { return std::move(runs_); }

 private:
  // With its stacks, which are in the sidecar.
  static std::uintmax_t size_of(const std::string& path) {
    std::uintmax_t size = 0;
    for (const std::string& file : {path, path + ".gpx"}) {
      std::error_code error;
      const std::uintmax_t bytes = std::filesystem::file_size(file, error);
      if (!error) size += bytes;
    }
    return size;
  }

  std::vector<std::shared_ptr<const Snapshot>> runs_;
  std::size_t symbols_ = 0;
  std::uintmax_t bytes_ = 0;
  bool overflow_ = false;
};

Expected<ComparedSide> side_of(const std::shared_ptr<const Snapshot>& snapshot, KeptRuns& kept,
                               const std::atomic<bool>& cancelled) {
  if (snapshot->profile_paths().size() > 1) {
    AnalysisRequest request;
    request.executable = snapshot->image().path();
    request.profiles.assign(snapshot->profile_paths().begin(), snapshot->profile_paths().end());
    request.program = snapshot->program();
    request.debug_files = snapshot->program()->debug_files();
    request.cancelled = &cancelled;
    // They were reported when the sum was loaded.
    Warnings warnings;
    return read_side(request, warnings,
                     [&](const std::shared_ptr<const Snapshot>& run) { kept.add(run); });
  }
  ComparedSide side(snapshot->program());
  TRY(side.add(*snapshot));
  kept.add(snapshot);
  return side;
}

}  // namespace

Expected<BaseComparison> compare_with_base(const std::shared_ptr<const Snapshot>& base,
                                           const std::shared_ptr<const Snapshot>& now,
                                           const std::atomic<bool>& cancelled) {
  KeptRuns before_runs;
  KeptRuns after_runs;
  TRY_ASSIGN(const auto before, side_of(base, before_runs, cancelled));
  TRY_ASSIGN(const auto after, side_of(now, after_runs, cancelled));
  TRY_ASSIGN(auto comparison, Comparison::make(before, after));
  BaseComparison made{std::make_shared<const Comparison>(std::move(comparison)), {}, {}};
  if (before_runs.overflow() || after_runs.overflow()) return made;
  made.runs_before = before_runs.take();
  made.runs_after = after_runs.take();
  return made;
}

}  // namespace gprof::lsp
