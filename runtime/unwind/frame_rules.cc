#include "runtime/unwind/frame_rules.h"

namespace gprof_runtime {
namespace {

// States that a program may remember at once. Compilers use one level.
constexpr unsigned deepest_memory = 4;

class Interpreter {
 public:
  Interpreter(const FramePrograms& programs, std::uint64_t address, FrameRules* rules)
      : programs_(programs), address_(address), rules_(*rules) {}

  bool run() {
    rules_ = FrameRules{};
    rules_.cfa_register = register_count;  // none
    if (!run_program(programs_.common_begin, programs_.common_end)) return false;
    common_ = rules_;
    has_common_ = true;
    location_ = programs_.first_address;
    return run_program(programs_.begin, programs_.end);
  }

 private:
  bool run_program(std::uint32_t begin, std::uint32_t end) {
    if (begin > end || end > programs_.section.size()) return false;
    ByteCursor cursor(programs_.section.subspan(begin, end - begin));
    passed_ = false;
    while (!passed_ && cursor.remaining() > 0) {
      if (!run_instruction(cursor) || cursor.failed()) return false;
    }
    return true;
  }

  // Once past the address, the remaining instructions are for later addresses.
  void advance(std::uint64_t count) { go_to(location_ + count * programs_.code_alignment); }
  void go_to(std::uint64_t location) {
    if (!has_common_) return;
    location_ = location;
    passed_ = location_ > address_;
  }

  bool run_instruction(ByteCursor& cursor) {
    const auto opcode = cursor.read<std::uint8_t>();
    const std::uint8_t low = opcode & 0x3fU;
    switch (opcode >> 6U) {
      case 1:
        advance(low);
        return true;
      case 2:
        return set_factored(low, RuleKind::saved_at_offset, cursor.read_unsigned());
      case 3:
        return restore(low);
      default:
        break;
    }
    if (opcode <= 0x0f) return run_common_instruction(opcode, cursor);
    return run_rare_instruction(opcode, cursor);
  }

  bool run_common_instruction(std::uint8_t opcode, ByteCursor& cursor) {
    switch (opcode) {
      case 0x00:
        return true;  // nop
      case 0x01:      // set_loc
        go_to(read_encoded(cursor, programs_.address_encoding, 0));
        return true;
      case 0x02:
        advance(cursor.read<std::uint8_t>());
        return true;
      case 0x03:
        advance(cursor.read<std::uint16_t>());
        return true;
      case 0x04:
        advance(cursor.read<std::uint32_t>());
        return true;
      case 0x05: {  // offset_extended
        const std::uint64_t column = cursor.read_unsigned();
        return set_factored(column, RuleKind::saved_at_offset, cursor.read_unsigned());
      }
      case 0x06:
        return restore(cursor.read_unsigned());
      case 0x07:
        return set(cursor.read_unsigned(), RuleKind::undefined, 0);
      case 0x08:
        return set(cursor.read_unsigned(), RuleKind::unchanged, 0);
      case 0x09: {  // register
        const std::uint64_t column = cursor.read_unsigned();
        const std::uint64_t source = cursor.read_unsigned();
        return source < column_count &&
               set(column, RuleKind::in_register, static_cast<std::int64_t>(source));
      }
      case 0x0a:
        return remember();
      case 0x0b:
        return recall();
      case 0x0c: {  // def_cfa
        const std::uint64_t base = cursor.read_unsigned();
        return set_cfa(base, static_cast<std::int64_t>(cursor.read_unsigned()));
      }
      case 0x0d:  // def_cfa_register
        return !rules_.cfa_is_expression && set_cfa(cursor.read_unsigned(), rules_.cfa_offset);
      case 0x0e:  // def_cfa_offset
        return !rules_.cfa_is_expression &&
               set_cfa(rules_.cfa_register, static_cast<std::int64_t>(cursor.read_unsigned()));
      default:
        return set_cfa_expression(cursor);
    }
  }

