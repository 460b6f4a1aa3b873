#include "runtime/unwind/frame_entries.h"

namespace gprof_runtime {
namespace {

struct CommonEntry {
  Bytes program;
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint8_t address_encoding = pointer_encoding::absolute;
  bool has_augmentation_data = false;
  bool signal_frame = false;
};

// Reads the data that the augmentation letters announce. Stops at an unknown letter, which is safe
// because the data's length is known.
void parse_augmentation(const char* letters, Bytes data, CommonEntry* common) {
  ByteCursor cursor(data);
  for (; *letters != '\0'; ++letters) {
    switch (*letters) {
      case 'R':
        common->address_encoding = cursor.read<std::uint8_t>();
        break;
      case 'L':
        cursor.skip(1);
        break;
      case 'P': {
        const auto encoding = cursor.read<std::uint8_t>();
        // Only its size matters: not relative, not indirect.
        read_encoded(cursor, encoding & pointer_encoding::format_mask, 0);
        break;
      }
      case 'S':
        common->signal_frame = true;
        break;
      case 'B':  // return addresses are signed with key B
      case 'G':
        break;  // the stack is tagged
      default:
        return;
    }
  }
}

bool parse_common(const FrameEntry& entry, CommonEntry* common) {
  ByteCursor cursor(entry.body);
  const auto version = cursor.read<std::uint8_t>();
  if (version != 1 && version != 3 && version != 4) return false;
  const char* letters = reinterpret_cast<const char*>(cursor.position());
  while (cursor.read<char>() != '\0') {
  }
  if (version == 4) {
    const auto address_size = cursor.read<std::uint8_t>();
    const auto segment_size = cursor.read<std::uint8_t>();
    if (address_size != sizeof(std::uint64_t) || segment_size != 0) return false;
  }
  common->code_alignment = cursor.read_unsigned();
  common->data_alignment = cursor.read_signed();
  const std::uint64_t column = version == 1 ? cursor.read<std::uint8_t>() : cursor.read_unsigned();
  if (cursor.failed() || column != return_column) return false;
  if (*letters == 'z') {
    common->has_augmentation_data = true;
    const std::uint64_t length = cursor.read_unsigned();
    parse_augmentation(letters + 1, cursor.take(length), common);
  } else if (*letters != '\0') {
    return false;
  }
  common->program = {cursor.position(), cursor.remaining()};
  return !cursor.failed();
}

}  // namespace

FrameEntry frame_entry_at(Bytes bytes, const std::uint8_t* place) {
  FrameEntry entry;
  if (place < bytes.data() || place > bytes.data() + bytes.size()) return entry;
  ByteCursor cursor(bytes.subspan(static_cast<std::size_t>(place - bytes.data())));
  entry.place = place;
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.failed() && length == 0) entry.kind = EntryKind::end;
  // 0xffffffff would announce a 64-bit length, which no compiler writes here.
  if (cursor.failed() || length < sizeof(std::uint32_t) || length > cursor.remaining())
    return entry;
  const std::uint8_t* const field = cursor.position();
  const auto distance = cursor.read<std::uint32_t>();
  entry.body = {cursor.position(), length - sizeof(std::uint32_t)};
  if (distance == 0) {
    entry.kind = EntryKind::common;
  } else if (distance <= static_cast<std::size_t>(field - bytes.data())) {
    entry.kind = EntryKind::function;
    entry.common = field - distance;
  }
  return entry;
}

bool is_common_entry(const FrameEntry& entry) {
  CommonEntry common;
  return entry.kind == EntryKind::common && parse_common(entry, &common);
}

bool parse_description(Bytes bytes, const std::uint8_t* place, FrameDescription* description) {
  const FrameEntry function = frame_entry_at(bytes, place);
  if (function.kind != EntryKind::function) return false;
  const FrameEntry common_entry = frame_entry_at(bytes, function.common);
  CommonEntry common;
  if (common_entry.kind != EntryKind::common || !parse_common(common_entry, &common)) {
    return false;
  }
  ByteCursor cursor(function.body);
  FramePrograms& programs = description->programs;
  programs.first_address = read_encoded(cursor, common.address_encoding, 0);
  const std::uint64_t size =
      read_encoded(cursor, common.address_encoding & pointer_encoding::format_mask, 0);
  if (common.has_augmentation_data) cursor.skip(cursor.read_unsigned());
  if (cursor.failed() || size > UINT64_MAX - programs.first_address) return false;

  const std::uint8_t* const begin = common_entry.place < place ? common_entry.place : place;
  const std::uint8_t* const end =
      common_entry.next() > function.next() ? common_entry.next() : function.next();
  const auto offset = [begin](const std::uint8_t* position) {
    return static_cast<std::uint32_t>(position - begin);
  };
  if (end - begin > INT32_MAX) return false;
  programs.section = {begin, end};
  programs.common_begin = offset(common.program.data());
  programs.common_end = offset(common.program.data() + common.program.size());
  programs.begin = offset(cursor.position());
  programs.end = offset(function.next());
  programs.code_alignment = common.code_alignment;
  programs.data_alignment = common.data_alignment;
  programs.address_encoding = common.address_encoding;
  description->code_end = programs.first_address + size;
  description->signal_frame = common.signal_frame;
  return true;
}

}  // namespace gprof_runtime
