// What was found out about the files of a workspace, each looked at once as long as it is unchanged
// on disk: what binary it is, which program a profile may come from, which libraries a run had.
// Whether it is unchanged is asked once a look, however many are to be compared with it.
//
// Ownership: owns what it hands out, until the file changes or forget_all_but() drops it.
// Thread contract: one thread at a time. Errors: a file that cannot be read is none of its kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/gmon/reader.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/image.h"

namespace gprof::lsp {

struct BinaryFacts {
  FileStamp stamp;
  bool readable = false;
  bool is_program = false;  // else a shared library, or what is neither
  std::vector<std::byte> build_id;
  AddressRange code;
  GmonLayout layout;
  std::string shared_name;  // DT_SONAME
};

struct ProfileFacts {
  FileStamp stamp;
  Expected<GmonIdentity> identity = GmonIdentity{};
  // Where the file names its program, and tells nothing else of it: callgrind's do. Else empty.
  std::filesystem::path program;
};

// How well a binary fits a profile; higher is better.
enum class Fit : std::uint8_t { none, overlaps, text_range, build_id };
[[nodiscard]] Fit fit_of(const BinaryFacts& binary, const GmonIdentity& profile);
// A collector rounds the end of the code that it samples: by so many bytes at most.
inline constexpr std::uint64_t end_rounding = 16;
// Of the binary at `path` with a profile that has an identity. A program of the right name may be
// the one, wherever it is; for certain it is the one that the profile names.
[[nodiscard]] Fit fit_of(const std::filesystem::path& path, const BinaryFacts& binary,
                         const ProfileFacts& profile);
// The same, of a profile that names its program, whose stamp is `named` where it is there.
[[nodiscard]] Fit fit_of(const std::filesystem::path& path, const FileStamp& stamp,
                         const std::optional<FileStamp>& named, const ProfileFacts& profile);

class FileCatalog {
 public:
  // From now on files are asked again whether they have changed.
  void begin_look() { ++look_; }
  // How often the disk was asked.
  [[nodiscard]] std::size_t questions() const { return questions_; }

  // Null where there is no such file, or it is no readable ELF file.
  [[nodiscard]] const BinaryFacts* binary(const std::filesystem::path& path);
  // Null where there is no such file.
  [[nodiscard]] const ProfileFacts* profile(const std::filesystem::path& path);
  // Of the run that wrote the profile; empty where its sidecar does not tell.
  [[nodiscard]] const std::vector<SidecarModule>& modules(const std::filesystem::path& profile);

  void forget_all_but(const std::set<std::filesystem::path>& paths);
  // Everything, where runs with ever new names have left more than a workspace has.
  void forget_if_large();

 private:
  struct RunModules {
    FileStamp stamp;
    std::vector<SidecarModule> modules;
  };
  // As of a look.
  template <typename Facts>
  struct Seen {
    std::uint64_t look = 0;
    bool is_there = false;
    Facts facts = {};
  };
  template <typename Facts, typename Look>
  [[nodiscard]] const Facts* seen(std::map<std::filesystem::path, Seen<Facts>>& known,
                                  const std::filesystem::path& path, const Look& look_at);

  std::uint64_t look_ = 1;
  std::size_t questions_ = 0;
  std::map<std::filesystem::path, Seen<BinaryFacts>> binaries_;
  std::map<std::filesystem::path, Seen<ProfileFacts>> profiles_;
  std::map<std::filesystem::path, RunModules> runs_;
  std::vector<SidecarModule> no_modules_;
};

}  // namespace gprof::lsp
