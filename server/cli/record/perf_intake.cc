#include "server/cli/record/perf_intake.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include <sys/mman.h>

#include "engine/import/perf_data/perf_format.h"

namespace gprof::lsp {
namespace {

namespace sample_bit = perf_data::sample_bit;

// Offsets in a sample. Each begins with: address, process and thread, time, number of the event,
// period.
constexpr std::size_t thread_place = 20;
constexpr std::size_t event_place = 32;
constexpr std::size_t variable_part = 48;
// Offset of the thread in records of a thread's beginning and end, which name two processes first.
constexpr std::size_t begun_thread_place = 16;
// Offsets in the record of a mapping.
constexpr std::size_t protection_place = 64;
constexpr std::size_t path_place = 72;

template <typename Integer>
Integer number_at(std::span<const std::byte> bytes, std::size_t place) {
  Integer value = 0;
  if (place <= bytes.size() && sizeof value <= bytes.size() - place) {
    std::memcpy(&value, bytes.data() + place, sizeof value);
  }
  return value;
}

template <typename Integer>
void set_number(std::span<std::byte> bytes, std::size_t place, Integer value) {
  std::memcpy(bytes.data() + place, &value, sizeof value);
}

}  // namespace

PerfIntake::PerfIntake(std::uint32_t process, const perf_event_attr& event,
                       std::map<std::uint64_t, std::uint32_t> threads_by_event, Output output)
    : process_(process),
      sample_type_(event.sample_type),
      registers_(static_cast<std::uint64_t>(std::popcount(std::uint64_t{event.sample_regs_user}))),
      threads_by_event_(std::move(threads_by_event)),
      output_(std::move(output)) {
  for (const auto& [number, thread] : threads_by_event_) {
    opened_.insert(thread);
    counts_.threads.insert(thread);
  }
}

void PerfIntake::take(std::span<const std::byte> record) {
  switch (number_at<std::uint32_t>(record, 0)) {
    case perf_data::record::sample:
      return take_sample(record);
    case perf_data::record::lost:
      counts_.lost += number_at<std::uint64_t>(record, 16);
      break;
    case perf_data::record::lost_samples:
      counts_.lost += number_at<std::uint64_t>(record, 8);
      break;
    case perf_data::record::fork:
      note_thread(record, true);
      break;
    case perf_data::record::exit:
      note_thread(record, false);
      break;
    case perf_data::record::mmap2:
      note_mapping(record);
      break;
    default:
      break;
  }
  output_(record);
}

void PerfIntake::take_sample(std::span<const std::byte> record) {
  if (is_twice(record)) return;
  ++counts_.samples;
  output_(with_cut_stack(record));
}

// A thread that was started while the process's threads were listed has an event that was opened
// for it, and may have inherited another one: only samples of the former count.
bool PerfIntake::is_twice(std::span<const std::byte> record) const {
  const auto thread = number_at<std::uint32_t>(record, thread_place);
  const auto owner = threads_by_event_.find(number_at<std::uint64_t>(record, event_place));
  return owner != threads_by_event_.end() && owner->second != thread && opened_.contains(thread);
}

// The kernel leaves room for the whole copy where the stack ends before it.
std::span<const std::byte> PerfIntake::with_cut_stack(std::span<const std::byte> record) {
  if ((sample_type_ & sample_bit::stack_user) == 0) return record;
  std::size_t place = variable_part;
  if ((sample_type_ & sample_bit::callchain) != 0) {
    const auto addresses = number_at<std::uint64_t>(record, place);
    if (addresses > record.size() / 8) return record;
    place += 8 + 8 * static_cast<std::size_t>(addresses);
  }
  const bool has_registers = number_at<std::uint64_t>(record, place) != 0;
  place += 8 + (has_registers ? 8 * static_cast<std::size_t>(registers_) : 0);
  const auto room = number_at<std::uint64_t>(record, place);
  const std::size_t stack = place + 8;
  // A sample ends with the room for the copy, and how many bytes of it were copied.
  if (room == 0 || stack + room + 8 != record.size()) return record;
  const auto copied = number_at<std::uint64_t>(record, stack + static_cast<std::size_t>(room));
  const std::uint64_t kept = (copied + 7) / 8 * 8;
  if (kept >= room) return record;
  // By the format, the number of copied bytes is left out where there is no copy.
  const std::size_t size = stack + static_cast<std::size_t>(kept) + (kept == 0 ? 0 : 8);
  cut_.assign(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(stack + kept));
  cut_.resize(size);
  set_number<std::uint64_t>(cut_, place, kept);
  if (kept != 0) set_number<std::uint64_t>(cut_, size - 8, copied);
  set_number<std::uint16_t>(cut_, 6, static_cast<std::uint16_t>(size));
  return cut_;
}

// The number of a thread that has ended may be reused by a thread that has only inherited events.
void PerfIntake::note_thread(std::span<const std::byte> record, bool begins) {
  if (number_at<std::uint32_t>(record, 8) != process_) return;
  const auto thread = number_at<std::uint32_t>(record, begun_thread_place);
  if (begins) {
    counts_.threads.insert(thread);
  } else {
    opened_.erase(thread);
  }
}

void PerfIntake::note_mapping(std::span<const std::byte> record) {
  const bool is_code = (number_at<std::uint32_t>(record, protection_place) & PROT_EXEC) != 0;
  if (!is_code || record.size() <= path_place) return;
  const auto rest = record.subspan(path_place);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  const std::string_view path = text.substr(0, text.find('\0'));
  if (path.starts_with('/') && !path.starts_with("//")) counts_.code_files.emplace(path);
}

}  // namespace gprof::lsp
