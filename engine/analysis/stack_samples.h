// The sampled call stacks, in terms of the symbols of one executable or library.
//
// Recursion that sidecars have folded is unfolded a few times, so that each of its calls appears;
// its depth is not kept, and no figure needs it.
//
// Code of other modules stays on the stack, by function where one is known, else under the module's
// name. Samples taken while the collector itself ran are not part of the program's time and are
// left out.
//
// Units: ticks, at the profile's rate. Ownership: owns its data. Thread contract: immutable once
// filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/analysis/function_costs.h"
#include "engine/gmon/external_names.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"
#include "engine/support/flat_array.h"
#include "engine/support/snapshot_file.h"
#include "engine/support/units.h"

namespace gprof {

struct StackFrame {
  // In place of a module's number: frames of which nothing else is known are left out here.
  static constexpr std::uint32_t left_out = 0xffffffff;

  // no_symbol: code of another module or of no function. Parts stand for their function.
  SymbolIndex symbol = no_symbol;
  std::uint32_t module = 0;  // number of its ExternalCode
  // Link-time address in the module: the sampled instruction in the innermost frame, the last byte
  // of the call instruction in the others.
  Address place;
};

struct SampledStack {
  Ticks count = 0;                     // may be 0 in a selection
  bool truncated = false;              // outer frames are missing
  bool incomplete = false;             // as above, or frames in the middle are missing
  bool inferred = false;               // a caller was inferred for lack of call frame information
  std::span<const StackFrame> frames;  // innermost first; never empty
};

class StackSamples {
 public:
  // The module that the frames' symbols belong to.
  static constexpr std::uint32_t own_module = 0;

  // In the place of a stack's number: it is not among these.
  static constexpr std::uint32_t left_out = 0xffffffff;

  // Adds a run. `own_modules`: which of the sidecar's modules the symbols belong to. Returns the
  // number of each of the sidecar's stacks, or left_out.
  std::vector<std::uint32_t> add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                                 const SymbolTable& symbols,
                                 const ExternalFunctions& functions = {});
  // One stack with at least one frame, innermost first; the first frame is not left_out.
  void add_stack(Ticks count, bool truncated, std::span<const StackFrame> frames,
                 bool inferred = false);
  // The number of another module's code, one per function and one per name of a module.
  [[nodiscard]] std::uint32_t number_of(const ExternalCode& code);
  // A run without stacks: the stacks of the others do not represent it.
  void add_run_without(Ticks ticks) { missing_ += ticks; }
  // The same stacks under the same numbers with other counts, which may be 0. `missing`: samples
  // without a stack.
  [[nodiscard]] StackSamples recounted(std::span<const Ticks> counts, Ticks missing) const;

  [[nodiscard]] std::size_t size() const { return stacks_.size(); }
  [[nodiscard]] SampledStack operator[](std::size_t index) const {
    const Entry& entry = stacks_[index];
    return {entry.count, entry.truncated, entry.incomplete, entry.inferred,
            std::span(*frames_).subspan(entry.first, entry.frame_count)};
  }
  // Of all stacks.
  [[nodiscard]] Ticks total() const { return total_; }
  // Of samples without a stack.
  [[nodiscard]] Ticks missing() const { return missing_; }
  // Of stacks whose outer frames are missing.
  [[nodiscard]] Ticks truncated() const { return truncated_; }
  // Ticks of stacks with an inferred caller.
  [[nodiscard]] Ticks inferred() const { return inferred_; }
  // Ticks of samples in code of other modules.
  [[nodiscard]] Ticks external() const { return external_; }
  // Whether the stacks represent the whole profile: nearly every sample has one.
  [[nodiscard]] bool complete() const;

  // Of another module; empty for the own module.
  [[nodiscard]] const ExternalCode& external_code(std::uint32_t module) const {
    return external_codes_[module];
  }
  // None if no run had such a module, or samples in such a function.
  [[nodiscard]] std::optional<std::uint32_t> find(const ExternalCode& code) const;
  // Of the own module too, which comes first.
  [[nodiscard]] std::size_t external_code_count() const { return external_codes_.size(); }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.stacks_);
    stream.array(*self.frames_);
    if constexpr (is_reader<Stream>) self.external_codes_.clear();
    stream.list(self.external_codes_, [&](auto& code) {
      stream.text(code.module);
      stream.text(code.function);
    });
    if constexpr (is_reader<Stream>) self.number_codes();
    stream.number(self.total_);
    stream.number(self.missing_);
    stream.number(self.truncated_);
    stream.number(self.inferred_);
    stream.number(self.external_);
  }
  // Whether what exchange() read is valid for a program with that many symbols.
  [[nodiscard]] bool is_sound(std::size_t symbols) const;

 private:
  struct Entry {
    Ticks count = 0;
    bool truncated = false;
    bool incomplete = false;
    bool inferred = false;
    std::uint32_t frame_count = 0;
    std::size_t first = 0;
  };

  // What the places on a sidecar's stacks are converted with.
  struct Run {
    const SymbolTable& symbols;
    const ExternalFunctions& functions;
    std::vector<std::uint32_t> modules;                      // numbers of the sidecar's modules
    std::unordered_map<const char*, std::uint32_t> by_name;  // numbers of its functions
  };
  void add_count(const Entry& stack);
  // Of external_codes_, whose first is the own module.
  void number_codes();
  [[nodiscard]] StackFrame frame_at(const ModuleAddress& place, bool innermost, Run& run);
  [[nodiscard]] std::uint32_t number_at(std::uint32_t module, Address code, Run& run);
  [[nodiscard]] std::vector<std::uint32_t> modules_of(const Sidecar& sidecar,
                                                      const std::vector<bool>& own_modules);

  std::vector<Entry> stacks_;
  // Shared with those that were recounted: not added to any more once there are some.
  std::shared_ptr<FlatArray<StackFrame>> frames_ = std::make_shared<FlatArray<StackFrame>>();
  std::map<ExternalCode, std::uint32_t> numbers_;
  std::vector<ExternalCode> external_codes_ = {{}};  // by number
  Ticks total_ = 0;
  Ticks missing_ = 0;
  Ticks truncated_ = 0;
  Ticks inferred_ = 0;
  Ticks external_ = 0;
};

}  // namespace gprof
