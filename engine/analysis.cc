#include "engine/analysis.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/callgraph/uninstrumented_code.h"
#include "engine/gmon/sum.h"
#include "engine/matching.h"
#include "engine/profile_files.h"
#include "engine/snapshot_index.h"
#include "engine/support/file_state.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

class Steps {
 public:
  explicit Steps(const AnalysisRequest& request) : request_(request) {}

  // Fails if the analysis was cancelled.
  [[nodiscard]] Expected<void> go_on() const {
    if (request_.cancelled == nullptr || !request_.cancelled->load()) return {};
    return Error{ErrorCode::cancelled, "loading was cancelled", request_.executable.string(),
                 std::nullopt};
  }
  // The same, and announces a step.
  Expected<void> begin(std::string_view step, double share) const {
    TRY(go_on());
    if (request_.progress) request_.progress(step, share);
    return {};
  }

 private:
  const AnalysisRequest& request_;
};

// The approximate share of opening a program in the work.
constexpr double program_share = 0.5;

Expected<std::shared_ptr<const Program>> open_program(const AnalysisRequest& request,
                                                      const Steps& steps) {
  if (request.program && request.program->is_current(request.executable, request.debug_files)) {
    return request.program;
  }
  return Program::open(request.executable, request.debug_files,
                       [&](std::string_view step, double share) {
                         return steps.begin(step, share * program_share);
                       });
}

struct SummedProfile {
  RawProfile raw;
  RunInfo run_info;
  StackSamples stacks;
  CollectedSamples samples;
  InclusiveCosts inclusive;  // empty unless every profile has them
  FileTime newest = 0;
  bool plain = true;  // no profile has more than fits in raw
};

// Adds a run's sidecar; without one, its stacks are missing.
void add_collected(const ProfileFile& file, const std::string& path, const Program& program,
                   SummedProfile& summed, Warnings& warnings) {
  const SymbolTable& symbols = program.symbols();
  if (file.sidecar) {
    summed.run_info.add(*file.sidecar, file.own_modules, path, symbols, warnings);
    summed.stacks.add(*file.sidecar, file.own_modules, symbols);
  }
  const Ticks samples = Samples(file.raw.histograms).total();
  if (!file.sidecar || file.sidecar->stacks.empty()) summed.stacks.add_run_without(samples);
  if (file.sidecar) {
    summed.samples.add(*file.sidecar, file.own_modules, samples);
  } else {
    summed.run_info.add_unknown();
    summed.samples.add(samples);
  }
}

// The first and usually only profile, read while the program is opened.
struct EarlyProfile {
  std::optional<Expected<std::optional<ProfileFile>>> file;
  Warnings warnings;

  void read(const AnalysisRequest& request) {
    if (request.profiles.empty() || request.live.contains(request.profiles.front())) return;
    const auto image = Image::open(request.executable);
    if (!image) return;
    file = read_gmon_profile(request.profiles.front(), layout_of(**image), warnings);
  }
  // None if it still has to be read.
  std::optional<Expected<ProfileFile>> take(Warnings& all) {
    if (!file) return std::nullopt;
    auto taken = std::move(*file);
    file.reset();
    if (!taken) return std::move(taken).error();
    if (!*taken) return std::nullopt;
    all.insert(all.end(), warnings.begin(), warnings.end());
    return std::move(**taken);
  }
};

bool is_worth_a_thread(const std::filesystem::path& executable) {
  const auto stamp = file_stamp(executable);
  return stamp && stamp->size >= bytes_worth_a_thread;
}

Expected<ProfileFile> read_one(const AnalysisRequest& request, const std::filesystem::path& path,
                               const Program& program, EarlyProfile& early, Warnings& warnings) {
  if (auto taken = early.take(warnings)) return std::move(*taken);
  const auto live = request.live.find(path);
  if (live == request.live.end()) return read_profile_file(path, program, warnings);
  return profile_of_live(*live->second.counters, path.string(), program, warnings, file_time_now());
}

// GNU gprof, and so a report, uses the first rate for all. `rate`: of the samples so far, or 0.
Expected<void> check_rate(const RawProfile& profile, std::uint32_t& rate, const std::string& path) {
  if (profile.rate == 0 || Samples(profile.histograms).total() <= 0) return {};
  if (rate == 0) rate = profile.rate;
  if (rate == profile.rate) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("samples at {} Hz expected, as before, and {} Hz found: times of both "
                           "cannot be added; record all runs at one rate (--rate)",
                           rate, profile.rate),
               path, std::nullopt};
}

