// The names of functions, modules and other frames of an export or a picture, and where they are
// declared.
//
// Ownership: borrows the snapshot; caches names. Thread contract: one thread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/analysis.h"
#include "engine/callgraph/flame_tree.h"

namespace gprof::lsp {

// For time without a node: callees that were too small or too deep.
inline constexpr const char* left_out_name = "[left out]";

class FrameNames {
 public:
  // `as_written`: as their authors wrote them, for the editor; other tools get the demangler's.
  FrameNames(const Snapshot& snapshot, bool demangle, bool as_written = false)
      : snapshot_(snapshot), demangle_(demangle), as_written_(as_written) {}

  // Looks up where the functions are declared, by address, so that each unit of the debug
  // information is decoded once, not once per function.
  void prepare(std::vector<FlameFrame> frames);

  // Signatures of functions, or their linkage names; "[libc.so.6]" for other code of a module,
  // "<cycle 1>". Names and paths are well-formed UTF-8, which most formats require.
  [[nodiscard]] const std::string& of(const FlameFrame& frame);
  // The same for formats without modules: "snprintf [libc.so.6]".
  [[nodiscard]] std::string with_module(const FlameFrame& frame);
  // The linkage name of a function of any module; empty for other code.
  [[nodiscard]] std::string linkage_name(const FlameFrame& frame) const;
  // Of code of other modules: the file's name; else empty.
  [[nodiscard]] std::string module_of(const FlameFrame& frame) const;
  // Only for functions, if the debug information has it.
  [[nodiscard]] const std::optional<Declaration>& declaration(const FlameFrame& frame);
  // Empty if the file is not known.
  [[nodiscard]] const std::string& path(FileId file);
  // Empty for functions without a declaration.
  [[nodiscard]] const std::string& path_of(const FlameFrame& frame);

  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

 private:
  [[nodiscard]] std::string make_name(const FlameFrame& frame) const;
  [[nodiscard]] std::string function_name(SymbolIndex symbol) const;
  [[nodiscard]] std::string written(const std::string& name) const;

  const Snapshot& snapshot_;
  const bool demangle_;
  const bool as_written_;
  std::unordered_map<std::uint64_t, std::string> names_;
  std::unordered_map<SymbolIndex, std::optional<Declaration>> declarations_;
  std::unordered_map<FileId, std::string> paths_;
};

}  // namespace gprof::lsp
