#include "engine/snapshot_index.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/run_info.h"
#include "engine/support/file_state.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

SnapshotOrigin::File state_of(const std::string& path) {
  return {path, file_stamp(path), file_change_time(path)};
}

std::string snapshot_key(const AnalysisRequest& request, const Image& image) {
  std::string key = identity_of(image).key();
  for (const auto& profile : request.profiles) key += fmt::format("|{}", profile.string());
  for (const auto& directory : request.debug_files.global_directories) {
    key += fmt::format("|debug {}", directory.string());
  }
  for (const auto& directory : request.debug_files.perf_caches) {
    key += fmt::format("|debug {}", directory.string());
  }
  if (request.debug_files.source != nullptr) key += "|debug fetched";
  return key;
}

// For the same request: the same files, in the same order.
std::vector<SnapshotOrigin::File> files_of(const AnalysisRequest& request) {
  std::vector<SnapshotOrigin::File> files = {state_of(request.executable.string())};
  for (const auto& profile : request.profiles) {
    files.push_back(state_of(profile.string()));
    files.push_back(state_of(sidecar_name(profile.string())));
  }
  return files;
}

bool was_settled(const SnapshotOrigin::File& file, FileTime at) {
  if (!file.stamp || !file.changed) return true;
  return is_settled(std::max(file.stamp->modified, *file.changed), at);
}

template <typename List, typename Stream>
void exchange_files(List& files, Stream& stream) {
  stream.list(files, [&](auto& file) {
    stream.text(file.path);
    stream.optional(file.changed);
    auto stamp = file.stamp.value_or(FileStamp{});
    bool known = file.stamp.has_value();
    stream.number(known);
    stream.number(stamp.device);
    stream.number(stamp.inode);
    stream.number(stamp.size);
    stream.number(stamp.modified);
    if constexpr (std::is_same_v<Stream, SnapshotFileReader>) {
      file.stamp = known ? std::optional(stamp) : std::nullopt;
    }
  });
}

// How a debug file would be found may have changed although none of the known files did.
std::vector<SnapshotOrigin::File> debug_file_of(const Program& program) {
  if (program.debug_image() == nullptr) return {};
  return {state_of(program.debug_image()->path())};
}

// Checks what was read while the rest is read.
bool are_sound(const Snapshot& snapshot, Program& program, SnapshotFileReader& rest) {
  auto checks = snapshot.soundness_checks();
  checks.emplace_back([&] { return program.restore_units(rest); });
  const bool worth_threads = program.symbols().size() >= elements_worth_a_thread;
  return all_hold(checks, worth_threads ? processor_count() : 1);
}

}  // namespace

std::optional<SnapshotOrigin> origin_of(const AnalysisRequest& request) {
  if (request.indexes == nullptr || !request.live.empty()) return std::nullopt;
  const auto image = Image::open(request.executable);
  if (!image) return std::nullopt;
  const FileTime now = file_time_now();
  return SnapshotOrigin{snapshot_key(request, **image), files_of(request), now};
}

std::shared_ptr<const Snapshot> restore_snapshot(const AnalysisRequest& request) {
  const bool may_be_there =
      request.indexes != nullptr && request.program == nullptr && request.live.empty();
  if (!may_be_there) return nullptr;
  auto files = files_of(request);
  auto image = Image::open(request.executable);
  if (!image || (*image)->stamp() != files.front().stamp) return nullptr;
  const std::string key = snapshot_key(request, **image);
  SnapshotFileReader file(request.indexes->find(key));
  if (!file.good() || file.view_text() != key) return nullptr;
  std::vector<SnapshotOrigin::File> stored;
  exchange_files(stored, file);
  if (stored != files) return nullptr;

  RecordedRuns runs;
  exchange_warnings(runs.warnings, file);
  file.number(runs.modified);
  std::vector<SnapshotOrigin::File> debug_file;
  exchange_files(debug_file, file);
  const auto program = Program::restore(std::move(*image), request.debug_files.on_disk(), file);
  if (!program || debug_file_of(*program) != debug_file) return nullptr;
  for (const auto& path : request.profiles) runs.paths.push_back(path.string());
  auto snapshot = std::make_shared<const Snapshot>(program, std::move(runs), file);
  if (!file.good() || !are_sound(*snapshot, *program, file)) return nullptr;
  return snapshot;
}

bool may_be_kept(const Snapshot& snapshot) {
  if (!snapshot.origin()) return false;
  const SnapshotOrigin& origin = *snapshot.origin();
  const Program& program = *snapshot.program();
  if (program.has_debug_information() && !program.debug_warnings().empty()) return false;
  const auto is_as_read = [&](const SnapshotOrigin::File& file) {
    return was_settled(file, origin.read_at) && state_of(file.path) == file;
  };
  const Image* debug_image = program.debug_image();
  const bool same_debug_file =
      debug_image == nullptr || (file_stamp(debug_image->path()) == debug_image->stamp() &&
                                 was_settled(state_of(debug_image->path()), origin.read_at));
  return same_debug_file && std::all_of(origin.files.begin(), origin.files.end(), is_as_read);
}

void write_snapshot(const Snapshot& snapshot, SnapshotFileWriter& file) {
  file.text(snapshot.origin()->key);
  exchange_files(snapshot.origin()->files, file);
  exchange_warnings(snapshot.own_warnings(), file);
  file.number(snapshot.profile_modified());
  const auto debug_file = debug_file_of(*snapshot.program());
  exchange_files(debug_file, file);
  snapshot.program()->store(file);
  snapshot.store(file);
  snapshot.program()->store_units(file);
}

}  // namespace gprof
