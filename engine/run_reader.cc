#include "engine/run_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/imported_waits.h"
#include "engine/matching.h"
#include "engine/recording.h"
#include "engine/run_sum.h"
#include "engine/support/file_state.h"
#include "engine/waiting.h"

namespace gprof {
namespace {

// Whether parts of what was read can be looked at.
bool is_worth_keeping(const std::vector<RecordedRun>& runs) {
  if (runs.size() > 1) return true;
  const ProfileFile& file = runs.front().file;
  return file.sidecar || !file.threads.empty() || !file.others.empty() || file.process != 0 ||
         file.thread != 0;
}

bool has_modules_of(const ProfileFile& file, const ProfileFile& first) {
  return file.sidecar && first.sidecar && file.external_names == first.external_names &&
         file.own_modules == first.own_modules &&
         std::ranges::equal(file.sidecar->modules, first.sidecar->modules, {}, &SidecarModule::path,
                            &SidecarModule::path);
}

std::shared_ptr<const ExternalFunctions> functions_of(std::span<const Sidecar* const> sidecars,
                                                      const ProfileFile& file,
                                                      const DebugFileSearch& debug_files) {
  if (sidecars.empty()) return std::make_shared<const ExternalFunctions>();
  return std::make_shared<const ExternalFunctions>(sidecars, file.own_modules, debug_files,
                                                   file.external_names);
}

// Those of the file and of its other metrics. Libraries are read once for all that list the same.
void find_functions(RecordedRun& run, const DebugFileSearch& debug_files) {
  std::vector<const Sidecar*> sidecars;
  if (run.file.sidecar) sidecars.push_back(&*run.file.sidecar);
  for (const ProfileFile& other : run.file.others) {
    if (has_modules_of(other, run.file)) sidecars.push_back(&*other.sidecar);
  }
  run.functions = functions_of(sidecars, run.file, debug_files);
  for (const ProfileFile& other : run.file.others) {
    sidecars.clear();
    if (other.sidecar) sidecars.push_back(&*other.sidecar);
    run.other_functions.push_back(has_modules_of(other, run.file)
                                      ? run.functions
                                      : functions_of(sidecars, other, debug_files));
  }
}

// Each once, as runs of a program list the same libraries.
std::vector<std::string> named_files_of(const std::vector<RecordedRun>& runs) {
  std::vector<std::string> files;
  const auto add = [&](const ExternalFunctions& functions) {
    const auto& more = functions.places_of_files();
    files.insert(files.end(), more.begin(), more.end());
  };
  for (const RecordedRun& run : runs) {
    add(*run.functions);
    for (const auto& functions : run.other_functions) {
      if (functions != run.functions) add(*functions);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

// Stacks have been converted: of their frames, the sampled places are still needed. Times by the
// clock are made of all.
void drop_frames(Sidecar& sidecar) {
  if (!sidecar.waits.empty()) return;
  for (SidecarStack& stack : sidecar.stacks) {
    if (stack.frames.size() > 1) stack.frames = {stack.frames.front()};
  }
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

Expected<RecordedRun> RunReader::read_run(const std::string& path, const Program& program,
                                          RunSum& sum) {
  // A part of the profiles is no result.
  TRY(check_not_cancelled(request_));
  RecordedRun run;
  run.path = path;
  TRY_ASSIGN(run.file, read_one(path, program, sum.runs().warnings));
  TRY(check_belongs_together(program, run.file.raw, path, run.file.modified));
  find_functions(run, request_.debug_files);
  if (run.file.sidecar) {
    name_waits(*run.file.sidecar, run.file.own_modules, program.symbols(), *run.functions);
  }
  TRY_ASSIGN(run.stack_numbers, sum.add(run.file, path, *run.functions));
  if (run.file.sidecar) drop_frames(*run.file.sidecar);
  return run;
}

Expected<SummedProfile> RunReader::read(const Program& program) {
  RunSum sum(program.symbols(), request_.profiles.size());
  std::vector<RecordedRun> runs;
  std::optional<Error> nothing_of_program;
  for (const auto& profile : request_.profiles) {
    auto run = read_run(profile.string(), program, sum);
    if (run) {
      runs.push_back(*std::move(run));
      continue;
    }
    // A part of callgrind's run may have costs of the dynamic linker alone.
    const bool is_other_part =
        run.error().code == ErrorCode::mismatch && is_imported_profile(profile);
    if (!is_other_part) return std::move(run).error();
    sum.runs().warnings.push_back(run.error());
    if (!nothing_of_program) nothing_of_program = std::move(run).error();
  }
  if (runs.empty() && nothing_of_program) return *std::move(nothing_of_program);
  SummedProfile summed = sum.take();
  if (runs.empty()) return summed;
  summed.named_files = named_files_of(runs);
  auto recording = std::make_shared<const Recording>(std::move(runs));
  summed.runs.metrics = recording->metrics();
  summed.runs.cost_metric = recording->metrics().front();
  summed.runs.dimensions = recording->dimensions();
  summed.runs.waits = wait_index_of(recording->runs(), {});
  if (is_worth_keeping(recording->runs())) summed.runs.recording = std::move(recording);
  return summed;
}

}  // namespace gprof
