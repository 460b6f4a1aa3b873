// An executable with all that is read of it, whatever its profiles: opened once, and kept from one
// profile to the next as long as the file on disk is still the same one.
//
// Ownership: owns everything below it; snapshots share it. Thread contract: immutable; what it
// decodes on demand it guards itself, so any number of threads and snapshots may use it at once.
// Errors: open() fails as Image::open() and SymbolTable::build() do; debug information that is not
// there or cannot be read is a warning, for calls and times of functions are there without it.
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

namespace gprof {

// Names a file in one state, and the build that it holds. Equal: the same file, unchanged.
struct ProgramIdentity {
  std::string build_id_hex;  // empty where the program has none
  std::string path;          // absolute
  FileStamp stamp;

  // Names the build: the same for every copy of it, at any time, where it has a build-id. Where it
  // has none, the same for this file until it is written.
  [[nodiscard]] std::string key() const;

  friend bool operator==(const ProgramIdentity&, const ProgramIdentity&) = default;
};

[[nodiscard]] ProgramIdentity identity_of(const Image& image);

class Program {
 public:
  // Called before each part of the work; `share` of it that is done, 0 to 1. Its failure ends the
  // work and is what open() returns.
  using Step = std::function<Expected<void>(std::string_view step, double share)>;

  static Expected<std::shared_ptr<const Program>> open(const std::filesystem::path& executable,
                                                       const DebugFileSearch& debug_files = {},
                                                       const Step& step = {});
  // As store() wrote it; null where the index does not hold it. The executable and its debug file
  // have to be those that they were. Its parts may be referred to, and not be looked at before the
  // symbols are found to be sound and restore_units() says that the index holds the units.
  static std::shared_ptr<Program> restore(std::shared_ptr<const Image> image,
                                          const DebugFileSearch& debug_files, IndexReader& index);
  [[nodiscard]] bool restore_units(IndexReader& index);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Warnings of damage in the debug information are not kept: whoever stores it sees to there being
  // none.
  void store(IndexWriter& index) const;
  // The rest, which takes the longest to restore.
  void store_units(IndexWriter& index) const;

  [[nodiscard]] const Image& image() const { return *image_; }
  // Null where the program has no separate debug file.
  [[nodiscard]] const Image* debug_image() const { return debug_image_.get(); }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }
  [[nodiscard]] const MachineCode& code() const { return code_; }
  [[nodiscard]] bool has_debug_information() const { return debug_information_ != nullptr; }
  [[nodiscard]] const ProgramSources& sources() const { return sources_; }
  [[nodiscard]] const ProgramIdentity& identity() const { return identity_; }
  // Grow as more of the debug information is decoded.
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] Warnings debug_warnings() const;

  // Whether opening it anew would give the same: the executable and its separate debug file are
  // the files that they were, unchanged, and no debug file has come where there was none.
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
    // Where they are known already.
    std::optional<std::vector<std::uint64_t>> counting_functions = std::nullopt;
  };
  explicit Program(Parts parts);

  std::shared_ptr<const Image> image_;
  std::shared_ptr<const Image> debug_image_;
  SymbolTable symbols_;
  MachineCode code_;
  std::unique_ptr<DebugInformation> debug_information_;  // null where there is none
  ProgramSources sources_;
  DebugFileSearch debug_files_;
  ProgramIdentity identity_;
  Warnings warnings_;
};

}  // namespace gprof
