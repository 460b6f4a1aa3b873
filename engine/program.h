// An executable and everything read from it, whatever its profiles: opened once, and kept across
// profiles as long as the file on disk stays the same.
//
// Ownership: owns everything below it; snapshots share it. Thread contract: immutable; it guards
// what it decodes on demand, so any number of threads and snapshots may use it at once.
// Errors: open() fails as Image::open() and SymbolTable::build() do; missing or unreadable debug
// information is a warning, since calls and times of functions do not need it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/code/machine_code.h"
#include "engine/dwarf/debug_information.h"
#include "engine/object/debug_file.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "engine/source/program_sources.h"
#include "engine/support/expected.h"
#include "engine/support/file_state.h"

namespace gprof {

// Names a file in one state, and the build that it holds. Equal: the same file, unchanged.
struct ProgramIdentity {
  std::string build_id_hex;  // empty if the program has none
  std::string path;          // absolute
  FileStamp stamp;

  // Identifies the build: with a build-id, the same for every copy at any time. Without one, the
  // same for this file until it is written.
  [[nodiscard]] std::string key() const;

  friend bool operator==(const ProgramIdentity&, const ProgramIdentity&) = default;
};

[[nodiscard]] ProgramIdentity identity_of(const Image& image);

// What a program was opened from.
struct ProgramOrigin {
  FileVersion executable;  // before it was read
  FileTime opened_at = 0;
  bool asked_source = false;  // for a debug file, if need be
};

class Program {
 public:
  // Called before each part of the work; `share` is the part done, 0 to 1. If it fails, open()
  // stops and returns its error.
  using Step = std::function<Expected<void>(std::string_view step, double share)>;

  static Expected<std::shared_ptr<const Program>> open(const std::filesystem::path& executable,
                                                       const DebugFileSearch& debug_files = {},
                                                       const Step& step = {});
  // What store() wrote, see program_index.h; null if the index does not hold it. The executable and
  // its debug file must be unchanged. Its parts may be referred to but not read until the symbols
  // are found to be sound and restore_units() says that the index holds the units.
  static std::shared_ptr<Program> restore(std::shared_ptr<const Image> image,
                                          const DebugFileSearch& debug_files,
                                          SnapshotFileReader& index);
  [[nodiscard]] bool restore_units(SnapshotFileReader& index);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Does not store warnings of damaged debug information: the caller ensures that there are none.
  void store(SnapshotFileWriter& index) const;
  // The rest, which takes longest to restore.
  void store_units(SnapshotFileWriter& index) const;

  [[nodiscard]] const Image& image() const { return *image_; }
  // Null if the program has no separate debug file.
  [[nodiscard]] const Image* debug_image() const { return debug_image_.get(); }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }
  [[nodiscard]] const MachineCode& code() const { return code_; }
  [[nodiscard]] bool has_debug_information() const { return debug_information_ != nullptr; }
  [[nodiscard]] const ProgramSources& sources() const { return sources_; }
  [[nodiscard]] const ProgramIdentity& identity() const { return identity_; }
  // None if it was restored, or its debug file may come at another attempt.
  [[nodiscard]] const std::optional<ProgramOrigin>& origin() const { return origin_; }
  // Where its debug file was looked for, without the source that it may have been fetched from.
  [[nodiscard]] const DebugFileSearch& debug_files() const { return debug_files_; }
  // Grows as more debug information is decoded.
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] Warnings debug_warnings() const;

  // Whether opening it again would give the same: the executable and its separate debug file are
  // the same files, unchanged, and no debug file has appeared where there was none.
  [[nodiscard]] bool is_current(const std::filesystem::path& executable,
                                const DebugFileSearch& debug_files) const;

 private:
  struct Parts {
    std::shared_ptr<const Image> image;
    std::shared_ptr<const Image> debug_image;
    SymbolTable symbols;
    std::unique_ptr<DebugInformation> debug_information;
    DebugFileSearch debug_files;
    Warnings warnings;
    // If they are known already.
    std::optional<std::vector<std::uint64_t>> counting_functions = std::nullopt;
    std::optional<ProgramOrigin> origin = std::nullopt;
  };
  explicit Program(Parts parts);

  std::shared_ptr<const Image> image_;
  std::shared_ptr<const Image> debug_image_;
  SymbolTable symbols_;
  MachineCode code_;
  std::unique_ptr<DebugInformation> debug_information_;  // null if there is none
  ProgramSources sources_;
  DebugFileSearch debug_files_;
  ProgramIdentity identity_;
  std::optional<ProgramOrigin> origin_;
  Warnings warnings_;
};

}  // namespace gprof
