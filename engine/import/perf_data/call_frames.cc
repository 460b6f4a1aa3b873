#include "engine/import/perf_data/call_frames.h"

#include <algorithm>

#include "engine/dwarf/byte_cursor.h"
#include "engine/support/index_table.h"

namespace gprof::perf_data {
namespace {

// Places whose rules are remembered, and different rules, of about a kilobyte each.
constexpr std::size_t most_known = std::size_t{1} << 19;
constexpr std::size_t most_rules = 16384;
constexpr std::size_t most_remembered = 16;
// Maximum number of steps of a function's CFI program. Large functions take some thousands.
constexpr std::size_t most_steps = std::size_t{1} << 16;

// A pointer as DW_EH_PE_* says; `base`: the address of the section.
std::uint64_t read_pointer(dwarf::ByteCursor& cursor, std::uint8_t encoding, std::uint64_t base) {
  const std::uint64_t place = base + cursor.position();
  std::uint64_t value = 0;
  switch (encoding & 0x0fU) {
    case 0x01:
      value = cursor.uleb128();
      break;
    case 0x02:
      value = cursor.fixed(2);
      break;
    case 0x03:
      value = cursor.fixed(4);
      break;
    case 0x09:
      value = static_cast<std::uint64_t>(cursor.sleb128());
      break;
    case 0x0a:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(cursor.fixed(2))});
      break;
    case 0x0b:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(cursor.fixed(4))});
      break;
    default:
      value = cursor.fixed(8);
      break;
  }
  return (encoding & 0x70U) == 0x10 ? value + place : value;
}

}  // namespace

CallFrames::CallFrames(const Image& image, CallFrameSection kind)
    : kind_(kind), order_(image.byte_order()) {
  const bool is_exceptions = kind == CallFrameSection::eh_frame;
  const Section* section = image.find_section(is_exceptions ? ".eh_frame" : ".debug_frame");
  if (section == nullptr || image.pointer_width() != PointerWidth::eight) return;
  const auto bytes = image.section_bytes(*section);
  if (!bytes) return;
  section_ = *bytes;
  address_ = section->address.value;
  read_entries();
}

void CallFrames::read_entries() {
  std::uint64_t place = 0;
  while (place + 8 <= section_.size()) {
    dwarf::ByteCursor cursor(section_, order_);
    cursor.move_to(place);
    const std::uint64_t size = cursor.fixed(4);
    // Of 64 bits, which nobody writes; 0 ends the list.
    if (size < 4 || size == 0xffffffff || size > section_.size() - cursor.position()) break;
    const std::uint64_t begin = cursor.position();
    const std::uint64_t end = begin + size;
    if (!is_common(cursor.fixed(4))) read_function(begin, begin + 4, end);
    place = end;
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.low < b.low; });
}

bool CallFrames::is_common(std::uint64_t id) const {
  return id == (kind_ == CallFrameSection::eh_frame ? 0 : 0xffffffff);
}

std::optional<std::uint32_t> CallFrames::common_at(std::uint64_t place) {
  const auto known = common_places_.find(place);
  if (known != common_places_.end()) return known->second;
  dwarf::ByteCursor cursor(section_, order_);
  cursor.move_to(place);
  const std::uint64_t size = cursor.fixed(4);
  if (size < 8 || cursor.ended_early() || size > section_.size() - cursor.position()) {
    return std::nullopt;
  }
  Common common;
  common.end = cursor.position() + size;
  if (!is_common(cursor.fixed(4))) return std::nullopt;
  const std::uint8_t version = cursor.byte();
  const std::string_view augmentation = cursor.string();
  if (version >= 4) cursor.skip(2);  // sizes of addresses and of segments
  common.code_factor = cursor.uleb128();
  common.data_factor = cursor.sleb128();
  common.return_column =
      static_cast<std::uint32_t>(version == 1 ? cursor.byte() : cursor.uleb128());
  common.has_augmentation = augmentation.starts_with('z');
  if (common.has_augmentation) {
    const std::uint64_t length = cursor.uleb128();
    const std::uint64_t begin = cursor.position();
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') common.encoding = cursor.byte();
      if (letter == 'L') cursor.skip(1);
      if (letter == 'P') {
        const std::uint8_t encoding = cursor.byte();
        (void)read_pointer(cursor, encoding, address_);
      }
      if (letter == 'S') common.is_signal_frame = true;
    }
    cursor.move_to(begin + length);
  } else if (!augmentation.empty()) {
    return std::nullopt;
  }
  common.begin = cursor.position();
  if (cursor.ended_early() || common.begin > common.end || common.return_column >= most_registers) {
    return std::nullopt;
  }
  commons_.push_back(common);
  const auto number = static_cast<std::uint32_t>(commons_.size() - 1);
  common_places_.emplace(place, number);
  return number;
}

