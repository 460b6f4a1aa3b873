#include "engine/snapshot_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/import/perf_data/perf_bytes.h"
#include "engine/program_index.h"
#include "engine/run_info.h"
#include "engine/support/file_state.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

std::string snapshot_key(const AnalysisRequest& request, const Image& image) {
  std::string key =
      program_key(identity_of(image), request.debug_files, request.debug_files.source != nullptr);
  for (const auto& profile : request.profiles) key += fmt::format("|{}", profile.string());
  return key;
}

// For the same request: the same files, in the same order.
std::vector<FileVersion> files_of(const AnalysisRequest& request) {
  std::vector<FileVersion> files = {version_of(request.executable.string())};
  for (const auto& profile : request.profiles) {
    files.push_back(version_of(profile.string()));
    files.push_back(version_of(sidecar_name(profile.string())));
    for (const auto& stream : perf_data::streams_of(profile)) {
      files.push_back(version_of(stream.string()));
    }
  }
  return files;
}

bool are_current(const std::vector<FileVersion>& versions) {
  return std::ranges::all_of(
      versions, [](const FileVersion& version) { return version_of(version.path) == version; });
}

template <typename One, typename Stream>
void exchange_metric(One& metric, Stream& stream) {
  stream.text(metric.name);
  stream.text(metric.label);
  stream.text(metric.unit);
  stream.number(metric.kind);
  if constexpr (is_reader<Stream>) {
    if (metric.kind > MetricKind::derived) stream.fail();
  }
  stream.text(metric.origin);
}

template <typename All, typename Stream>
void exchange_dimensions(All& dimensions, Stream& stream) {
  stream.list(dimensions.processes, [&](auto& process) {
    stream.number(process.process);
    stream.text(process.name);
    stream.number(process.from);
    stream.number(process.to);
  });
  stream.list(dimensions.threads, [&](auto& thread) {
    stream.number(thread.process);
    stream.number(thread.thread);
    stream.text(thread.name);
    stream.number(thread.cpu);
  });
  stream.number(dimensions.length);
  stream.number(dimensions.slice_width);
  stream.number(dimensions.calls_by_thread);
}

// Everything but the paths, which are the request's.
template <typename Runs, typename Stream>
void exchange_runs(Runs& runs, Stream& stream) {
  exchange_warnings(runs.warnings, stream);
  stream.number(runs.modified);
  RunInfo::exchange(runs.run_info, stream);
  StackSamples::exchange(runs.stacks, stream);
  InclusiveCosts::exchange(runs.inclusive, stream);
  stream.list(runs.metrics, [&](auto& metric) { exchange_metric(metric, stream); });
  exchange_metric(runs.cost_metric, stream);
  exchange_dimensions(runs.dimensions, stream);
  bool has_waits = runs.waits != nullptr;
  stream.number(has_waits);
  if (!has_waits) return;
  if constexpr (is_reader<Stream>) {
    auto waits = std::make_shared<WaitIndex>();
    WaitIndex::exchange(*waits, stream);
    runs.waits = std::move(waits);
  } else {
    WaitIndex::exchange(*runs.waits, stream);
  }
}

// Those of costs: the others follow from what the profile has.
std::vector<Metric> metrics_of_cost(const Snapshot& snapshot) {
  std::vector<Metric> metrics;
  std::ranges::copy_if(snapshot.metrics(), std::back_inserter(metrics), is_of_cost);
  return metrics;
}

bool is_sound(const RecordedRuns& runs) {
  return !runs.metrics.empty() && !runs.dimensions.processes.empty();
}

}  // namespace

std::optional<SnapshotOrigin> origin_of(const AnalysisRequest& request) {
  if (request.indexes == nullptr || !request.live.empty()) return std::nullopt;
  const auto image = Image::open(request.executable);
  if (!image) return std::nullopt;
  const FileTime now = file_time_now();
  auto files = files_of(request);
  // A folder has a time, but does not tell by it what is written in its files.
  for (const auto& profile : request.profiles) {
    if (!file_stamp(profile)) return std::nullopt;
  }
  return SnapshotOrigin{snapshot_key(request, **image), std::move(files), {}, now};
}

void add_named_files(SnapshotOrigin& origin, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) origin.named_files.push_back(version_of(path));
}

std::shared_ptr<const Snapshot> restore_snapshot(const AnalysisRequest& request,
                                                 std::shared_ptr<const Program> program) {
  if (request.indexes == nullptr || !request.live.empty()) return nullptr;
  auto files = files_of(request);
  if (program->image().stamp() != files.front().stamp) return nullptr;
  const std::string key = snapshot_key(request, program->image());
  SnapshotFileReader file(request.indexes->find(key));
  if (!file.good() || file.view_text() != key) return nullptr;
  std::vector<FileVersion> stored;
  exchange_versions(stored, file);
  if (stored != files) return nullptr;
  std::vector<FileVersion> others;
  exchange_versions(others, file);
  if (!are_current(others)) return nullptr;

  RecordedRuns runs;
  exchange_runs(runs, file);
  if (!file.good() || !is_sound(runs)) return nullptr;
  for (const auto& path : request.profiles) runs.paths.push_back(path.string());
  runs.files = std::move(files);
  const bool worth_threads = program->symbols().size() >= elements_worth_a_thread;
  const auto snapshot = std::make_shared<const Snapshot>(std::move(program), std::move(runs), file);
  if (!file.good()) return nullptr;
  const auto checks = snapshot->soundness_checks();
  return all_hold(checks, worth_threads ? processor_count() : 1) ? snapshot : nullptr;
}

bool may_be_kept(const Snapshot& snapshot) {
  if (!snapshot.origin()) return false;
  const SnapshotOrigin& origin = *snapshot.origin();
  const Program& program = *snapshot.program();
  if (program.has_debug_information() && !program.debug_warnings().empty()) return false;
  const auto are_as_read = [&](const std::vector<FileVersion>& versions) {
    return are_current(versions) && std::ranges::all_of(versions, [&](const FileVersion& version) {
             return is_settled(version, origin.read_at);
           });
  };
  return are_as_read(origin.files) && are_as_read(origin.named_files) &&
         are_as_read(debug_file_of(program));
}

void write_snapshot(const Snapshot& snapshot, SnapshotFileWriter& file) {
  const SnapshotOrigin& origin = *snapshot.origin();
  file.text(origin.key);
  exchange_versions(origin.files, file);
  std::vector<FileVersion> others = origin.named_files;
  for (FileVersion& version : debug_file_of(*snapshot.program())) {
    others.push_back(std::move(version));
  }
  exchange_versions(others, file);
  RecordedRuns runs = snapshot.runs();
  runs.metrics = metrics_of_cost(snapshot);
  exchange_runs(std::as_const(runs), file);
  snapshot.store(file);
}

}  // namespace gprof
