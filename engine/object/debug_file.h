// Finds an executable's debug information: in itself, in a separate file found by build-id or debug
// link, in the caches of perf and of debuginfod's clients, or at a source that fetches it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

// Has debug files brought here that are on no disk of this machine.
//
// Thread contract: any thread, one call at a time. Errors: none; the source says itself why it has
// not brought something.
class DebugFileSource {
 public:
  DebugFileSource() = default;
  DebugFileSource(const DebugFileSource&) = delete;
  DebugFileSource& operator=(const DebugFileSource&) = delete;
  virtual ~DebugFileSource() = default;

  // Where the debug file of the build lies now; none if it cannot be had. Waits for it. `path`: of
  // the file that it is for, to be shown.
  virtual std::optional<std::filesystem::path> fetch(const std::string& build_id_hex,
                                                     const std::string& path) = 0;
  // Whether something was not brought that a later attempt may bring.
  [[nodiscard]] virtual bool gave_up() const = 0;
};

struct DebugFileSearch {
  // Directories that hold .build-id/xx/yyyy.debug and the mirrored tree of debug-link files.
  std::vector<std::filesystem::path> global_directories = {"/usr/lib/debug"};
  // As ~/.debug: .build-id/xx/yyyy/{debug,elf,vdso}, or, of older perfs, .build-id/xx/yyyy itself.
  std::vector<std::filesystem::path> perf_caches = {};
  // Where debuginfod's clients keep what they have fetched: ID/{debuginfo,executable}.
  std::vector<std::filesystem::path> download_caches = {};
  // Asked for what is nowhere else, while something is opened. Null: nothing is fetched.
  std::shared_ptr<DebugFileSource> source = nullptr;
  // Changes when the source may have what it did not have before.
  std::uint64_t attempt = 0;

  // The same, but for the source.
  [[nodiscard]] DebugFileSearch on_disk() const;

  // Whether both find the same. Sources differ in how they tell of it, not in what they have.
  friend bool operator==(const DebugFileSearch& a, const DebugFileSearch& b) {
    return a.global_directories == b.global_directories && a.perf_caches == b.perf_caches &&
           a.download_caches == b.download_caches && a.attempt == b.attempt;
  }
};

// What a debug file is needed for: symbols alone, or lines as well.
enum class DebugFileUse : std::uint8_t { names, lines };

// Whether the image itself has line information, or anything else that tells of its sources.
[[nodiscard]] bool has_lines(const Image& image);

// The separate debug file of `image`: matched by build-id, also in the tree that it was staged in
// to be packaged, else by debug link (next to it, in .debug/ next to it, below each global
// directory), comparing build-ids or, if either has none, the CRC; if the image has not itself what
// is needed, also of the caches and of the source, by build-id. Null if none is found; `warnings`
// names each candidate that does not match.
[[nodiscard]] std::shared_ptr<const Image> find_debug_file(const Image& image,
                                                           const DebugFileSearch& search,
                                                           Warnings& warnings,
                                                           DebugFileUse use = DebugFileUse::lines);

// Where a file of that build may lie on this disk, whether or not there is one: the caches' places,
// then those of debug files.
[[nodiscard]] std::vector<std::filesystem::path> places_of_build(const std::string& build_id_hex,
                                                                 const DebugFileSearch& search);

// A file of that build, for its symbols, wherever one is kept: for a program or library that is
// gone. `path`: where it was. Null if there is none.
[[nodiscard]] std::shared_ptr<const Image> find_image_of_build(const std::string& build_id_hex,
                                                               const std::string& path,
                                                               const DebugFileSearch& search);

}  // namespace gprof
