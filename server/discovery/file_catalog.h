// Facts about the files of a workspace, each read once while it is unchanged on disk: what binary
// it is, which program a profile may come from, which libraries a run had. A file is checked for
// changes once per look, however many others it is compared with. If it cannot be read (no
// descriptors, a failing disk), the facts of before stay, and it is read again at the next look.
//
// Ownership: owns what it returns until the file changes or forget_all_but() drops it.
// Thread contract: one thread at a time. Errors: an unreadable file counts as not of its kind.
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
  bool was_read = true;  // false if the file could not be read
  bool readable = false;
  bool is_program = false;  // else a shared library, or neither
  bool has_lines = false;   // beside its code: it was not stripped
  std::vector<std::byte> build_id;
  AddressRange code;
  GmonLayout layout;
  std::string shared_name;  // DT_SONAME
};

struct ProfileFacts {
  FileStamp stamp;
  bool was_read = true;  // as of BinaryFacts
  Expected<GmonIdentity> identity = GmonIdentity{};
  // Set if the file names its program and has no other identity, as callgrind's do, and
  // perf's where it knows no build-id. Else empty.
  std::filesystem::path program;
  // Why the file cannot be shown, whatever the executables are; empty if it can.
  std::string left_out;
};

// How well a binary fits a profile; higher is better.
enum class Fit : std::uint8_t { none, overlaps, text_range, build_id };
[[nodiscard]] Fit fit_of(const BinaryFacts& binary, const GmonIdentity& profile);
// A collector rounds the end of the sampled code by at most this many bytes.
inline constexpr std::uint64_t end_rounding = 16;
// For the binary at `path` and a profile with an identity. A program with the right name may fit
// wherever it is; only the one that the profile names fits for certain.
[[nodiscard]] Fit fit_of(const std::filesystem::path& path, const BinaryFacts& binary,
                         const ProfileFacts& profile);
// The same for a profile that names its program; `named` is that file's stamp, if it exists.
[[nodiscard]] Fit fit_of(const std::filesystem::path& path, const FileStamp& stamp,
                         const std::optional<FileStamp>& named, const ProfileFacts& profile);

class FileCatalog {
 public:
  // Starts a new look: files are checked for changes again.
  void begin_look() { ++look_; }
  // How often the disk was accessed.
  [[nodiscard]] std::size_t questions() const { return questions_; }

  // Null if there is no such file, or it is not a readable ELF file.
  [[nodiscard]] const BinaryFacts* binary(const std::filesystem::path& path);
  // Null if there is no such file.
  [[nodiscard]] const ProfileFacts* profile(const std::filesystem::path& path);
  // Of the run that wrote the profile; empty if its sidecar does not list them.
  [[nodiscard]] const std::vector<SidecarModule>& modules(const std::filesystem::path& profile);

  void forget_all_but(const std::set<std::filesystem::path>& paths);
  // Drops everything if runs with ever new names have left more than a workspace holds.
  void forget_if_large();

 private:
  struct RunModules {
    FileStamp stamp;
    std::vector<SidecarModule> modules;
  };
  // As of one look.
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
