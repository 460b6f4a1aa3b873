// Which text of a source file was compiled into one build of a program, known by its lines' hashes.
//
// Where the compiler recorded the MD5 of the text, that says it: the text is the disk's if that has
// the digest, or the cache's, which is then found by it, whatever program it was compiled for.
// Where it recorded none, a file that is no newer than the executable is the one that was compiled;
// what is seen so is kept in the cache, and is believed from then on, whatever time stamps say.
//
// Ownership: shares the cache. Bounded: what it remembers is found again in the cache.
// Thread contract: any thread; files are read without a lock held. Errors: none; what cannot be
// read is not known.
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
#include "server/programs/line_cache.h"
#include "server/programs/loaded_program.h"

namespace gprof::lsp {

// A source file of a build, and where it is now.
struct BuildSource {
  std::string build_path;              // as the build names it
  std::optional<SourceDigest> digest;  // of the text that was compiled
  bool conflicting_digests = false;    // units were compiled from different texts
  std::filesystem::path file;          // on disk; it may be missing
  FileTime executable_modified = 0;    // 0 where it is not known
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

  // The lines that were compiled; null where they are not known. The same vector again for the same
  // answer. Reads the file at most once in each state of it.
  [[nodiscard]] std::shared_ptr<const LineHashes> of(const BuildSource& source);

  // Puts what is in step now into the cache, so that it can be told from later texts though nobody
  // looks at it now. `program` is of this build. Files that the cache knows are not read again;
  // bounded in files and bytes. For a thread that may take its time.
  void learn(const LoadedProgram& program, const std::atomic<bool>& cancelled);

 private:
  // What an answer was made from. While it stays the same, so does the answer.
  struct Evidence {
    std::optional<SourceDigest> digest;
    FileTime executable_modified = 0;
    // Only where nothing was found.
    std::filesystem::path file;
    std::optional<FileStamp> file_stamp;

    friend bool operator==(const Evidence&, const Evidence&) = default;
  };
  struct Answer {
    Evidence evidence;
    std::shared_ptr<const LineHashes> lines;
  };

  [[nodiscard]] std::string cache_key(const BuildSource& source) const;
  // These put what they find into the cache.
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
