// The entries of .eh_frame: CIEs, shared by several functions, and FDEs, one per function.
//
// Any bytes are safe. Thread contract: functions of their arguments.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"
#include "runtime/unwind/frame_rules.h"

namespace gprof_runtime {

// One FDE with its CIE.
struct FrameDescription {
  FramePrograms programs;
  std::uint64_t code_end = 0;  // the code begins at programs.first_address
  bool signal_frame = false;   // the frame that the kernel creates to run a signal handler
};

enum class EntryKind : std::uint8_t { common, function, end, damaged };

// The entry at `place` in `bytes`; its body is not parsed.
struct FrameEntry {
  EntryKind kind = EntryKind::damaged;
  const std::uint8_t* place = nullptr;
  Bytes body;                            // after the field that distinguishes CIE and FDE
  const std::uint8_t* common = nullptr;  // an FDE's CIE
  const std::uint8_t* next() const { return body.data() + body.size(); }
};
FrameEntry frame_entry_at(Bytes bytes, const std::uint8_t* place);

// Parses the FDE at `place`. False if it is damaged or of an unknown kind.
bool parse_description(Bytes bytes, const std::uint8_t* place, FrameDescription* description);

// Whether the entry is a CIE that parse_description() understands.
bool is_common_entry(const FrameEntry& entry);

}  // namespace gprof_runtime