void CallFrames::read_function(std::uint64_t place, std::uint64_t begin, std::uint64_t end) {
  dwarf::ByteCursor cursor(section_, order_);
  cursor.move_to(place);
  // From here back, or in the section.
  const std::uint64_t to_common = cursor.fixed(4);
  const bool is_exceptions = kind_ == CallFrameSection::eh_frame;
  if (is_exceptions && to_common > place) return;
  const auto number = common_at(is_exceptions ? place - to_common : to_common);
  if (!number) return;
  const Common& common = commons_[*number];
  cursor.move_to(begin);
  Function function;
  function.common = *number;
  function.low = read_pointer(cursor, common.encoding, address_);
  function.high = function.low + read_pointer(cursor, common.encoding & 0x0fU, address_);
  if (common.has_augmentation) cursor.skip(cursor.uleb128());
  function.begin = cursor.position();
  function.end = end;
  if (!cursor.ended_early() && function.begin <= end && function.low < function.high) {
    functions_.push_back(function);
  }
}

// Runs the programs of a function up to a place in it.
class CallFrames::Program {
 public:
  Program(const CallFrames& frames, const Common& common, const Function& function,
          std::uint64_t wanted)
      : frames_(frames), common_(common), wanted_(wanted), location_(function.low) {
    rules_.return_column = common.return_column;
    rules_.is_signal_frame = common.is_signal_frame;
    rules_.frame.kind = RegisterRuleKind::undefined;
    run(common.begin, common.end);
    initial_ = rules_;
    location_ = function.low;
    run(function.begin, function.end);
  }
  [[nodiscard]] std::optional<CallFrameRules> rules() const {
    if (!is_sound_ || rules_.frame.kind == RegisterRuleKind::undefined) return std::nullopt;
    CallFrameRules rules = rules_;
    for (std::size_t i = 0; i < most_registers; ++i) {
      if (rules.registers[i].kind != RegisterRuleKind::unchanged) rules.changed |= 1ULL << i;
    }
    return rules;
  }

 private:
  using Kind = RegisterRuleKind;

