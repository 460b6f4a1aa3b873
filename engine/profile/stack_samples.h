// The sampled call stacks, in terms of the symbols of one executable or library.
//
// Recursion that sidecars have folded is unfolded a few times, so that each of its calls appears;
// its depth is not kept, and no figure needs it.
//
// Code of other modules stays on the stack, under the module's name. Samples taken while the
// collector itself ran are not part of the program's time and are left out.
//
// Units: ticks, at the profile's rate. Ownership: owns its data. Thread contract: immutable once
// filled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"
#include "engine/profile/profile.h"
#include "engine/support/units.h"

namespace gprof {

struct StackFrame {
  // In place of a module's number: frames of which nothing else is known are left out here.
  static constexpr std::uint32_t left_out = 0xffffffff;

  // no_symbol: code of another module or of no function. Parts stand for their function.
  SymbolIndex symbol = no_symbol;
  std::uint32_t module = 0;  // number of its name
  // Link-time address in the module: the sampled instruction in the innermost frame, the last byte
  // of the call instruction in the others.
  Address place;
};

struct SampledStack {
  Ticks count = 0;
  bool truncated = false;              // outer frames are missing
  bool incomplete = false;             // as above, or frames in the middle are missing
  std::span<const StackFrame> frames;  // innermost first; never empty
};

class StackSamples {
 public:
  // The module that the frames' symbols belong to.
  static constexpr std::uint32_t own_module = 0;

  // Adds a run. `own_modules`: which of the sidecar's modules the symbols belong to.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
           const SymbolTable& symbols);
  // One stack with at least one frame, innermost first; the first frame is not left_out.
  void add_stack(Ticks count, bool truncated, std::span<const StackFrame> frames);
  // The number of another module, one per name.
  [[nodiscard]] std::uint32_t number_of(std::string_view module_name);
  // A run without stacks: the stacks of the others do not represent it.
  void add_run_without(Ticks ticks) { missing_ += ticks; }

  [[nodiscard]] std::size_t size() const { return stacks_.size(); }
  [[nodiscard]] SampledStack operator[](std::size_t index) const {
    const Entry& entry = stacks_[index];
    return {entry.count, entry.truncated, entry.incomplete,
            std::span(frames_).subspan(entry.first, entry.frame_count)};
  }
  // Of all stacks.
  [[nodiscard]] Ticks total() const { return total_; }
  // Of samples without a stack.
  [[nodiscard]] Ticks missing() const { return missing_; }
  // Of stacks whose outer frames are missing.
  [[nodiscard]] Ticks truncated() const { return truncated_; }
  // Of samples in code of other modules.
  [[nodiscard]] Ticks external() const { return external_; }
  // Whether the stacks represent the whole profile: nearly every sample has one.
  [[nodiscard]] bool complete() const;

  // The file name of another module; empty for the own module, and if unknown.
  [[nodiscard]] std::string_view module_name(std::uint32_t module) const {
    return module_names_[module];
  }
  // None if no run had a module with that name.
  [[nodiscard]] std::optional<std::uint32_t> find_module(std::string_view name) const;
  [[nodiscard]] std::size_t module_count() const { return module_names_.size(); }

 private:
  struct Entry {
    Ticks count = 0;
    bool truncated = false;
    bool incomplete = false;
    std::uint32_t frame_count = 0;
    std::size_t first = 0;
  };

  // Converts a place on a sidecar's stack to a frame.
  [[nodiscard]] StackFrame frame_at(const ModuleAddress& place, bool innermost,
                                    const std::vector<std::uint32_t>& modules,
                                    const SymbolTable& symbols);
  [[nodiscard]] std::vector<std::uint32_t> modules_of(const Sidecar& sidecar,
                                                      const std::vector<bool>& own_modules);

  std::vector<Entry> stacks_;
  std::vector<StackFrame> frames_;
  std::vector<std::string> module_names_ = {""};
  Ticks total_ = 0;
  Ticks missing_ = 0;
  Ticks truncated_ = 0;
  Ticks external_ = 0;
};

}  // namespace gprof
