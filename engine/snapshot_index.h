// Snapshots in files: what one process made of a program and its profiles is available to the next,
// which reads neither the profiles nor, by way of program_index.h, the program's symbols and units.
// What parts of a profile are made from is read when a part is asked for.
//
// A snapshot file is valid only for the files it was made from: each must be the same file, with
// the same size, modification time and change time, which nobody can set back; files that would
// have been read but did not exist must still be missing. Snapshots of live counters, and of
// profiles that are named by their folder, are not kept.
//
// Thread contract: any thread. Errors: what cannot be restored is made again; what cannot be kept
// is not.
#pragma once

#include <memory>
#include <optional>

#include "engine/analysis.h"

namespace gprof {

// Null if AnalysisRequest::indexes has none for the current state of these files.
[[nodiscard]] std::shared_ptr<const Snapshot> restore_snapshot(
    const AnalysisRequest& request, std::shared_ptr<const Program> program);

// None if the snapshot certainly will not be kept.
[[nodiscard]] std::optional<SnapshotOrigin> origin_of(const AnalysisRequest& request);
// With the files that the profiles turned out to depend on.
void add_named_files(SnapshotOrigin& origin, const std::vector<std::string>& paths);

// Whether it may be kept: it has an origin, whose files are unchanged and were not written just
// before they were read, when times do not distinguish versions.
[[nodiscard]] bool may_be_kept(const Snapshot& snapshot);

// Precondition: may_be_kept(). Makes everything that is otherwise made on demand.
void write_snapshot(const Snapshot& snapshot, SnapshotFileWriter& file);

}  // namespace gprof
