#include "server/features/frame_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/features/external_names.h"
#include "server/text/source_names.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr unsigned kind_shift = 32;

}  // namespace

void FrameNames::prepare(std::vector<FlameFrame> frames) {
  std::sort(frames.begin(), frames.end());
  for (const FlameFrame& frame : frames) (void)declaration(frame);
}

const std::string& FrameNames::of(const FlameFrame& frame) {
  const std::uint64_t key = (static_cast<std::uint64_t>(frame.kind) << kind_shift) | frame.number;
  const auto known = names_.find(key);
  if (known != names_.end()) return known->second;
  return names_.emplace(key, well_formed(make_name(frame))).first->second;
}

std::string FrameNames::function_name(SymbolIndex symbol) const {
  if (!demangle_) return std::string(snapshot_.symbols()[symbol].name);
  return written(snapshot_.sources().name(symbol).signature);
}

std::string FrameNames::written(const std::string& name) const {
  return as_written_ ? as_written(name) : name;
}

std::string FrameNames::make_name(const FlameFrame& frame) const {
  switch (frame.kind) {
    case FlameFrameKind::function:
      return function_name(frame.number);
    case FlameFrameKind::cycle:
      return fmt::format("<cycle {}>", frame.number);
    case FlameFrameKind::inlined:
      return "[inlined]";
    case FlameFrameKind::module:
      return written(external_code_name(snapshot_.stacks().external_code(frame.number), demangle_));
    case FlameFrameKind::unknown:
      return "[unknown]";
    case FlameFrameKind::truncated:
      return "[truncated]";
    case FlameFrameKind::no_stack:
      return "[no stack]";
    case FlameFrameKind::collector:
      return "[collector]";
    case FlameFrameKind::root:
      break;
  }
  const std::string& path = snapshot_.image().path();
  return path.substr(path.find_last_of('/') + 1);
}

std::string FrameNames::with_module(const FlameFrame& frame) {
  if (frame.kind != FlameFrameKind::module) return of(frame);
  const ExternalCode& code = snapshot_.stacks().external_code(frame.number);
  return well_formed(external_name_with_module(code, demangle_));
}

std::string FrameNames::linkage_name(const FlameFrame& frame) const {
  if (frame.kind == FlameFrameKind::function) {
    return well_formed(std::string(snapshot_.symbols()[frame.number].name));
  }
  if (frame.kind != FlameFrameKind::module) return {};
  return well_formed(snapshot_.stacks().external_code(frame.number).function);
}

std::string FrameNames::module_of(const FlameFrame& frame) const {
  if (frame.kind != FlameFrameKind::module) return {};
  return well_formed(snapshot_.stacks().external_code(frame.number).module);
}

const std::optional<Declaration>& FrameNames::declaration(const FlameFrame& frame) {
  static const std::optional<Declaration> none;
  if (frame.kind != FlameFrameKind::function) return none;
  const auto known = declarations_.find(frame.number);
  if (known != declarations_.end()) return known->second;
  return declarations_.emplace(frame.number, snapshot_.sources().declaration(frame.number))
      .first->second;
}

const std::string& FrameNames::path(FileId file) {
  const auto known = paths_.find(file);
  if (known != paths_.end()) return known->second;
  return paths_.emplace(file, well_formed(snapshot_.sources().path(file))).first->second;
}

const std::string& FrameNames::path_of(const FlameFrame& frame) {
  static const std::string none;
  const auto& declared = declaration(frame);
  return declared ? path(declared->file) : none;
}

}  // namespace gprof::lsp