  void run(std::uint64_t begin, std::uint64_t end) {
    dwarf::ByteCursor cursor(frames_.section_.first(static_cast<std::size_t>(end)), frames_.order_);
    cursor.move_to(begin);
    while (is_sound_ && !cursor.at_end() && location_ <= wanted_) {
      // It runs once for each place that is looked up.
      is_sound_ = steps_++ < most_steps;
      step(cursor);
      is_sound_ = is_sound_ && !cursor.ended_early();
    }
  }
  void advance(std::uint64_t count) { location_ += count * common_.code_factor; }
  void set(std::uint64_t column, Kind kind, std::int64_t value) {
    if (column < most_registers) rules_.registers[column] = {kind, value, 0};
  }
  [[nodiscard]] std::int64_t scaled(std::uint64_t value) const {
    return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(common_.data_factor));
  }
  void restore(std::uint64_t column) {
    if (column < most_registers) rules_.registers[column] = initial_.registers[column];
  }
  void set_frame(std::uint64_t base, std::int64_t offset) {
    is_sound_ = is_sound_ && base < most_registers;
    rules_.frame = {Kind::in_register, offset, 0};
    rules_.frame_register = static_cast<std::uint32_t>(base);
  }
  static RegisterRule expression(Kind kind, dwarf::ByteCursor& cursor) {
    const std::uint64_t size = cursor.uleb128();
    const auto begin = static_cast<std::int64_t>(cursor.position());
    cursor.skip(size);
    return {kind, begin, static_cast<std::uint32_t>(size)};
  }
  void set_expression(Kind kind, dwarf::ByteCursor& cursor) {
    const std::uint64_t column = cursor.uleb128();
    const RegisterRule rule = expression(kind, cursor);
    if (column < most_registers) rules_.registers[column] = rule;
  }

  void step(dwarf::ByteCursor& cursor) {
    const std::uint8_t opcode = cursor.byte();
    const std::uint8_t low = opcode & 0x3fU;
    switch (opcode >> 6U) {
      case 1:
        return advance(low);
      case 2:
        return set(low, Kind::saved_at_offset, scaled(cursor.uleb128()));
      case 3:
        return restore(low);
      default:
        return opcode < 0x10 ? step_common(opcode, cursor) : step_rare(opcode, cursor);
    }
  }

  void step_common(std::uint8_t opcode, dwarf::ByteCursor& cursor) {
    switch (opcode) {
      case 0x00:  // nop
        return;
      case 0x01:  // set_loc
        location_ = read_pointer(cursor, common_.encoding, frames_.address_);
        return;
      case 0x02:  // advance_loc1, 2, 4
        return advance(cursor.fixed(1));
      case 0x03:
        return advance(cursor.fixed(2));
      case 0x04:
        return advance(cursor.fixed(4));
      case 0x05: {  // offset_extended
        const std::uint64_t column = cursor.uleb128();
        return set(column, Kind::saved_at_offset, scaled(cursor.uleb128()));
      }
      case 0x06:  // restore_extended
        return restore(cursor.uleb128());
      case 0x07:  // undefined
        return set(cursor.uleb128(), Kind::undefined, 0);
      case 0x08:  // same_value
        return set(cursor.uleb128(), Kind::unchanged, 0);
      case 0x09: {  // register
        const std::uint64_t column = cursor.uleb128();
        return set(column, Kind::in_register, static_cast<std::int64_t>(cursor.uleb128()));
      }
      case 0x0a:  // remember_state
        if (remembered_.size() == most_remembered) is_sound_ = false;
        if (is_sound_) remembered_.push_back(rules_);
        return;
      case 0x0b:  // restore_state
        is_sound_ = !remembered_.empty();
        if (!is_sound_) return;
        rules_ = remembered_.back();
        remembered_.pop_back();
        return;
      case 0x0c: {  // def_cfa
        const std::uint64_t base = cursor.uleb128();
        return set_frame(base, static_cast<std::int64_t>(cursor.uleb128()));
      }
      case 0x0d:  // def_cfa_register
        return set_frame(cursor.uleb128(), rules_.frame.value);
      case 0x0e:  // def_cfa_offset
        return set_frame(rules_.frame_register, static_cast<std::int64_t>(cursor.uleb128()));
      default:  // def_cfa_expression
        rules_.frame = expression(Kind::computed, cursor);
    }
  }

  void step_rare(std::uint8_t opcode, dwarf::ByteCursor& cursor) {
    switch (opcode) {
      case 0x10:
        return set_expression(Kind::saved_at_address, cursor);
      case 0x11: {  // offset_extended_sf
        const std::uint64_t column = cursor.uleb128();
        return set(column, Kind::saved_at_offset,
                   scaled(static_cast<std::uint64_t>(cursor.sleb128())));
      }
      case 0x12: {  // def_cfa_sf
        const std::uint64_t base = cursor.uleb128();
        return set_frame(base, scaled(static_cast<std::uint64_t>(cursor.sleb128())));
      }
      case 0x13:  // def_cfa_offset_sf
        return set_frame(rules_.frame_register,
                         scaled(static_cast<std::uint64_t>(cursor.sleb128())));
      case 0x14: {  // val_offset
        const std::uint64_t column = cursor.uleb128();
        return set(column, Kind::offset_of_frame, scaled(cursor.uleb128()));
      }
      case 0x15: {  // val_offset_sf
        const std::uint64_t column = cursor.uleb128();
        return set(column, Kind::offset_of_frame,
                   scaled(static_cast<std::uint64_t>(cursor.sleb128())));
      }
      case 0x16:
        return set_expression(Kind::computed, cursor);
      case 0x2c:  // of AArch64: whether the return address is signed
      case 0x2d:
        return;
      case 0x2e:  // GNU_args_size
        cursor.uleb128();
        return;
      default:
        is_sound_ = false;
    }
  }

  const CallFrames& frames_;
  const Common& common_;
  const std::uint64_t wanted_;
  std::uint64_t location_;
  CallFrameRules rules_;
  CallFrameRules initial_;
  std::vector<CallFrameRules> remembered_;
  std::size_t steps_ = 0;
  bool is_sound_ = true;
};

std::size_t CallFrames::HashOfRules::operator()(const CallFrameRules& rules) const {
  const auto hash_with = [](std::uint64_t hash, const RegisterRule& rule) {
    return hash_of(hash ^ static_cast<std::uint64_t>(rule.kind),
                   static_cast<std::uint64_t>(rule.value) ^ rule.expression_size);
  };
  std::uint64_t hash = hash_with(rules.frame_register, rules.frame);
  for (const RegisterRule& rule : rules.registers) {
    if (rule.kind != RegisterRuleKind::unchanged) hash = hash_with(hash, rule);
  }
  return hash;
}

const CallFrameRules* CallFrames::run_program(std::uint64_t code) {
  const auto after = std::upper_bound(
      functions_.begin(), functions_.end(), code,
      [](std::uint64_t wanted, const Function& function) { return wanted < function.low; });
  if (after == functions_.begin() || code >= (after - 1)->high) return nullptr;
  const Function& function = *(after - 1);
  const auto rules = Program(*this, commons_[function.common], function, code).rules();
  return rules ? &*rules_.insert(*rules).first : nullptr;
}

const CallFrameRules* CallFrames::at(Address code) {
  if (const auto known = known_.find(code.value)) return *known;
  if (known_.size() == most_known || rules_.size() == most_rules) {
    known_.clear();
    rules_.clear();
  }
  const CallFrameRules* rules = run_program(code.value);
  known_.add(code.value, rules);
  return rules;
}

}  // namespace gprof::perf_data
