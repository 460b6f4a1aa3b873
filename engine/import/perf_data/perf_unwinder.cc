#include "engine/import/perf_data/perf_unwinder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include <elf.h>

#include "engine/import/perf_data/call_frames.h"

namespace gprof::perf_data {

// What registers are called by perf and by DWARF.
struct UnwoundMachine {
  std::array<std::uint8_t, 33> numbers;  // DWARF's by perf's; none: not needed
  std::uint8_t stack;
  std::uint8_t frame;
  std::uint8_t code;
};

namespace {

constexpr std::size_t most_walked = 1024;
constexpr std::uint8_t none = 0xff;
constexpr UnwoundMachine x86_64 = {
    {0, 3,  2,  1,  4,  5,  6,  7,    16,   none, none, none, none, none, none, none, 8,
     9, 10, 11, 12, 13, 14, 15, none, none, none, none, none, none, none, none, none},
    7,
    6,
    16};
constexpr UnwoundMachine aarch64 = {
    {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
    31,
    29,
    32};

const UnwoundMachine* machine_of(const Image& program) {
  if (program.machine() == EM_X86_64) return &x86_64;
  return program.machine() == EM_AARCH64 ? &aarch64 : nullptr;
}

}  // namespace

struct PerfUnwinder::State {
  const PerfProcesses& processes;
  PerfModules& modules;
  const UnwoundMachine* machine;
  ByteOrder order;
  std::map<std::pair<const Image*, CallFrameSection>, CallFrames> frames = {};

  struct Found {
    const CallFrames* frames = nullptr;
    const CallFrameRules* rules = nullptr;  // null if none is known
  };
  Found find(const Image& image, Address code) {
    for (const auto section : {CallFrameSection::eh_frame, CallFrameSection::debug_frame}) {
      CallFrames& of_image = frames.try_emplace({&image, section}, image, section).first->second;
      if (const CallFrameRules* rules = of_image.at(code)) return {&of_image, rules};
    }
    return {};
  }
};

namespace {

// One stack.
class StackWalk {
 public:
  StackWalk(const PerfSampleRecord& sample, const PerfAttr& attr, const UnwoundMachine& machine,
            ByteOrder order)
      : sample_(sample), machine_(machine) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < 64 && next < sample.registers.size(); ++i) {
      if ((attr.user_registers >> i & 1) == 0) continue;
      const std::uint64_t value = sample.registers[next++];
      if (i < machine.numbers.size() && machine.numbers[i] != none) {
        values_[machine.numbers[i]] = value;
      }
    }
    bottom_ = values_[machine.stack].value_or(0);
    memory_ = [this, order](std::uint64_t address) -> std::optional<std::uint64_t> {
      const std::uint64_t offset = address - bottom_;
      const std::uint64_t size = sample_.stack.size();
      if (size < 8 || address < bottom_ || offset > size - 8) return std::nullopt;
      return stored_integer<std::uint64_t>(sample_.stack.data() + offset, order);
    };
  }
  StackWalk(const StackWalk&) = delete;
  StackWalk& operator=(const StackWalk&) = delete;

  [[nodiscard]] std::optional<std::uint64_t> code() const { return values_[machine_.code]; }
  [[nodiscard]] bool is_interrupted() const { return is_interrupted_; }
  [[nodiscard]] bool is_outermost() const { return is_outermost_; }

  bool step(const CallFrames& frames, const CallFrameRules& rules) {
    const std::optional<std::uint64_t> frame = frame_address(frames, rules);
    if (!frame || *frame < values_[machine_.stack].value_or(0)) return false;
    const Left left = leave();
    // All are computed from the values here before one is written. Most frames change two or three
    // of them: the others are not copied.
    std::array<std::uint64_t, most_registers> changed;
    std::uint64_t known = 0;
    for (std::uint64_t bits = rules.changed; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      const auto value = value_of(frames, rules.registers[i], *frame);
      if (value) known |= std::uint64_t{1} << i;
      changed[i] = value.value_or(0);
    }
    values_[machine_.stack] = *frame;
    for (std::uint64_t bits = rules.changed; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      values_[i] = (known >> i & 1) != 0 ? std::optional(changed[i]) : std::nullopt;
    }
    const RegisterRule& back = rules.registers[rules.return_column];
    is_outermost_ = back.kind == RegisterRuleKind::undefined;
    return arrive(left, values_[rules.return_column], rules.is_signal_frame);
  }

  // Where nothing is known of the code, it may have kept the frame pointer.
  bool step_by_frame_pointer() {
    const auto pointer = values_[machine_.frame];
    if (!pointer || *pointer < values_[machine_.stack].value_or(0)) return false;
    const Left left = leave();
    values_[machine_.frame] = memory_(*pointer);
    values_[machine_.stack] = *pointer + 16;
    if (!values_[machine_.frame]) return false;
    return arrive(left, memory_(*pointer + 8), false);
  }

