// Parts of gathered entries, as they are added up.
//
// Thread contract: functions of their arguments.
#pragma once

#include "formats/sidecar.h"
#include "runtime/output/anonymous_array.h"
#include "runtime/output/array_order.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Parts come in the order of the file.
inline void add_part(AnonymousArray<PartEntry>& parts, const PartEntry& part) {
  if (!parts.empty()) {
    PartEntry& last = parts[parts.size() - 1];
    if (last.whole == part.whole && last.thread == part.thread && last.slice == part.slice) {
      return add_counts(last, part);
    }
  }
  parts.append(part);
}

}  // namespace gprof_runtime
