// Snapshots in files: what one process made of a program and its profiles is available to
// the next, which reads neither the profiles nor the program's symbols and units.
//
// A snapshot file is valid only for the files it was made from: each must be the same file, with
// the same size, modification time and change time, which nobody can set back; files that would
// have been read but did not exist must still be missing. Only snapshots of plain profiles are kept
// (no sidecars, no live counters, no imports), of programs with undamaged debug information.
//
// Thread contract: any thread. Errors: what cannot be restored is made again; what cannot be kept
// is not.
#pragma once

#include <memory>
#include <optional>

#include "engine/analysis.h"

namespace gprof {

// Null if AnalysisRequest::indexes has none for the current state of these files, or the program is
// already in memory. Opens the executable, and reads its headers.
[[nodiscard]] std::shared_ptr<const Snapshot> restore_snapshot(const AnalysisRequest& request);

// None if the snapshot certainly will not be kept.
[[nodiscard]] std::optional<SnapshotOrigin> origin_of(const AnalysisRequest& request);

// Whether it may be kept: it has an origin, whose files are unchanged and were not written just
// before they were read, when times do not distinguish states.
[[nodiscard]] bool may_be_kept(const Snapshot& snapshot);

// Precondition: may_be_kept(). Makes everything that is otherwise made on demand.
void write_snapshot(const Snapshot& snapshot, SnapshotFileWriter& file);

}  // namespace gprof
