// Finds an executable's debug information: in itself, in a separate file found by build-id or debug
// link, or nowhere.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

struct DebugFileSearch {
  // Directories that hold .build-id/xx/yyyy.debug and the mirrored tree of debug-link files.
  std::vector<std::filesystem::path> global_directories = {"/usr/lib/debug"};

  friend bool operator==(const DebugFileSearch&, const DebugFileSearch&) = default;
};

// The separate debug file of `image`: matched by build-id, else by debug link (next to it, in
// .debug/ next to it, below each global directory), comparing build-ids or, if either has none, the
// CRC. Null if none is found; `warnings` names each candidate that does not match.
[[nodiscard]] std::shared_ptr<const Image> find_debug_file(const Image& image,
                                                           const DebugFileSearch& search,
                                                           Warnings& warnings);

}  // namespace gprof
