#include "engine/import/perf_data/perf_data_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/perf_data/perf_format.h"
#include "engine/support/byte_reader.h"
#include "engine/support/hexadecimal.h"

namespace gprof::perf_data {
namespace {

constexpr std::uint64_t largest_attr = 4096;
constexpr std::size_t features_words = feature::end / 64;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view up_to_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

// A text as features store it: its padded length, and itself.
std::string_view take_text(dwarf::ByteCursor& cursor, std::span<const std::byte> bytes) {
  const std::uint64_t size = cursor.fixed(4);
  const std::uint64_t place = cursor.position();
  cursor.skip(size);
  if (cursor.ended_early()) return {};
  return up_to_zero(
      text_of(bytes.subspan(static_cast<std::size_t>(place), static_cast<std::size_t>(size))));
}

}  // namespace

bool is_perf_data(std::string_view start) {
  return start.starts_with(magic) || start.starts_with(swapped_magic);
}

Error PerfDataFile::error(ErrorCode code, std::string message, std::uint64_t offset) const {
  return Error{code, std::move(message), bytes_.path(), offset};
}

Expected<PerfDataFile> PerfDataFile::open(PerfBytes bytes) {
  PerfDataFile file(std::move(bytes));
  TRY(file.read_header());
  return file;
}

Expected<void> PerfDataFile::read_header() {
  TRY_ASSIGN(const auto start, bytes_.at(0, pipe_header_size));
  if (!is_perf_data(text_of(start))) {
    return error(ErrorCode::wrong_format, "a recording of perf expected (PERFILE2)", 0);
  }
  order_ = text_of(start).starts_with(magic) ? ByteOrder::little : ByteOrder::big;
  const auto header_size = stored_integer<std::uint64_t>(start.data() + 8, order_);
  if (header_size == pipe_header_size) {
    is_pipe_ = true;
    data_begin_ = pipe_header_size;
    data_end_ = bytes_.size();
    return {};
  }
  if (header_size < file_header_size) {
    return error(ErrorCode::corrupt, fmt::format("a header of {} bytes", header_size), 8);
  }
  TRY_ASSIGN(const auto header, bytes_.at(0, file_header_size));
  std::array<std::uint64_t, file_header_size / 8> words = {};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = stored_integer<std::uint64_t>(header.data() + 8 * i, order_);
  }
  TRY(read_attrs(words[3], words[4], words[2]));
  data_begin_ = words[5];
  const std::uint64_t data_size = words[6];
  if (data_begin_ > bytes_.size()) {
    return error(ErrorCode::truncated,
                 fmt::format("records expected at byte {}, the file ends before", data_begin_), 40);
  }
  const std::uint64_t there = bytes_.size() - data_begin_;
  if (data_size == 0 && there > 0) {
    warnings_.push_back(error(ErrorCode::truncated,
                              "perf did not finish this recording: what it wrote is shown", 48));
  } else if (data_size > there) {
    warnings_.push_back(
        error(ErrorCode::truncated,
              fmt::format("{} bytes of records expected, the file has {}: they are shown",
                          data_size, there),
              48));
  }
  const bool is_whole = data_size != 0 && data_size <= there;
  is_cut_ = !is_whole && there > 0;
  data_end_ = is_whole ? data_begin_ + data_size : bytes_.size();
  if (is_whole) read_features(std::span(words).subspan(9, features_words));
  return {};
}