Expected<SummedProfile> read_profiles(const AnalysisRequest& request, const Steps& steps,
                                      const Program& program, EarlyProfile& early,
                                      Warnings& warnings) {
  SummedProfile summed;
  ProfileSum sum;
  bool all_inclusive = true;
  std::uint32_t rate = 0;
  for (const auto& path : request.profiles) {
    // A part of the profiles is no result.
    TRY(steps.go_on());
    TRY_ASSIGN(auto file, read_one(request, path, program, early, warnings));
    summed.newest = std::max(summed.newest, file.modified);
    TRY(check_belongs_together(program, file.raw, path.string(), file.modified));
    TRY(check_rate(file.raw, rate, path.string()));
    add_collected(file, path.string(), program, summed, warnings);
    summed.plain = summed.plain && !file.sidecar && file.inclusive.empty();
    all_inclusive = all_inclusive && !file.inclusive.empty();
    if (all_inclusive) summed.inclusive.add(file.inclusive);
    if (request.profiles.size() == 1) {
      summed.raw = std::move(file.raw);
      return summed;
    }
    TRY(sum.add(file.raw, path.string()));
  }
  summed.raw = sum.take();
  if (!all_inclusive) summed.inclusive = {};
  return summed;
}

// Null where there is none.
std::shared_ptr<const Snapshot> snapshot_of_same_calls(const AnalysisRequest& request,
                                                       const Snapshot::Parts& parts) {
  const auto& like = request.like;
  if (!like || like->program() != parts.program) return nullptr;
  const CallSitePrecision precision = call_site_precision(parts.raw);
  return like->profile().has_calls_of(parts.raw, precision) ? like : nullptr;
}

Error nothing_recorded(const AnalysisRequest& request) {
  return Error{ErrorCode::no_profile_data,
               "holds neither samples nor calls: build the program with -pg, let it run for a "
               "while, and let it end normally (exit or return from main)",
               request.profiles.empty() ? std::string() : request.profiles.front().string(),
               std::nullopt};
}

void warn_if_rebuilt(const Snapshot::Parts& parts, const RawProfile& raw, Warnings& warnings) {
  const Image& image = parts.program->image();
  if (image.modified() <= parts.profile_modified) return;
  const bool same_build = raw.build_id_prefix && !image.build_id().empty();
  if (same_build) return;
  warnings.push_back(Error{ErrorCode::stale,
                           fmt::format("is newer than the profile {}: if it was rebuilt since, "
                                       "counts are shown at wrong places; run the program again",
                                       parts.profile_paths.front()),
                           image.path(), std::nullopt});
}

void warn_of_lost_calls(const Profile& profile, const std::string& path, Warnings& warnings) {
  if (profile.unattributed_calls() == 0) return;
  warnings.push_back(Error{ErrorCode::mismatch,
                           fmt::format("{} calls go to addresses where the program has no "
                                       "function; they are not shown",
                                       profile.unattributed_calls()),
                           path, std::nullopt});
}

}  // namespace

Snapshot::Snapshot(Parts parts)
    : parts_(std::move(parts)),
      call_sites_(symbols(), code(), call_site_precision(parts_.raw)),
      profile_(Profile::attribute(parts_.raw, symbols(), call_sites_,
                                  parts_.like ? &parts_.like->profile_ : nullptr, parts_.samples)),
      estimated_graph_(CallGraph::build(profile_.self_ticks(), profile_.site_arcs(), {},
                                        parts_.like ? &parts_.like->estimated_graph_ : nullptr)),
      measured_(measured_times(parts_.stacks, parts_.inclusive, symbols().size())),
      measured_graph_(measured().known() ? std::optional(estimated_graph_.with(measured()))
                                         : std::nullopt),
      times_(graph(), measured(), profile_.errors()),
      source_index_(
          {symbols(), code(), sources(), call_sites_, profile_, graph(), measured(), times_}) {
  // The profile now has everything from the raw profile.
  parts_.raw = RawProfile();
  parts_.like = nullptr;
  warn_of_lost_calls(profile_, parts_.profile_paths.empty() ? "" : parts_.profile_paths.front(),
                     parts_.warnings);
}

