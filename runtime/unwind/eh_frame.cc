#include "runtime/unwind/eh_frame.h"

#include "runtime/unwind/loaded_object.h"
#include "runtime/unwind/own_frames.h"

namespace gprof_runtime {
namespace {

// Entries scanned one by one if the header has no search table. More would take longer than a
// signal handler should.
constexpr unsigned most_entries_scanned = 20000;

struct FrameHeader {
  const std::uint8_t* frames = nullptr;  // .eh_frame
  Bytes table;                           // pairs of offsets, sorted by the first; may be empty
};

// A pair: the addresses of code and of its FDE, both relative to the header.
constexpr std::size_t pair_size = 2 * sizeof(std::int32_t);

bool parse_header(Bytes bytes, const std::uint8_t* place, FrameHeader* header) {
  if (place < bytes.data() || place >= bytes.data() + bytes.size()) return false;
  const std::uint64_t base = address_of(place);
  ByteCursor cursor(bytes.subspan(static_cast<std::size_t>(place - bytes.data())));
  const auto version = cursor.read<std::uint8_t>();
  const auto frames_encoding = cursor.read<std::uint8_t>();
  const auto count_encoding = cursor.read<std::uint8_t>();
  const auto table_encoding = cursor.read<std::uint8_t>();
  if (version != 1) return false;
  const std::uint64_t frames = read_encoded(cursor, frames_encoding, base);
  if (cursor.failed()) return false;
  header->frames = reinterpret_cast<const std::uint8_t*>(frames);
  if (table_encoding != pointer_encoding::data_relative_signed_4 ||
      count_encoding == pointer_encoding::omitted) {
    return true;
  }
  const std::uint64_t count = read_encoded(cursor, count_encoding, base);
  if (count <= cursor.remaining() / pair_size) header->table = cursor.take(count * pair_size);
  return !cursor.failed();
}

std::int64_t number_at(Bytes table, std::size_t offset) {
  std::int32_t number = 0;
  __builtin_memcpy(&number, table.data() + offset, sizeof number);
  return number;
}

// How many functions begin at or before the address.
std::size_t count_up_to(Bytes table, const std::uint8_t* header, std::uint64_t address) {
  const auto wanted = static_cast<std::int64_t>(address - address_of(header));
  std::size_t first = 0;
  std::size_t count = table.size() / pair_size;
  while (count > 0) {  // entries before `first` begin at or before the address
    const std::size_t half = count / 2;
    if (number_at(table, (first + half) * pair_size) <= wanted) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

// The FDE of the last function that begins at or before the address; null for none.
const std::uint8_t* search_table(Bytes table, const std::uint8_t* header, std::uint64_t address) {
  const std::size_t first = count_up_to(table, header, address);
  if (first == 0) return nullptr;
  const std::int64_t offset = number_at(table, (first - 1) * pair_size + sizeof(std::int32_t));
  return reinterpret_cast<const std::uint8_t*>(address_of(header) +
                                               static_cast<std::uint64_t>(offset));
}

// The start of the first function after the address; the largest address if there is none.
std::uint64_t first_function_after(Bytes table, const std::uint8_t* header, std::uint64_t address) {
  const std::size_t next = count_up_to(table, header, address);
  if (next >= table.size() / pair_size) return ~std::uint64_t{0};
  return address_of(header) + static_cast<std::uint64_t>(number_at(table, next * pair_size));
}

bool describes(const FrameDescription& description, std::uint64_t address) {
  return address >= description.programs.first_address && address < description.code_end;
}

bool scan(Bytes bytes, const std::uint8_t* frames, std::uint64_t address,
          FrameDescription* description) {
  const std::uint8_t* place = frames;
  for (unsigned i = 0; i < most_entries_scanned; ++i) {
    const FrameEntry entry = frame_entry_at(bytes, place);
    if (entry.kind == EntryKind::end || entry.kind == EntryKind::damaged) return false;
    if (entry.kind == EntryKind::function && parse_description(bytes, place, description) &&
        describes(*description, address)) {
      return true;
    }
    place = entry.next();
  }
  return false;
}

}  // namespace

bool find_description_in(Bytes bytes, const std::uint8_t* header, std::uint64_t address,
                         FrameDescription* description) {
  FrameHeader parsed;
  if (!parse_header(bytes, header, &parsed)) return false;
  if (parsed.table.empty()) return scan(bytes, parsed.frames, address, description);
  const std::uint8_t* const place = search_table(parsed.table, header, address);
  return place != nullptr && parse_description(bytes, place, description) &&
         describes(*description, address);
}

bool find_last_description(std::uint64_t address, FrameDescription* description) {
  LoadedObject object;
  if (!find_object(address, &object)) return false;
  Bytes bytes = object.bytes;
  const std::uint8_t* place = nullptr;
  if (object.frame_header != nullptr) {
    FrameHeader parsed;
    if (!parse_header(bytes, object.frame_header, &parsed)) return false;
    place = search_table(parsed.table, object.frame_header, address);
  } else if (object.is_own_image) {
    place = own_frames::find(address, &bytes);
  }
  return place != nullptr && parse_description(bytes, place, description);
}

CodeBounds code_bounds(std::uint64_t address) {
  CodeBounds bounds;
  FrameDescription before;
  const bool found = find_last_description(address, &before);
  if (found && describes(before, address)) return {before.programs.first_address, before.code_end};
  if (found) bounds.begin = before.code_end;
  LoadedObject object;
  FrameHeader header;
  if (!find_object(address, &object) || object.frame_header == nullptr ||
      !parse_header(object.bytes, object.frame_header, &header)) {
    return bounds;
  }
  bounds.end = first_function_after(header.table, object.frame_header, address);
  return bounds;
}

FrameSearch find_description(std::uint64_t address, FrameDescription* description) {
  LoadedObject object;
  if (!find_object(address, &object)) return FrameSearch::no_object;
  bool found = false;
  if (object.frame_header != nullptr) {
    found = find_description_in(object.bytes, object.frame_header, address, description);
  } else if (object.is_own_image) {
    Bytes bytes;
    const std::uint8_t* const place = own_frames::find(address, &bytes);
    found = place != nullptr && parse_description(bytes, place, description) &&
            describes(*description, address);
  }
  return found ? FrameSearch::found : FrameSearch::no_description;
}

}  // namespace gprof_runtime
