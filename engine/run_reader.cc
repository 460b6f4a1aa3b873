#include "engine/run_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/sum.h"
#include "engine/matching.h"
#include "engine/profile/external_functions.h"
#include "engine/support/file_state.h"

namespace gprof {
namespace {

// What a run's sidecar says; without one, its stacks are missing.
void add_collected(const ProfileFile& file, const std::string& path, const SymbolTable& symbols,
                   const DebugFileSearch& debug_files, SummedProfile& summed) {
  RecordedRuns& runs = summed.runs;
  const Ticks samples = Samples(file.raw.histograms).total();
  if (!file.sidecar) {
    runs.run_info.add_unknown();
    runs.stacks.add_run_without(samples);
    return summed.samples.add(samples);
  }
  runs.run_info.add(*file.sidecar, file.own_modules, path, symbols, runs.warnings);
  const ExternalFunctions functions(*file.sidecar, file.own_modules, debug_files);
  runs.stacks.add(*file.sidecar, file.own_modules, symbols, functions);
  if (file.sidecar->stacks.empty()) runs.stacks.add_run_without(samples);
  summed.samples.add(*file.sidecar, file.own_modules, samples, functions);
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

}  // namespace

void RunReader::read_early() {
  if (request_.profiles.empty() || request_.live.contains(request_.profiles.front())) return;
  const auto image = Image::open(request_.executable);
  if (!image) return;
  early_ = read_gmon_profile(request_.profiles.front(), layout_of(**image), early_warnings_);
}

Expected<ProfileFile> RunReader::read_one(const std::filesystem::path& path, const Program& program,
                                          Warnings& warnings) {
  if (early_) {
    Expected<std::optional<ProfileFile>> early = std::move(*early_);
    early_.reset();
    if (!early) return early.error();
    if (*early) {
      warnings.insert(warnings.end(), early_warnings_.begin(), early_warnings_.end());
      return std::move(**early);
    }
  }
  const auto live = request_.live.find(path);
  if (live == request_.live.end()) return read_profile_file(path, program, warnings);
  return profile_of_live(*live->second.counters, path.string(), program, warnings, file_time_now());
}

Expected<SummedProfile> RunReader::read(const Program& program) {
  SummedProfile summed;
  RecordedRuns& runs = summed.runs;
  ProfileSum sum;
  bool all_inclusive = true;
  std::uint32_t rate = 0;
  for (const auto& profile : request_.profiles) {
    // A part of the profiles is no result.
    TRY(check_not_cancelled(request_));
    const std::string& path = runs.paths.emplace_back(profile.string());
    TRY_ASSIGN(auto file, read_one(profile, program, runs.warnings));
    runs.modified = std::max(runs.modified, file.modified);
    TRY(check_belongs_together(program, file.raw, path, file.modified));
    TRY(check_rate(file.raw, rate, path));
    add_collected(file, path, program.symbols(), request_.debug_files, summed);
    summed.plain = summed.plain && !file.sidecar && file.inclusive.empty();
    summed.from_c_library =
        summed.from_c_library || (file.from_c_library && !file.raw.arcs.empty());
    all_inclusive = all_inclusive && !file.inclusive.empty();
    if (all_inclusive) runs.inclusive.add(file.inclusive);
    if (request_.profiles.size() == 1) {
      summed.raw = std::move(file.raw);
      return summed;
    }
    TRY(sum.add(file.raw, path));
  }
  summed.raw = sum.take();
  if (!all_inclusive) runs.inclusive = {};
  return summed;
}

}  // namespace gprof
