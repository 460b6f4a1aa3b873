// The call stacks that were sampled, in terms of the symbols of one executable or library.
//
// Recursion that sidecars have folded is unfolded a few times, so that each of its calls is there;
// how deep it went is not in here, and no figure needs it.
//
// Code of other modules keeps its place on the stack, by the module's name. Samples that were taken
// while the collector itself ran are no part of the program's time and are left out.
//
// Units: ticks, of the profile's rate. Ownership: owns what it holds. Thread contract: immutable
// once filled.
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
  // In the place of a module's number: frames are left out here, of which nothing else is known.
  static constexpr std::uint32_t left_out = 0xffffffff;

  // no_symbol: code of another module, or of no function. Parts stand for their function.
  SymbolIndex symbol = no_symbol;
  std::uint32_t module = 0;  // number of its name
  // Link-time address in the module: of the sampled instruction in the innermost frame, in the
  // others the last byte of the call instruction.
  Address place;
};

struct SampledStack {
  Ticks count = 0;
  bool truncated = false;              // outer frames are missing
  bool incomplete = false;             // these, or others in the middle
  std::span<const StackFrame> frames;  // innermost first; never empty
};

class StackSamples {
 public:
  // The module whose symbols the frames have.
  static constexpr std::uint32_t own_module = 0;

  // Adds a run. `own_modules`: which of the sidecar's modules the symbols are of.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
           const SymbolTable& symbols);
  // One stack, its frames innermost first and not none; the first of them is not left_out.
  void add_stack(Ticks count, bool truncated, std::span<const StackFrame> frames);
  // The number of another module; the same name has the same one.
  [[nodiscard]] std::uint32_t number_of(std::string_view module_name);
  // A run without stacks: the stacks of the others do not speak for it.
  void add_run_without(Ticks ticks) { missing_ += ticks; }

  [[nodiscard]] std::size_t size() const { return stacks_.size(); }
  [[nodiscard]] SampledStack operator[](std::size_t index) const {
    const Entry& entry = stacks_[index];
    return {entry.count, entry.truncated, entry.incomplete,
            std::span(frames_).subspan(entry.first, entry.frame_count)};
  }
  // Of all stacks.
  [[nodiscard]] Ticks total() const { return total_; }
  // Of samples whose stack is not there.
  [[nodiscard]] Ticks missing() const { return missing_; }
  // Of stacks whose outer frames are not there.
  [[nodiscard]] Ticks truncated() const { return truncated_; }
  // Of samples in code of other modules.
  [[nodiscard]] Ticks foreign() const { return foreign_; }
  // Whether the stacks speak for the whole profile: nearly every sample has one.
  [[nodiscard]] bool complete() const;

  // The file's name of another module; empty for the own one, and where it is not known.
  [[nodiscard]] std::string_view module_name(std::uint32_t module) const {
    return module_names_[module];
  }
  // None where no run had a module of that name.
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

  // The frame that a place of a sidecar's stack is.
  [[nodiscard]] StackFrame frame_at(const SidecarPlace& place, bool innermost,
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
  Ticks foreign_ = 0;
};

}  // namespace gprof