namespace {

template <typename T>
T restored(SnapshotFileReader& index) {
  T value;
  T::exchange(value, index);
  return value;
}

CallSitePrecision restored_precision(SnapshotFileReader& index) {
  CallSitePrecision precision;
  index.number(precision.base);
  index.number(precision.slot_size);
  return precision;
}

}  // namespace

Snapshot::Snapshot(Parts parts, SnapshotFileReader& index)
    : parts_(std::move(parts)),
      call_sites_(symbols(), code(), restored_precision(index)),
      profile_(restored<Profile>(index)),
      estimated_graph_(restored<CallGraph>(index)),
      measured_(std::make_unique<const MeasuredTimes>()),
      times_(graph(), measured(), profile_.errors()),
      source_index_(
          {symbols(), code(), sources(), call_sites_, profile_, graph(), measured(), times_},
          index) {
  times_.restore(index);
  std::call_once(bounds_made_,
                 [&] { bounds_.emplace(estimated_graph_, profile_.errors(), index); });
  parts_.stacks.add_run_without(profile_.total_ticks());
}

std::vector<std::function<bool()>> Snapshot::soundness_checks() const {
  const std::size_t count = symbols().size();
  const std::size_t sites = profile_.site_arcs().size();
  return {
      [this, count, sites] { return estimated_graph_.is_sound(count, sites); },
      [this, count] {
        return gprof::is_sound(call_sites_.precision()) && profile_.is_sound(count) &&
               source_index_.is_sound() && times_.is_sound(count) && bounds().is_sound(count);
      },
      [this] { return symbols().is_sound(); },
  };
}

void Snapshot::store(SnapshotFileWriter& index) const {
  index.number(call_sites_.precision().base);
  index.number(call_sites_.precision().slot_size);
  Profile::exchange(profile_, index);
  CallGraph::exchange(estimated_graph_, index);
  source_index_.store(index);
  times_.store(index);
  BoundedTimes::exchange(bounds(), index);
}

const BoundedTimes& Snapshot::bounds() const {
  std::call_once(bounds_made_, [this] {
    bounds_.emplace(estimated_graph_, find_uninstrumented_code(symbols(), code(), estimated_graph_),
                    profile_.errors());
  });
  return *bounds_;
}

Warnings Snapshot::warnings() const {
  Warnings all = parts_.program->warnings();
  all.insert(all.end(), parts_.warnings.begin(), parts_.warnings.end());
  return all;
}

Expected<std::shared_ptr<const Snapshot>> analyse(const AnalysisRequest& request) {
  if (auto kept = restore_snapshot(request)) return kept;
  const Steps steps(request);
  Snapshot::Parts parts;
  parts.origin = origin_of(request);
  Expected<std::shared_ptr<const Program>> program(nullptr);
  EarlyProfile early;
  const auto read_program = [&] { program = open_program(request, steps); };
  if (is_worth_a_thread(request.executable)) {
    run_beside(read_program, [&] { early.read(request); });
  } else {
    read_program();
  }
  if (!program) return std::move(program).error();
  parts.program = std::move(*program);

  TRY(steps.begin("Reading profiles", program_share));
  TRY_ASSIGN(auto summed, read_profiles(request, steps, *parts.program, early, parts.warnings));
  parts.raw = std::move(summed.raw);
  parts.run_info = std::move(summed.run_info);
  parts.stacks = std::move(summed.stacks);
  parts.samples = std::move(summed.samples);
  parts.inclusive = std::move(summed.inclusive);
  if (!summed.plain) parts.origin.reset();
  parts.profile_modified = summed.newest;
  for (const auto& path : request.profiles) parts.profile_paths.push_back(path.string());
  if (parts.raw.histograms.empty() && parts.raw.arcs.empty() && parts.raw.blocks.empty()) {
    return nothing_recorded(request);
  }
  warn_if_rebuilt(parts, parts.raw, parts.warnings);

  TRY(steps.begin("Joining profile and program", 0.7));
  parts.like = snapshot_of_same_calls(request, parts);
  auto snapshot = std::make_shared<const Snapshot>(std::move(parts));
  TRY(steps.begin("Ready", 1.0));
  return snapshot;
}

}  // namespace gprof
