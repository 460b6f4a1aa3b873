// From the from_pc of an arc to the call instructions it stands for.
//
// Our own collector writes exact return addresses: the call is the instruction that ends at
// from_pc. glibc's (and the BSDs') rounds from_pc down to a slot of up to 16 bytes, counted from
// the start of the profiled text, and so merges neighbouring call sites. The candidates are then
// the call instructions that return into the slot and can reach the callee; a single one is exact,
// several cannot be told apart.
//
// Units: link-time addresses. Ownership: borrows symbols and machine code, which must outlive it.
// Thread contract: const members may be called from any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/code/machine_code.h"
#include "engine/gmon/raw_profile.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// How precisely a profile identifies its call sites.
struct CallSitePrecision {
  Address base;                 // slots are counted from here
  std::uint64_t slot_size = 1;  // in bytes; 1 if from_pc is the return address itself
  friend bool operator==(const CallSitePrecision&, const CallSitePrecision&) = default;
};

// glibc's slots are the widest.
[[nodiscard]] inline bool is_sound(const CallSitePrecision& precision) {
  return precision.slot_size >= 1 && precision.slot_size <= 16;
}

// Exact if the file says so or carries our collector's tag. Otherwise the largest power of two, up
// to glibc's 16, that divides every from_pc's distance from the start of the text.
[[nodiscard]] CallSitePrecision call_site_precision(const RawProfile& raw);

class CallSites {
 public:
  CallSites(const SymbolTable& symbols, const MachineCode& code, CallSitePrecision precision)
      : symbols_(symbols), code_(code), precision_(precision) {}

  [[nodiscard]] CallSitePrecision precision() const { return precision_; }

  // The function that contains the call: the one at from_pc, as in gprof, unless the machine code
  // shows that all candidates lie in another function that the slot reaches into.
  [[nodiscard]] std::optional<SymbolIndex> caller_of(Address from_pc, SymbolIndex callee) const;

  // Addresses of the candidates' call instructions, ascending. If the machine code has none
  // (unknown architecture, a hand-made profile): the address just before from_pc if that is in the
  // same function as from_pc, else from_pc.
  [[nodiscard]] std::vector<Address> calls_of(Address from_pc, SymbolIndex callee) const;

 private:
  // The functions that may contain a call returning into the slot, by address.
  [[nodiscard]] std::vector<SymbolIndex> functions_of(Address from_pc) const;
  [[nodiscard]] std::vector<CallInstruction> candidates_in(SymbolIndex function, Address from_pc,
                                                           SymbolIndex callee) const;
  // The calls of a function up to `end`, and perhaps some after it.
  [[nodiscard]] std::shared_ptr<const std::vector<CallInstruction>> calls_of_function(
      SymbolIndex function, Address end) const;
  [[nodiscard]] bool can_reach(const CallInstruction& call, SymbolIndex callee) const;
  // Whether the function may end in a jump to `callee` instead of a return.
  [[nodiscard]] bool jumps_to(SymbolIndex function, SymbolIndex callee, int depth) const;

  const SymbolTable& symbols_;
  const MachineCode& code_;
  CallSitePrecision precision_;

  // The calls of recently used large functions: a function with thousands of call sites would
  // otherwise be decoded from its start for each.
  using Decoded = std::pair<SymbolIndex, std::shared_ptr<const std::vector<CallInstruction>>>;
  mutable std::mutex mutex_;
  mutable std::deque<Decoded> decoded_;  // most recent first
};

}  // namespace gprof