Expected<void> PerfDataFile::read_attrs(std::uint64_t offset, std::uint64_t size,
                                        std::uint64_t entry_size) {
  if (entry_size < smallest_attr + 16 || entry_size > largest_attr) {
    return error(ErrorCode::corrupt, fmt::format("descriptions of events of {} bytes", entry_size),
                 16);
  }
  // Each may say that it has all of the file's.
  std::uint64_t most_ids = bytes_.size() / 8;
  for (std::uint64_t done = 0; done <= size && entry_size <= size - done; done += entry_size) {
    TRY_ASSIGN(const auto entry, bytes_.at(offset + done, entry_size));
    const auto attr_size = static_cast<std::size_t>(entry_size - 16);
    PerfAttr attr = parse_attr(entry.first(attr_size), order_);
    const auto ids_at = stored_integer<std::uint64_t>(entry.data() + attr_size, order_);
    const auto ids_size = stored_integer<std::uint64_t>(entry.data() + attr_size + 8, order_);
    TRY_ASSIGN(const auto ids, bytes_.at(ids_at, ids_size));
    if (ids.size() / 8 > most_ids) {
      return error(ErrorCode::corrupt, "more numbers of events than the file has room for", ids_at);
    }
    most_ids -= ids.size() / 8;
    for (std::size_t i = 0; i + 8 <= ids.size(); i += 8) {
      attr.ids.push_back(stored_integer<std::uint64_t>(ids.data() + i, order_));
    }
    attr.name = usual_name(attr);
    attrs_.push_back(std::move(attr));
    note_ids(static_cast<std::uint32_t>(attrs_.size() - 1));
  }
  if (!attrs_.empty()) return {};
  return error(ErrorCode::corrupt, "it describes no event", 24);
}

void PerfDataFile::read_features(std::span<const std::uint64_t> bits) {
  std::uint64_t table = data_end_;
  for (unsigned number = feature::first; number < feature::end; ++number) {
    if ((bits[number / 64] >> (number % 64) & 1) == 0) continue;
    const auto entry = bytes_.at(table, 16);
    if (!entry) {
      warnings_.push_back(entry.error());
      return;
    }
    table += 16;
    const auto offset = stored_integer<std::uint64_t>(entry->data(), order_);
    const auto size = stored_integer<std::uint64_t>(entry->data() + 8, order_);
    if (size > largest_feature) continue;
    const auto bytes = bytes_.at(offset, size);
    if (!bytes) {
      warnings_.push_back(bytes.error());
      return;
    }
    note_feature(number, *bytes);
  }
}

void PerfDataFile::note_feature(unsigned number, std::span<const std::byte> bytes) {
  switch (number) {
    case feature::tracing_data:
      note_tracing_data(bytes);
      break;
    case feature::build_id:
      note_build_ids(bytes);
      break;
    case feature::arch: {
      dwarf::ByteCursor cursor(bytes, order_);
      machine_ = take_text(cursor, bytes);
      break;
    }
    case feature::event_description:
      note_events(bytes);
      break;
    default:
      break;  // of no interest, or of a newer perf
  }
}

void PerfDataFile::note_events(std::span<const std::byte> bytes) {
  dwarf::ByteCursor cursor(bytes, order_);
  const std::uint64_t count = cursor.fixed(4);
  const std::uint64_t attr_size = cursor.fixed(4);
  for (std::uint64_t i = 0; i < count && !cursor.ended_early(); ++i) {
    cursor.skip(attr_size);
    const std::uint64_t ids = cursor.fixed(4);
    const std::string_view name = take_text(cursor, bytes);
    std::uint64_t event = i;
    for (std::uint64_t k = 0; k < ids && !cursor.ended_early(); ++k) {
      const auto known = events_.find(cursor.fixed(8));
      if (known != events_.end()) event = known->second;
    }
    if (event < attrs_.size() && !name.empty() && !cursor.ended_early()) attrs_[event].name = name;
  }
}

void PerfDataFile::note_build_ids(std::span<const std::byte> bytes) {
  while (bytes.size() >= record_header_size) {
    const auto size = stored_integer<std::uint16_t>(bytes.data() + 6, order_);
    if (size < record_header_size || size > bytes.size()) return;
    const auto misc = stored_integer<std::uint16_t>(bytes.data() + 4, order_);
    note_build_id(bytes.subspan(record_header_size, size - record_header_size), misc);
    bytes = bytes.subspan(size);
  }
}

// The process, 24 bytes of which the 21st may be the size of the build-id, and the path.
void PerfDataFile::note_build_id(std::span<const std::byte> body, std::uint16_t flags) {
  constexpr std::size_t id_at = 4;
  constexpr std::size_t longest_id = 20;
  constexpr std::size_t path_at = id_at + 24;
  if (body.size() <= path_at) return;
  std::size_t size = longest_id;
  if ((flags & misc::has_build_id_size) != 0) {
    size = std::min<std::size_t>(std::to_integer<std::uint8_t>(body[id_at + longest_id]), size);
  }
  const std::string_view path = up_to_zero(text_of(body.subspan(path_at)));
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const auto id = body.subspan(id_at, longest_id);
  // Shorter ones have zeros behind them where their size is not told.
  if (std::ranges::all_of(id.last(4), is_zero)) size = std::min<std::size_t>(size, 16);
  if (std::ranges::all_of(id, is_zero)) return;
  if (!path.empty()) build_ids_[std::string(path)] = hexadecimal(body.subspan(id_at, size));
}

