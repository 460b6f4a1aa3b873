#include "server/sources/build_texts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/support/hexadecimal.h"
#include "server/sources/source_paths.h"
#include "server/sources/source_text.h"

namespace gprof::lsp {
namespace {

// In one background pass.
constexpr std::size_t most_files_seen = 20'000;
constexpr std::size_t most_files_read = 2'000;
constexpr std::uint64_t most_bytes_read = std::uint64_t{64} << 20;
// Kept in memory, over all files: 32 MiB.
constexpr std::size_t most_lines_remembered = std::size_t{4} << 20;

std::shared_ptr<const LineHashes> lines_of(std::string_view text) {
  return std::make_shared<const LineHashes>(hash_lines(text, LineTable(text)));
}

// Whether a text newer than the known one may have compiled to the same program. Then all compiled
// code is on the same lines as before: lines were replaced in place (a comment at a line's end), or
// added after the last.
bool is_possible_successor(const LineHashes& known, const LineHashes& now) {
  if (known.size() == now.size()) return true;
  const std::size_t common = std::min(known.size(), now.size());
  // The last line of a text that ends with a line ending is empty.
  return std::equal(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(common) - 1,
                    now.begin());
}

}  // namespace

BuildSource build_source(const LoadedProgram& program, FileId file,
                         const std::filesystem::path& file_on_disk) {
  const ProgramSources& sources = program.snapshot->sources();
  BuildSource source;
  source.build_path = sources.path(file);
  source.digest = sources.digest(file);
  source.conflicting_digests = !source.digest && sources.has_conflicting_digests(file);
  source.file = file_on_disk;
  source.executable_modified = program.snapshot->image().modified();
  return source;
}

std::shared_ptr<const LineHashes> BuildTexts::of(const BuildSource& source) {
  if (source.conflicting_digests) return nullptr;
  Evidence evidence{source.digest, source.executable_modified, {}, {}};
  {
    const std::lock_guard lock(mutex_);
    const auto known = answers_.find(source.build_path);
    if (known != answers_.end() && known->second.lines && known->second.evidence == evidence) {
      return known->second.lines;
    }
  }
  Evidence evidence_of_nothing = evidence;
  evidence_of_nothing.file = source.file;
  evidence_of_nothing.file_stamp = file_stamp(source.file);
  {
    const std::lock_guard lock(mutex_);
    const auto known = answers_.find(source.build_path);
    if (known != answers_.end() && known->second.evidence == evidence_of_nothing) return nullptr;
  }
  auto lines = source.digest ? decide_by_digest(source) : decide_by_time(source);
  if (!lines) evidence = std::move(evidence_of_nothing);
  return remember(source.build_path, std::move(evidence), std::move(lines));
}

std::string BuildTexts::cache_key(const BuildSource& source) const {
  if (!source.digest) return fmt::format("{}|{}", build_, source.build_path);
  return "md5:" + hexadecimal(*source.digest);
}

std::shared_ptr<const LineHashes> BuildTexts::decide_by_digest(const BuildSource& source) {
  const std::string key = cache_key(source);
  if (const auto cached = cache_->find(key)) return cached->lines;
  const auto file = read_source(source.file);
  if (!file || md5(file->bytes) != *source.digest) return nullptr;
  auto lines = lines_of(file->text());
  cache_->put(key, {lines, 0});
  return lines;
}

std::shared_ptr<const LineHashes> BuildTexts::decide_by_time(const BuildSource& source) {
  const std::string key = cache_key(source);
  // The stamp of an entry is the time of the executable that it was seen to match.
  const auto cached = cache_->find(key);
  auto nothing_newer = cached ? cached->lines : nullptr;
  const auto is_in_step = [&](const FileStamp& file) {
    if (source.executable_modified == 0 || file.modified > source.executable_modified) return false;
    // A rebuild produced the same program after its source was written again.
    return !cached || file.modified > cached->stamp;
  };
  const auto stamp = file_stamp(source.file);
  if (!stamp || !is_in_step(*stamp)) return nothing_newer;
  const auto file = read_source(source.file);
  if (!file || !is_in_step(file->stamp)) return nothing_newer;
  auto lines = lines_of(file->text());
  if (cached && !is_possible_successor(*cached->lines, *lines)) return nothing_newer;
  cache_->put(key, {lines, source.executable_modified});
  return lines;
}

// Another thread may have found the same: all must get the same vector, which diffs are keyed by.
std::shared_ptr<const LineHashes> BuildTexts::remember(const std::string& build_path,
                                                       Evidence evidence,
                                                       std::shared_ptr<const LineHashes> lines) {
  const std::lock_guard lock(mutex_);
  Answer& answer = answers_[build_path];
  const bool same_digest = answer.evidence.digest == evidence.digest;
  answer.evidence = std::move(evidence);
  // What was known about this build stays true if nothing better is found.
  const bool stays = answer.lines && same_digest && (!lines || *answer.lines == *lines);
  if (stays) return answer.lines;
  if (answer.lines) lines_remembered_ -= answer.lines->size();
  answer.lines = lines;
  if (lines) lines_remembered_ += lines->size();
  if (lines_remembered_ > most_lines_remembered) {
    answers_.clear();
    lines_remembered_ = 0;
  }
  return lines;
}

void BuildTexts::persist(const LoadedProgram& program, const std::atomic<bool>& cancelled) {
  std::size_t files_seen = 0;
  std::size_t files_read = 0;
  std::uint64_t bytes_read = 0;
  for (const FileId file : program.snapshot->sources().all_files()) {
    if (cancelled || files_seen++ == most_files_seen) return;
    const auto path = program.paths->workspace_path(file);
    if (!path || is_of_the_system(*path)) continue;
    const BuildSource source = build_source(program, file, *path);
    if (source.conflicting_digests || cache_->holds(cache_key(source))) continue;
    const auto stamp = file_stamp(source.file);
    if (!stamp || (!source.digest && stamp->modified > source.executable_modified)) continue;
    bytes_read += stamp->size;
    if (files_read++ == most_files_read || bytes_read > most_bytes_read) return;
    // Not kept in memory: few of them will be used.
    if (source.digest) {
      decide_by_digest(source);
    } else {
      decide_by_time(source);
    }
  }
}

}  // namespace gprof::lsp
