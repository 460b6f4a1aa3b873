#include "engine/snapshot_view.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis.h"
#include "engine/narrowed_run.h"
#include "engine/recording.h"
#include "engine/run_reader.h"
#include "engine/run_sum.h"
#include "engine/snapshot_views.h"
#include "engine/waiting.h"

namespace gprof {
namespace {

// Of small programs one for each event that a tool counts, and some selections. Each is a list of
// all symbols several times over: those of large programs are few.
constexpr std::size_t most_views = 24;
constexpr std::size_t fewest_views = 3;
constexpr std::size_t most_symbols_of_views = 4'000'000;

std::size_t views_kept_of(const Snapshot& snapshot) {
  const std::size_t symbols = std::max<std::size_t>(snapshot.symbols().size(), 1);
  return std::clamp(most_symbols_of_views / symbols, fewest_views, most_views);
}

using View = SnapshotViews::View;

Error no_such_cost(std::string_view cost, const std::vector<Metric>& metrics) {
  std::string names;
  for (const Metric& metric : metrics) {
    if (!is_of_cost(metric)) continue;
    names += (names.empty() ? "" : ", ") + metric.name;
  }
  return Error{ErrorCode::invalid_argument,
               fmt::format("the profile has no costs by the metric {}; it has {}", cost, names), "",
               std::nullopt};
}

// Numbers of stacks are those that the same files had.
Expected<void> check_unchanged(const Snapshot& whole) {
  for (const FileVersion& file : whole.files()) {
    if (version_of(file.path) == file) continue;
    return Error{ErrorCode::stale, "was written since it was loaded; load it again", file.path,
                 std::nullopt};
  }
  return {};
}

Expected<std::shared_ptr<const Recording>> read_recording(const Snapshot& whole) {
  AnalysisRequest request;
  request.executable = whole.image().path();
  for (const std::string& path : whole.profile_paths()) request.profiles.emplace_back(path);
  request.debug_files = whole.program()->debug_files();
  RunReader reader(request);
  TRY(check_unchanged(whole));
  TRY_ASSIGN(auto summed, reader.read(*whole.program()));
  TRY(check_unchanged(whole));
  if (summed.runs.recording) return summed.runs.recording;
  return Error{ErrorCode::invalid_argument, "the profile has no parts that can be looked at",
               whole.profile_paths().empty() ? "" : whole.profile_paths().front(), std::nullopt};
}

// Makes one view.
class ViewMaker {
 public:
  // `base`: of the same metric, without a selection; null if that is what is made.
  ViewMaker(const std::shared_ptr<const Snapshot>& whole,
            std::shared_ptr<const Recording> recording, std::string_view cost, const Snapshot* base,
            const Selection& selection)
      : whole_(whole),
        recording_(std::move(recording)),
        cost_(cost),
        base_(base),
        selection_(selection),
        sum_(whole->symbols(), recording_->runs().size() + 1),
        counts_(base != nullptr ? base->stacks().size() : 0) {}

  Expected<View> make();

 private:
  Expected<void> add_part(const RecordedRun& run, const ProfileFile& file, const RunPart& part);
  void set_no_samples(RawProfile& raw) const;
  // `weights`: of the run's stacks.
  void count_stacks(const RecordedRun& run, std::span<const std::uint64_t> weights);
  [[nodiscard]] bool has_stacks_of_base() const;

