// Reads the files that profiles come in, whatever their format: gmon files with the sidecars beside
// them. The content of a file tells its format, not its name.
//
// Thread contract: pure functions of files. Errors: those of the format's reader.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"
#include "engine/program.h"
#include "engine/support/expected.h"

namespace gprof {

struct ProfileFile {
  RawProfile raw;
  // What raw cannot hold: stacks, and how it was collected.
  std::optional<Sidecar> sidecar;
  // Which of the sidecar's modules the program is.
  std::vector<bool> own_modules;
  FileTime modified = 0;
};

// A profile of the program, or of another one: see matching.h.
[[nodiscard]] Expected<ProfileFile> read_profile_file(const std::filesystem::path& path,
                                                      const Program& program, Warnings& warnings);

}  // namespace gprof
