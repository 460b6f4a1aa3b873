// Which text of a source file was compiled into one build of a program, identified by line hashes.
//
// If the compiler recorded the MD5 of the text, that decides: the text is the file on disk if it
// has the digest, or the cache's, which is then found by digest, whatever program it was compiled
// for. If none was recorded, a file that is no newer than the executable is the compiled one; it is
// then kept in the cache, and trusted from then on whatever time stamps say.
//
// Ownership: shares the cache. Bounded: what it drops is found again in the cache.
// Thread contract: any thread; no lock is held while files are read. Errors: none; an unreadable
// file is unknown.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/support/digest.h"
#include "engine/support/input_file.h"
#include "server/documents/line_hash.h"
#include "server/sources/line_cache.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// A source file of a build, and where it is now.
struct BuildSource {
  std::string build_path;              // as the build names it
  std::optional<SourceDigest> digest;  // of the text that was compiled
  bool conflicting_digests = false;    // units were compiled from different texts
  std::filesystem::path file;          // on disk; it may be missing
  FileTime executable_modified = 0;    // 0 if not known
};

[[nodiscard]] BuildSource build_source(const LoadedProgram& program, FileId file,
                                       const std::filesystem::path& file_on_disk);

class BuildTexts {
 public:
  // `build` names the build (ProgramIdentity::key()).
  BuildTexts(std::string build, std::shared_ptr<LineCache> cache)
      : build_(std::move(build)), cache_(std::move(cache)) {}
  BuildTexts(const BuildTexts&) = delete;
  BuildTexts& operator=(const BuildTexts&) = delete;

  // The compiled lines; null if they are not known. Returns the same vector for the same answer.
  // Reads each state of the file at most once.
  [[nodiscard]] std::shared_ptr<const LineHashes> of(const BuildSource& source);

  // Caches all sources that match the build now, so that later texts can be compared with them even
  // if nobody opens them now. `program` must be of this build. Files already cached are not read
  // again; bounded in files and bytes. Slow: call on a background thread.
  void persist(const LoadedProgram& program, const std::atomic<bool>& cancelled);

 private:
  // What an answer was made from. While it stays the same, so does the answer.
  struct Evidence {
    std::optional<SourceDigest> digest;
    FileTime executable_modified = 0;
    // Only if nothing was found.
    std::filesystem::path file;
    std::optional<FileStamp> file_stamp;

    friend bool operator==(const Evidence&, const Evidence&) = default;
  };
  struct Answer {
    Evidence evidence;
    std::shared_ptr<const LineHashes> lines;
  };

  [[nodiscard]] std::string cache_key(const BuildSource& source) const;
  // These cache what they find.
  std::shared_ptr<const LineHashes> decide_by_digest(const BuildSource& source);
  std::shared_ptr<const LineHashes> decide_by_time(const BuildSource& source);
  std::shared_ptr<const LineHashes> remember(const std::string& build_path, Evidence evidence,
                                             std::shared_ptr<const LineHashes> lines);

  const std::string build_;
  const std::shared_ptr<LineCache> cache_;

  std::mutex mutex_;  // guards what follows
  std::map<std::string, Answer> answers_;
  std::size_t lines_remembered_ = 0;
};

}  // namespace gprof::lsp