  const std::shared_ptr<const Snapshot>& whole_;
  const std::shared_ptr<const Recording> recording_;
  std::string_view cost_;
  const Snapshot* base_;
  const Selection& selection_;
  RunSum sum_;
  std::vector<Ticks> counts_;  // of the base's stacks
  Ticks missing_ = 0;          // samples without a stack
  Metric metric_;
  RawProfile header_;  // of the first file
};

// The numbers of stacks are those of the first metric.
bool ViewMaker::has_stacks_of_base() const {
  return base_ != nullptr && base_ == whole_.get() && cost_ == whole_->cost_metric().name;
}

void ViewMaker::count_stacks(const RecordedRun& run, std::span<const std::uint64_t> weights) {
  for (std::size_t i = 0; i < std::min(weights.size(), run.stack_numbers.size()); ++i) {
    const std::uint32_t number = run.stack_numbers[i];
    if (number < counts_.size()) counts_[number] += static_cast<Ticks>(weights[i]);
  }
}

Expected<void> ViewMaker::add_part(const RecordedRun& run, const ProfileFile& file,
                                   const RunPart& part) {
  if (part.is_nothing()) return {};
  const bool recounted = has_stacks_of_base();
  NarrowedRun taken = part.is_all() ? whole_run(file) : narrowed(file, part, !recounted);
  const ExternalFunctions& functions = run.functions_by(cost_);
  if (!recounted) {
    TRY(sum_.add(taken.file, run.path, functions));
    return {};
  }
  if (taken.stacks.empty()) {
    missing_ += total_of(taken.file.raw.histograms);
  } else {
    count_stacks(run, taken.stacks);
    missing_ += static_cast<Ticks>(taken.file.sidecar->process.lost_stacks);
  }
  return sum_.add_without_stacks(taken.file, run.path, functions);
}

// It is known that there are none, which is other than no samples being taken.
void ViewMaker::set_no_samples(RawProfile& raw) const {
  std::vector<RawArc> arcs = std::move(raw.arcs);
  raw = header_;
  raw.arcs = std::move(arcs);
  if (!whole_->profile().has_samples()) return;
  raw.histograms.push_back({Address{0}, Address{bytes_per_unit}, BinCounts(1)});
}

Expected<View> ViewMaker::make() {
  for (const RecordedRun& run : recording_->runs()) {
    const auto file = run.by(cost_, selection_.with_idle);
    if (file == nullptr) continue;
    if (header_.rate == 0) header_ = header_of(file->raw);
    metric_ = file->metric;
    TRY(add_part(run, *file, RunPart(run, *file, selection_)));
  }
  SummedProfile summed = sum_.take();
  if (summed.raw.histograms.empty()) set_no_samples(summed.raw);
  // What is made of waits has those of the file: they are no costs, and not told apart.
  if (is_of_waiting(cost_) && selection_.is_all()) {
    const auto blocks = whole_->profile().blocks();
    summed.raw.blocks.assign(blocks.begin(), blocks.end());
  }
  if (has_stacks_of_base()) summed.runs.stacks = base_->stacks().recounted(counts_, missing_);
  summed.runs.paths = whole_->profile_paths();
  summed.runs.modified = whole_->profile_modified();
  summed.runs.run_info = whole_->run_info();
  summed.runs.warnings = whole_->own_warnings();
  summed.runs.metrics = recording_->metrics();
  summed.runs.cost_metric = metric_;
  summed.runs.dimensions = recording_->dimensions();
  summed.runs.selection = selection_;
  summed.runs.waits =
      selection_.is_all() ? whole_->waits() : wait_index_of(recording_->runs(), selection_);
  summed.runs.recording = recording_;
  summed.runs.whole = whole_;
  const Snapshot* like = base_ != nullptr ? base_ : whole_.get();
  if (!like->profile().has_calls_of(summed.raw, call_site_precision(summed.raw))) like = nullptr;
  return std::make_shared<const Snapshot>(whole_->program(), std::move(summed), like, std::nullopt,
                                          has_stacks_of_base() ? base_ : nullptr);
}

bool chooses_all(const Recording& recording, std::string_view cost, const Selection& selection) {
  return std::ranges::all_of(recording.runs(), [&](const RecordedRun& run) {
    const ProfileFile* file = run.divided_as(cost);
    return file == nullptr || RunPart(run, *file, selection).is_all();
  });
}

// Keeps the snapshot alive with its view.
View holding(View view, std::shared_ptr<const Snapshot> whole) {
  const Snapshot* seen = view.get();
  auto both = std::make_shared<std::pair<View, View>>(std::move(view), std::move(whole));
  return View(std::move(both), seen);
}

Expected<View> made_view(const std::shared_ptr<const Snapshot>& whole, const std::string& cost,
                         const Selection& selection) {
  TRY_ASSIGN(auto recording, recording_of(*whole));
  View base;
  if (cost == whole->cost_metric().name) {
    base = whole;
  } else if (!selection.is_all()) {
    TRY_ASSIGN(base, view_of(whole, cost, selection.all_of_it()));
  }
  return ViewMaker(whole, std::move(recording), cost, base.get(), selection).make();
}

}  // namespace

Expected<View> SnapshotViews::find_or_make(const std::string& cost, const Selection& selection,
                                           const std::function<Expected<View>()>& make) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.cost == cost && kept.selection == selection; });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front().view;
  }
  TRY_ASSIGN(View view, make());
  kept_.push_front({cost, selection, view});
  if (kept_.size() > views_kept_of(*view)) kept_.pop_back();
  return view;
}

Expected<SnapshotViews::Parts> SnapshotViews::find_or_read(
    const std::function<Expected<Parts>()>& read) {
  const std::lock_guard lock(mutex_);
  if (parts_ == nullptr) {
    TRY_ASSIGN(parts_, read());
  }
  return parts_;
}

Expected<std::shared_ptr<const Recording>> recording_of(const Snapshot& snapshot) {
  if (snapshot.recording()) return snapshot.recording();
  const auto whole = snapshot.whole();
  const Snapshot& read = whole ? *whole : snapshot;
  return read.views().find_or_read([&] { return read_recording(read); });
}

std::shared_ptr<const Snapshot> whole_of(const std::shared_ptr<const Snapshot>& view) {
  auto whole = view->whole();
  return whole ? whole : view;
}

Expected<std::shared_ptr<const Snapshot>> view_of(const std::shared_ptr<const Snapshot>& snapshot,
                                                  std::string_view cost,
                                                  const Selection& selection) {
  const auto whole = whole_of(snapshot);
  const std::string metric(cost.empty() ? std::string_view(whole->cost_metric().name) : cost);
  const bool first = metric == whole->cost_metric().name;
  if (first && selection.is_all()) return whole;
  const auto& metrics = whole->metrics();
  const bool known =
      metric != calls_metric && metric != executions_metric &&
      std::ranges::any_of(metrics, [&](const Metric& m) { return m.name == metric; });
  if (!known) return no_such_cost(metric, metrics);
  TRY(check_selection(selection, whole->dimensions()));
  Selection wanted = selection;
  wanted.with_idle = selection.with_idle && is_of_waiting(metric);
  if (!wanted.is_all()) {
    TRY_ASSIGN(const auto recording, recording_of(*whole));
    if (chooses_all(*recording, metric, wanted)) {
      return view_of(whole, metric, wanted.all_of_it());
    }
  }
  TRY_ASSIGN(auto view, whole->views().find_or_make(
                            metric, wanted, [&] { return made_view(whole, metric, wanted); }));
  return holding(std::move(view), whole);
}

}  // namespace gprof
