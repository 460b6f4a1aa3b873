#include "server/discovery/live_counts.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/gmon/live_changes.h"
#include "server/discovery/live_files.h"

namespace gprof::lsp {
namespace {

// Callers within this time get the previous result.
constexpr std::chrono::milliseconds shortest_interval{500};
// How long a program may take to write its profile after its end, or its recorder to recover it.
constexpr std::chrono::milliseconds patience{1500};
// A count that stays smaller this long was reset.
constexpr std::chrono::milliseconds longest_move{900};
// How often counts caught mid-update are read again at once.
constexpr int most_attempts = 3;
constexpr std::size_t most_files = 64;
constexpr std::uint64_t header_bytes = 4096;
constexpr std::size_t magic_bytes = 8;

bool is_blank(std::span<const std::byte> bytes) {
  const auto magic = bytes.first(std::min(magic_bytes, bytes.size()));
  return std::all_of(magic.begin(), magic.end(), [](std::byte b) { return b == std::byte{0}; });
}

Expected<LiveCounters> read_counters(const std::filesystem::path& path) {
  // Sizes in a damaged file are bounded by the file's size, which may still exceed memory.
  try {
    return read_live_counters_file(path);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::unreadable, "there is not enough memory to read it", path.string(), {}};
  }
}

}  // namespace

LiveCounts::LiveCounts(Clock clock, Runs runs)
    : now_(clock ? std::move(clock) : [] { return std::chrono::steady_clock::now(); }),
      runs_(runs ? std::move(runs) : process_runs) {}

std::optional<LiveLook> LiveCounts::look(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  const auto stamp = file_stamp(path);
  if (!stamp) {
    entries_.erase(path);
    return std::nullopt;
  }
  const Time now = now_();
  const auto [place, is_new] = entries_.try_emplace(path);
  Entry& entry = place->second;
  const bool another = !is_new && (entry.device != stamp->device || entry.inode != stamp->inode);
  const Entry before = another ? std::exchange(entry, Entry()) : Entry();
  if (is_new || another || now - entry.looked_at >= shortest_interval) {
    entry.looked_at = now;
    entry.device = stamp->device;
    entry.inode = stamp->inode;
    look(path, entry);
  }
  if (entry.shown.trouble && before.shown.counters) keep(before, entry);
  entry.used = now;
  LiveLook shown = entry.shown;
  if (is_new) forget_oldest();
  return shown;
}

void LiveCounts::look(const std::filesystem::path& path, Entry& entry) {
  LiveLook& shown = entry.shown;
  shown.trouble.reset();
  const auto file = InputFile::open(path);
  const auto start = file ? file->read_at(0, std::min(header_bytes, file->size()))
                          : Expected<std::vector<std::byte>>(file.error());
  if (!start) return fail(start.error(), entry);
  // The magic is written last: without it, nothing has been counted.
  if (is_blank(*start) && shown.counters == nullptr) {
    const bool runs = runs_(live_file_process(path.filename().native()), 0);
    shown.stage = runs ? LiveStage::beginning : LiveStage::finished;
    return;
  }
  const auto header = read_live_counters(*start, path.string());
  if (!header) return fail(header.error(), entry);
  take(*header, entry);
  if (shown.stage == LiveStage::finished) return;
  // Counters of an ended process no longer change.
  if (shown.stage == LiveStage::killed && shown.counters != nullptr) return;
  read(path, entry);
}

void LiveCounts::take(const LiveCounters& header, Entry& entry) {
  LiveLook& shown = entry.shown;
  shown.process = header.process;
  shown.flags = header.flags;
  shown.start_time = header.start_time;
  shown.profile_name = header.name;
  if (header.state == LiveState::written) {
    shown.stage = LiveStage::finished;
    return;
  }
  judge(header.process, header.process_start, entry);
}

void LiveCounts::fail(Error error, Entry& entry) {
  LiveLook& shown = entry.shown;
  shown.trouble = std::move(error);
  if (shown.counters == nullptr) return;
  judge(shown.counters->process, shown.counters->process_start, entry);
}

void LiveCounts::keep(const Entry& before, Entry& entry) {
  Entry kept = before;
  kept.looked_at = entry.looked_at;
  kept.device = entry.device;
  kept.inode = entry.inode;
  fail(*std::move(entry.shown.trouble), kept);
  entry = std::move(kept);
}

void LiveCounts::judge(std::uint32_t process, std::uint64_t start, Entry& entry) {
  LiveLook& shown = entry.shown;
  if (runs_(process, start)) {
    shown.stage = LiveStage::running;
    shown.was_seen_running = true;
    entry.ended_at.reset();
    return;
  }
  if (!entry.ended_at) entry.ended_at = entry.looked_at;
  const bool wait = shown.was_seen_running && entry.looked_at - *entry.ended_at < patience;
  shown.stage = wait ? LiveStage::running : LiveStage::killed;
}

void LiveCounts::read(const std::filesystem::path& path, Entry& entry) {
  LiveLook& shown = entry.shown;
  for (int attempt = 1; attempt <= most_attempts; ++attempt) {
    auto counters = read_counters(path);
    if (!counters) return fail(counters.error(), entry);
    if (shown.counters != nullptr && shows_less(*counters, *shown.counters)) {
      if (!entry.fell_at) entry.fell_at = entry.looked_at;
      const bool was_reset = entry.looked_at - *entry.fell_at >= longest_move;
      if (!was_reset) continue;
    }
    entry.fell_at.reset();
    if (shown.counters != nullptr && same_counts(*counters, *shown.counters)) return;
    shown.counters = std::make_shared<const LiveCounters>(*std::move(counters));
    shown.stamp = {entry.device, entry.inode, ++number_, 0};
    return;
  }
}

void LiveCounts::forget_oldest() {
  if (entries_.size() <= most_files) return;
  entries_.erase(
      std::min_element(entries_.begin(), entries_.end(),
                       [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
}

}  // namespace gprof::lsp