 private:
  // What the frame was that the walk is leaving. A step that fails ends the walk.
  struct Left {
    std::optional<std::uint64_t> stack;
    std::uint64_t code = 0;
  };
  [[nodiscard]] Left leave() const {
    return {values_[machine_.stack], values_[machine_.code].value_or(0)};
  }

  std::optional<std::uint64_t> frame_address(const CallFrames& frames,
                                             const CallFrameRules& rules) const {
    if (rules.frame.kind == RegisterRuleKind::computed) {
      return frames.evaluate(rules.frame, std::nullopt, values_, memory_);
    }
    const auto& base = values_[rules.frame_register];
    if (!base) return std::nullopt;
    return *base + static_cast<std::uint64_t>(rules.frame.value);
  }

  std::optional<std::uint64_t> value_of(const CallFrames& frames, const RegisterRule& rule,
                                        std::uint64_t frame) const {
    const std::uint64_t place = frame + static_cast<std::uint64_t>(rule.value);
    switch (rule.kind) {
      case RegisterRuleKind::saved_at_offset:
        return memory_(place);
      case RegisterRuleKind::offset_of_frame:
        return place;
      case RegisterRuleKind::in_register:
        return rule.value >= 0 && rule.value < static_cast<std::int64_t>(most_registers)
                   ? values_[static_cast<std::size_t>(rule.value)]
                   : std::nullopt;
      case RegisterRuleKind::saved_at_address: {
        const auto address = frames.evaluate(rule, frame, values_, memory_);
        return address ? memory_(*address) : std::nullopt;
      }
      case RegisterRuleKind::computed:
        return frames.evaluate(rule, frame, values_, memory_);
      default:
        return std::nullopt;
    }
  }

  // `values_` are the caller's, but for its code.
  bool arrive(const Left& left, std::optional<std::uint64_t> code, bool interrupted) {
    constexpr std::uint64_t code_bits = (std::uint64_t{1} << 48) - 1;
    if (!code) return false;
    // AArch64 signs return addresses in the bits above.
    const std::uint64_t there = *code & code_bits;
    const bool moved = values_[machine_.stack] != left.stack || there != left.code;
    is_outermost_ = there == 0;
    if (is_outermost_ || !moved) return false;
    values_[machine_.code] = there;
    is_interrupted_ = interrupted;
    return true;
  }

  const PerfSampleRecord& sample_;
  const UnwoundMachine& machine_;
  RegisterValues values_ = {};
  std::uint64_t bottom_ = 0;
  ReadMemory memory_;
  bool is_interrupted_ = true;  // the code is where it was interrupted, not where a call returns to
  bool is_outermost_ = false;
};

}  // namespace

PerfUnwinder::PerfUnwinder(const PerfProcesses& processes, PerfModules& modules,
                           const Image& program, ByteOrder order)
    : state_(new State{processes, modules, machine_of(program), order}) {}
PerfUnwinder::~PerfUnwinder() = default;

ChainEnd PerfUnwinder::walk(const PerfSampleRecord& sample, const PerfAttr& attr,
                            std::vector<RecordedFrame>& frames) {
  constexpr std::uint64_t of_64_bits = 2;
  if (state_->machine == nullptr || sample.registers_abi != of_64_bits) {
    return ChainEnd::open;
  }
  StackWalk walk(sample, attr, *state_->machine, state_->order);
  for (std::size_t count = 0; walk.code() && count < most_walked; ++count) {
    const std::uint64_t code = *walk.code();
    // A return address may be behind the end of its function.
    const std::uint64_t back = walk.is_interrupted() ? 0 : 1;
    const auto place = state_->processes.find(sample.process, code - back, sample.time);
    if (!place) {
      if (count == 0) frames.emplace_back();
      return ChainEnd::open;
    }
    RecordedFrame frame = state_->modules.frame_at(*place);
    const Address looked_up = frame.address;
    frame.address = frame.address + back;
    // The kernel's frames come before.
    const bool is_behind_system_call =
        count == 0 && !frames.empty() && state_->modules.is_behind_system_call(*place);
    if (walk.is_interrupted() && !is_behind_system_call) frame.kind = PlaceKind::interrupted;
    frames.push_back(frame);
    const Image* image = state_->modules.image_of(place->file);
    const auto [of_image, rules] =
        image == nullptr ? State::Found() : state_->find(*image, looked_up);
    if (rules == nullptr ? walk.step_by_frame_pointer() : walk.step(*of_image, *rules)) continue;
    if (walk.is_outermost()) return ChainEnd::whole;
    // Rules fail where the copy of the stack lacks what they read.
    return rules != nullptr && sample.is_stack_cut ? ChainEnd::cut : ChainEnd::open;
  }
  return ChainEnd::cut;
}

}  // namespace gprof::perf_data
