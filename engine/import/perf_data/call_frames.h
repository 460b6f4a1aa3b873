// Call frame information of a program or library (.eh_frame or .debug_frame): how to get from a
// place in its code to the caller, for processes that are gone.
//
// Source of the rules: DWARF 5, section 6.4; LSB 5.0, chapter 10.6. Units: link-time addresses;
// registers by their DWARF numbers. Ownership: copies nothing but a list of functions; the image
// must outlive it. Thread contract: one thread. Errors: none; what is damaged has no rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/import/perf_data/rules_by_code.h"
#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof::perf_data {

inline constexpr std::size_t most_registers = 40;

enum class RegisterRuleKind : std::uint8_t {
  unchanged,
  undefined,         // of the return address: there is no caller
  saved_at_offset,   // at the frame's address + value
  offset_of_frame,   // the frame's address + value
  in_register,       // the register `value`
  saved_at_address,  // at the value of the expression
  computed,          // the value of the expression
};

struct RegisterRule {
  RegisterRuleKind kind = RegisterRuleKind::unchanged;
  std::int64_t value = 0;
  std::uint32_t expression_size = 0;  // which begins at `value` of the section

  friend bool operator==(const RegisterRule&, const RegisterRule&) = default;
};

struct CallFrameRules {
  RegisterRule frame;  // in_register: register frame_register + value; or computed
  std::uint32_t frame_register = 0;
  std::uint32_t return_column = 0;
  bool is_signal_frame = false;  // the caller was interrupted, and has called nothing
  std::uint64_t changed = 0;     // registers whose rule is not `unchanged`, a bit each
  std::array<RegisterRule, most_registers> registers;

  friend bool operator==(const CallFrameRules&, const CallFrameRules&) = default;
};

// Values of a frame; what is not known is not there.
using RegisterValues = std::array<std::optional<std::uint64_t>, most_registers>;
using ReadMemory = std::function<std::optional<std::uint64_t>(std::uint64_t address)>;

enum class CallFrameSection : std::uint8_t {
  eh_frame,
  debug_frame,  // of programs that are built without the other
};

class CallFrames {
 public:
  CallFrames(const Image& image, CallFrameSection kind);

  // Null if none is known. Valid until the next call.
  [[nodiscard]] const CallFrameRules* at(Address code);
  // The value of an expression of a rule.
  [[nodiscard]] std::optional<std::uint64_t> evaluate(const RegisterRule& rule,
                                                      std::optional<std::uint64_t> first,
                                                      const RegisterValues& registers,
                                                      const ReadMemory& memory) const;

 private:
  struct Common {
    std::uint64_t begin = 0;  // of its program
    std::uint64_t end = 0;
    std::uint64_t code_factor = 1;
    std::int64_t data_factor = 1;
    std::uint32_t return_column = 0;
    std::uint8_t encoding = 0;
    bool has_augmentation = false;
    bool is_signal_frame = false;
  };
  struct Function {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t common = 0;
  };
  class Program;

  void read_entries();
  [[nodiscard]] const CallFrameRules* run_program(std::uint64_t code);
  [[nodiscard]] bool is_common(std::uint64_t id) const;
  [[nodiscard]] std::optional<std::uint32_t> common_at(std::uint64_t place);
  void read_function(std::uint64_t place, std::uint64_t begin, std::uint64_t end);

  CallFrameSection kind_;
  std::span<const std::byte> section_;
  std::uint64_t address_ = 0;
  ByteOrder order_ = ByteOrder::little;
  std::vector<Common> commons_;
  std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> common_places_;
  std::vector<Function> functions_;  // ascending
  struct HashOfRules {
    [[nodiscard]] std::size_t operator()(const CallFrameRules& rules) const;
  };
  // Much code has few different rules.
  std::unordered_set<CallFrameRules, HashOfRules> rules_;
  RulesByCode<CallFrameRules> known_;
};

}  // namespace gprof::perf_data
