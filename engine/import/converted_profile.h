// Converts a Profile into what analysis reads: a sidecar with samples and stacks for each metric.
// Places become addresses in the program, whether the tool wrote addresses or names.
//
// Thread contract: pure functions. Errors: mismatch if no stack has code of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"

namespace gprof {

// `path`: the file's, for messages. Whatever finds no room is left out, with a warning.
[[nodiscard]] Expected<ImportedProfile> converted_profile(const Profile& profile,
                                                          const ImportTarget& target,
                                                          const std::string& path, MemoryRoom& room,
                                                          Warnings& warnings);

using ProfileReader = Expected<Profile> (*)(std::string_view bytes, const std::string& path,
                                            const ImportTarget& target, MemoryRoom& room,
                                            Warnings& warnings);
// Reads the bytes of a file and converts the result, within the room for a file of that size.
// `stored_size`: on disk, if the file was packed.
[[nodiscard]] Expected<ImportedProfile> read_converted(
    ProfileReader read, std::string_view bytes, const std::string& path, const ImportTarget& target,
    Warnings& warnings, std::optional<std::uint64_t> stored_size = std::nullopt);

}  // namespace gprof