void PerfDataFile::note_ids(std::uint32_t event) {
  for (const std::uint64_t id : attrs_[event].ids) events_.emplace(id, event);
}

void PerfDataFile::note_tracing_data(std::span<const std::byte> bytes) {
  scheduler_formats_ = formats_in_tracing_data(bytes, "sched");
}

// The attribute, whose size it says itself, and ids.
void PerfDataFile::note_attr(std::span<const std::byte> body) {
  if (body.size() < smallest_attr) return;
  const auto size = stored_integer<std::uint32_t>(body.data() + 4, order_);
  if (size < smallest_attr || size > body.size()) return;
  PerfAttr attr = parse_attr(body.first(size), order_);
  for (std::size_t i = size; i + 8 <= body.size(); i += 8) {
    attr.ids.push_back(stored_integer<std::uint64_t>(body.data() + i, order_));
  }
  attr.name = usual_name(attr);
  attrs_.push_back(std::move(attr));
  note_ids(static_cast<std::uint32_t>(attrs_.size() - 1));
}

// What is said later of an event: its name.
void PerfDataFile::note_update(std::span<const std::byte> body) {
  constexpr std::uint64_t name_type = 2;
  dwarf::ByteCursor cursor(body, order_);
  const std::uint64_t type = cursor.fixed(8);
  const auto event = events_.find(cursor.fixed(8));
  const std::string_view name =
      up_to_zero(text_of(body.subspan(static_cast<std::size_t>(cursor.position()))));
  if (type == name_type && event != events_.end() && !name.empty()) {
    attrs_[event->second].name = name;
  }
}

bool PerfDataFile::note(const PerfRecord& record) {
  switch (record.type) {
    case record::attr:
      if (!is_noted_ && is_pipe_) note_attr(record.body);
      return true;
    case record::event_update:
      if (!is_noted_) note_update(record.body);
      return true;
    case record::build_id:
      if (!is_noted_) note_build_id(record.body, record.misc);
      return true;
    case record::feature:
      if (!is_noted_ && record.body.size() >= 8) {
        const auto number = stored_integer<std::uint64_t>(record.body.data(), order_);
        if (number < feature::end) {
          note_feature(static_cast<unsigned>(number), record.body.subspan(8));
        }
      }
      return true;
    default:
      return false;
  }
}

std::optional<std::uint32_t> PerfDataFile::event_of_counter(std::uint64_t id) const {
  const auto event = events_.find(id);
  return event == events_.end() ? std::nullopt : std::optional(event->second);
}

std::optional<std::uint32_t> PerfDataFile::event_of(const PerfRecord& record) const {
  if (attrs_.empty()) return std::nullopt;
  if (attrs_.size() == 1) return 0;
  // All events store it at the same place.
  const std::uint64_t type = attrs_.front().sample_type;
  std::uint64_t place = 0;
  if (record.type != record::sample) {
    if ((type & sample_bit::identifier) == 0 || record.body.size() < 8) return 0;
    place = record.body.size() - 8;
  } else if ((type & sample_bit::identifier) == 0) {
    if ((type & sample_bit::id) == 0) return std::nullopt;
    for (const std::uint64_t bit :
         {sample_bit::ip, sample_bit::tid, sample_bit::time, sample_bit::addr}) {
      if ((type & bit) != 0) place += 8;
    }
  }
  if (record.body.size() < place + 8) return std::nullopt;
  const auto id = stored_integer<std::uint64_t>(record.body.data() + place, order_);
  if (const auto event = event_of_counter(id)) return event;
  // The kernel's own records, such as those of lost samples, need not be of one.
  return record.type == record::sample ? std::nullopt : std::optional<std::uint32_t>(0);
}

}  // namespace gprof::perf_data
