#include "engine/profile_files.h"

#include <utility>

#include "engine/collection.h"
#include "engine/gmon/reader.h"

namespace gprof {

Expected<ProfileFile> read_profile_file(const std::filesystem::path& path, const Program& program,
                                        Warnings& warnings) {
  auto file = InputFile::open(path);
  if (!file) return std::move(file).error();
  auto bytes = file->read_all();
  if (!bytes) return std::move(bytes).error();
  ProfileFile profile;
  profile.modified = file->modified();
  const Image& image = program.image();
  auto raw = read_gmon(*bytes, path.string(), {image.pointer_width(), image.byte_order()});
  if (!raw) return std::move(raw).error();
  profile.raw = std::move(*raw);
  profile.sidecar = sidecar_of(path.string(), profile.raw, warnings);
  if (profile.sidecar) profile.own_modules = modules_of_file(*profile.sidecar, path.string());
  return profile;
}

}  // namespace gprof
