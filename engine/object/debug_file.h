// Where an executable's debug information lives: in itself, in a separate file found by build-id
// or by debug link, or nowhere.
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

// The separate debug file of `image`: matched by build-id, else by debug link (beside it, in
// .debug/ beside it, below each global directory) with the build-id compared, or where one of them
// has none, the CRC checked. Null when there is none to be found; a candidate that does not match
// is named in `warnings`.
[[nodiscard]] std::shared_ptr<const Image> find_debug_file(const Image& image,
                                                           const DebugFileSearch& search,
                                                           Warnings& warnings);

}  // namespace gprof