  bool run_rare_instruction(std::uint8_t opcode, ByteCursor& cursor) {
    switch (opcode) {
      case 0x10:
        return set_expression(RuleKind::saved_at_address, cursor);
      case 0x11: {  // offset_extended_sf
        const std::uint64_t column = cursor.read_unsigned();
        return set_factored(column, RuleKind::saved_at_offset,
                            static_cast<std::uint64_t>(cursor.read_signed()));
      }
      case 0x12: {  // def_cfa_sf
        const std::uint64_t base = cursor.read_unsigned();
        return set_cfa(base, factored(static_cast<std::uint64_t>(cursor.read_signed())));
      }
      case 0x13:  // def_cfa_offset_sf
        return !rules_.cfa_is_expression &&
               set_cfa(rules_.cfa_register,
                       factored(static_cast<std::uint64_t>(cursor.read_signed())));
      case 0x14: {  // val_offset
        const std::uint64_t column = cursor.read_unsigned();
        return set_factored(column, RuleKind::offset_from_cfa, cursor.read_unsigned());
      }
      case 0x15: {  // val_offset_sf
        const std::uint64_t column = cursor.read_unsigned();
        return set_factored(column, RuleKind::offset_from_cfa,
                            static_cast<std::uint64_t>(cursor.read_signed()));
      }
      case 0x16:
        return set_expression(RuleKind::computed, cursor);
      case 0x2e:
        cursor.read_unsigned();
        return true;  // GNU_args_size
      case 0x2f: {    // GNU_negative_offset_extended
        const std::uint64_t column = cursor.read_unsigned();
        return set_factored(column, RuleKind::saved_at_offset, 0 - cursor.read_unsigned());
      }
#if defined(__aarch64__)
      // AARCH64_negate_ra_state and its variant with the pc: whether the return address is signed.
      // Not recorded, since signatures are stripped from all return addresses.
      case 0x2c:
      case 0x2d:
        return true;
#endif
      default:
        return false;
    }
  }

  std::int64_t factored(std::uint64_t count) const {
    return static_cast<std::int64_t>(count * static_cast<std::uint64_t>(programs_.data_alignment));
  }
  static bool fits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

  // Rules for registers that are not tracked (vectors, flags) are ignored.
  bool set(std::uint64_t column, RuleKind kind, std::int64_t value) {
    if (column >= column_count) return true;
    if (!fits(value)) return false;
    rules_.columns[column] = {kind, static_cast<std::int32_t>(value)};
    return true;
  }
  bool set_factored(std::uint64_t column, RuleKind kind, std::uint64_t count) {
    return set(column, kind, factored(count));
  }
  bool set_cfa(std::uint64_t base, std::int64_t offset) {
    if (base >= register_count || !fits(offset)) return false;
    rules_.cfa_is_expression = false;
    rules_.cfa_register = static_cast<std::uint32_t>(base);
    rules_.cfa_offset = static_cast<std::int32_t>(offset);
    return true;
  }

  std::int64_t place_of(const ByteCursor& cursor) const {
    return cursor.position() - programs_.section.data();
  }
  bool set_expression(RuleKind kind, ByteCursor& cursor) {
    const std::uint64_t column = cursor.read_unsigned();
    const std::int64_t place = place_of(cursor);
    cursor.skip(cursor.read_unsigned());
    return set(column, kind, place);
  }
  bool set_cfa_expression(ByteCursor& cursor) {
    const std::int64_t place = place_of(cursor);
    cursor.skip(cursor.read_unsigned());
    if (!fits(place)) return false;
    rules_.cfa_is_expression = true;
    rules_.cfa_offset = static_cast<std::int32_t>(place);
    return true;
  }

  bool restore(std::uint64_t column) {
    if (!has_common_) return false;
    if (column < column_count) rules_.columns[column] = common_.columns[column];
    return true;
  }
  bool remember() {
    if (remembered_count_ == deepest_memory) return false;
    remembered_[remembered_count_++] = rules_;
    return true;
  }
  bool recall() {
    if (remembered_count_ == 0) return false;
    rules_ = remembered_[--remembered_count_];
    return true;
  }

  const FramePrograms& programs_;
  std::uint64_t address_;
  FrameRules& rules_;
  FrameRules common_;
  FrameRules remembered_[deepest_memory];
  std::uint64_t location_ = 0;
  unsigned remembered_count_ = 0;
  bool has_common_ = false;
  bool passed_ = false;
};

}  // namespace

bool rules_at(const FramePrograms& programs, std::uint64_t address, FrameRules* rules) {
  if (programs.section.size() > INT32_MAX) return false;
  return Interpreter(programs, address, rules).run();
}

Bytes expression_at(Bytes section, std::int32_t place) {
  if (place < 0 || static_cast<std::size_t>(place) >= section.size()) return {};
  ByteCursor cursor(section.subspan(static_cast<std::size_t>(place)));
  const std::uint64_t length = cursor.read_unsigned();
  return cursor.take(length);
}

}  // namespace gprof_runtime
