#include "server/features/flame_names.h"

#include "server/text/source_names.h"
#include "server/text/utf8.h"

namespace gprof::lsp {

FlameTreeParts flame_parts(const Snapshot& snapshot) {
  return {snapshot.symbols(), snapshot.profile(), snapshot.estimated_graph(), snapshot.stacks(),
          snapshot.measured()};
}

FlameInput::FlameInput(const Snapshot& snapshot) : snapshot_(snapshot) {
  if (snapshot.measured().has_stacks()) {
    inlined_ = inlined_functions(snapshot.stacks(), snapshot.sources());
  }
}

FlameTreeParts FlameInput::parts() const {
  FlameTreeParts parts = flame_parts(snapshot_);
  if (snapshot_.measured().has_stacks()) parts.inlined = &inlined_.chains;
  return parts;
}

FlameNames::FlameNames(const FlameInput& input, bool demangle)
    : names_(input.snapshot(), demangle, true) {
  inlined_.reserve(input.inlined().size());
  for (const InlinedFunction& function : input.inlined()) {
    inlined_.push_back(function.name.empty() ? "[unknown]"
                                             : well_formed(as_written(function.name)));
  }
}

const std::string& FlameNames::of(const FlameFrame& frame) {
  return frame.kind == FlameFrameKind::inlined ? inlined_[frame.number] : names_.of(frame);
}

}  // namespace gprof::lsp
