// From the from_pc of an arc to the call instructions that it stands for.
//
// Our own collector writes exact return addresses: the call is the instruction that ends at
// from_pc. glibc's (and the BSDs') rounds from_pc down to a slot of up to 16 bytes, counted from
// the start of the profiled text, and so merges neighbouring call sites. There, the call
// instructions that return into the slot and can reach the callee are the candidates; one of them
// is exact, of several none can be told from the others.
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

// How precisely a profile tells its call sites.
struct CallSitePrecision {
  Address base;                 // what slots are counted from
  std::uint64_t slot_size = 1;  // bytes; 1 where from_pc is the return address itself
  friend bool operator==(const CallSitePrecision&, const CallSitePrecision&) = default;
};

// The widest slots are glibc's.
[[nodiscard]] inline bool is_sound(const CallSitePrecision& precision) {
  return precision.slot_size >= 1 && precision.slot_size <= 16;
}

// Exact where the file says so, or carries our collector's tag. Elsewhere the widest power of two,
// up to glibc's 16, that divides every from_pc's distance from the start of the text.
[[nodiscard]] CallSitePrecision call_site_precision(const RawProfile& raw);

class CallSites {
 public:
  CallSites(const SymbolTable& symbols, const MachineCode& code, CallSitePrecision precision)
      : symbols_(symbols), code_(code), precision_(precision) {}

  [[nodiscard]] CallSitePrecision precision() const { return precision_; }

  // The function that holds the call: the one at from_pc, as gprof has it, unless the machine code
  // shows that the only candidates lie in another function into which the slot reaches.
  [[nodiscard]] std::optional<SymbolIndex> caller_of(Address from_pc, SymbolIndex callee) const;

  // Addresses of the candidates' call instructions, ascending. Where the machine code shows none
  // (unknown architecture, a hand-made profile): the address just before from_pc where that is in
  // the same function as from_pc, else from_pc.
  [[nodiscard]] std::vector<Address> calls_of(Address from_pc, SymbolIndex callee) const;

 private:
  // The functions in which a call that returns into the slot may lie, by address.
  [[nodiscard]] std::vector<SymbolIndex> functions_of(Address from_pc) const;
  [[nodiscard]] std::vector<CallInstruction> candidates_in(SymbolIndex function, Address from_pc,
                                                           SymbolIndex callee) const;
  // The calls of a function up to `end`, and perhaps some that come after it.
  [[nodiscard]] std::shared_ptr<const std::vector<CallInstruction>> calls_of_function(
      SymbolIndex function, Address end) const;
  [[nodiscard]] bool can_reach(const CallInstruction& call, SymbolIndex callee) const;
  // Whether the function may end in a jump to `callee` instead of a return.
  [[nodiscard]] bool jumps_to(SymbolIndex function, SymbolIndex callee, int depth) const;

  const SymbolTable& symbols_;
  const MachineCode& code_;
  CallSitePrecision precision_;

  // The calls of large functions that were asked for last: a function with thousands of call sites
  // would be decoded from its beginning for each.
  using Decoded = std::pair<SymbolIndex, std::shared_ptr<const std::vector<CallInstruction>>>;
  mutable std::mutex mutex_;
  mutable std::deque<Decoded> decoded_;  // the newest in front
};

}  // namespace gprof
