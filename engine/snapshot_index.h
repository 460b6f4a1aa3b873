// Snapshots in stored indexes: what a process made of a program and its profiles is there when the
// next one starts, which reads neither the profiles nor the program's symbols and units.
//
// An index counts for the very files that it was made from: each has to be the same file, with the
// same size, time of writing and time of its last change, which nobody sets back; files that would
// have been read and were not there have to be missing still. Kept are snapshots of plain profiles
// (no sidecars, no live counters, no imports) of programs whose debug information is undamaged.
//
// Thread contract: any thread. Errors: what cannot be restored is made anew; what cannot be kept is
// not.
#pragma once

#include <memory>
#include <optional>

#include "engine/analysis.h"

namespace gprof {

// Null where there is none in AnalysisRequest::indexes that is of these files as they are now, or
// the program is in memory already. Opens the executable, and reads its headers.
[[nodiscard]] std::shared_ptr<const Snapshot> restore_snapshot(const AnalysisRequest& request);

// None where the snapshot is not going to be kept, whatever becomes of it.
[[nodiscard]] std::optional<SnapshotOrigin> origin_of(const AnalysisRequest& request);

// Whether it may be kept: it has an origin, whose files are the same ones still and were not
// written in the moments before they were read, when times do not tell states apart.
[[nodiscard]] bool may_be_kept(const Snapshot& snapshot);

// Of one for which may_be_kept() holds. Makes what is else made on demand.
void write_snapshot(const Snapshot& snapshot, IndexWriter& index);

}  // namespace gprof
