// Whether a file was written since it was last looked at, judging by its metadata.
//
// Thread contract: any thread.
#pragma once

#include <optional>
#include <string>

#include "engine/support/input_file.h"

namespace gprof {

// How long a file's times may stay unchanged although it is written again.
inline constexpr FileTime settling_time = 100'000'000;

[[nodiscard]] FileTime file_time_now();

// Whether a write after `at` is certain to change the times of a file last changed at `changed`.
[[nodiscard]] bool is_settled(FileTime changed, FileTime at);

// A file as it was at some moment. Equal versions: the same file, which nobody has written to.
struct FileVersion {
  std::string path;
  std::optional<FileStamp> stamp;   // none: it does not exist
  std::optional<FileTime> changed;  // see file_change_time()

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

// As it is now.
[[nodiscard]] FileVersion version_of(const std::string& path);
// Whether a write after `at` is certain to give another version.
[[nodiscard]] bool is_settled(const FileVersion& version, FileTime at);

// The state of an open file. If two states are equal, nobody wrote to the file in between: its
// change time cannot be set, and damage by a system crash, to a file not yet on disk, shows as a
// different boot. Empty if that is not certain: the file has only just changed, or the system does
// not say.
[[nodiscard]] std::string file_state(int descriptor);

}  // namespace gprof
