#include "engine/analysis/call_sites.h"

#include <algorithm>

namespace gprof {
namespace {

// glibc: HASHFRACTION (2) times the size of a table entry (8 bytes on 64-bit systems).
constexpr std::uint64_t widest_slot = 16;

// Functions below this size (bytes) are decoded in microseconds each time.
constexpr std::uint64_t large_function = 2048;
constexpr std::size_t most_decoded = 8;

// The longest chain of tail calls followed.
constexpr int tail_call_depth = 3;

}  // namespace

CallSitePrecision call_site_precision(const RawProfile& raw) {
  CallSitePrecision precision;
  if (raw.exact_call_sites || raw.build_id_prefix || raw.arcs.empty()) return precision;
  if (!raw.histograms.empty()) precision.base = raw.histograms.front().low;
  std::uint64_t bits = widest_slot;
  for (const RawArc& arc : raw.arcs) bits |= arc.from_pc - precision.base;
  precision.slot_size = bits & (~bits + 1);
  return precision;
}

std::vector<SymbolIndex> CallSites::functions_of(Address from_pc) const {
  // A call that returns to r lies in the function that contains the byte r - 1.
  std::vector<SymbolIndex> functions;
  for (std::uint64_t i = 0; i < precision_.slot_size; ++i) {
    const auto function = symbols_.find(from_pc + i - 1);
    if (!function || (!functions.empty() && functions.back() == *function)) continue;
    functions.push_back(*function);
  }
  return functions;
}

std::vector<CallInstruction> CallSites::candidates_in(SymbolIndex function, Address from_pc,
                                                      SymbolIndex callee) const {
  const AddressRange slot = {from_pc, from_pc + precision_.slot_size};
  std::vector<CallInstruction> found;
  const auto calls = calls_of_function(function, slot.high);
  auto call = std::partition_point(calls->begin(), calls->end(), [&](const CallInstruction& c) {
    return c.return_address < slot.low;
  });
  for (; call != calls->end() && call->return_address < slot.high; ++call) {
    if (!call->is_jump && can_reach(*call, callee)) found.push_back(*call);
  }
  return found;
}

std::shared_ptr<const std::vector<CallInstruction>> CallSites::calls_of_function(
    SymbolIndex function, Address end) const {
  using Calls = std::vector<CallInstruction>;
  const Symbol& symbol = symbols_[function];
  // Decoding starts where an instruction boundary is known.
  if (AddressRange{symbol.address, symbol.end}.size() < large_function) {
    return std::make_shared<const Calls>(
        code_.calls_in({symbol.address, std::min(symbol.end, end)}));
  }
  {
    const std::lock_guard lock(mutex_);
    for (const Decoded& known : decoded_) {
      if (known.first == function) return known.second;
    }
  }
  auto calls = std::make_shared<const Calls>(code_.calls_in({symbol.address, symbol.end}));
  const std::lock_guard lock(mutex_);
  decoded_.emplace_front(function, calls);
  if (decoded_.size() > most_decoded) decoded_.pop_back();
  return calls;
}

bool CallSites::can_reach(const CallInstruction& call, SymbolIndex callee) const {
  if (is_counting_function(call.import_name)) return false;
  if (!call.target) return call.import_name.empty() || call.import_name == symbols_[callee].name;
  const auto target = symbols_.find(*call.target);
  if (!target) return call.import_name.empty() || call.import_name == symbols_[callee].name;
  if (*target == callee) return true;
  if (is_counting_function(symbols_[*target].name)) return false;
  return jumps_to(*target, callee, tail_call_depth);
}

bool CallSites::jumps_to(SymbolIndex function, SymbolIndex callee, int depth) const {
  if (depth == 0) return false;
  const Symbol& symbol = symbols_[function];
  for (const CallInstruction& jump : code_.calls_in({symbol.address, symbol.end})) {
    if (!jump.is_jump) continue;
    if (!jump.target) return true;
    const auto target = symbols_.find(*jump.target);
    if (!target || *target == function) continue;
    if (*target == callee || jumps_to(*target, callee, depth - 1)) return true;
  }
  return false;
}

std::optional<SymbolIndex> CallSites::caller_of(Address from_pc, SymbolIndex callee) const {
  const auto at_from_pc = symbols_.find(from_pc);
  if (at_from_pc) {
    // The usual case: all calls that return into the slot lie in one function.
    const Symbol& symbol = symbols_[*at_from_pc];
    const AddressRange calls = {from_pc - 1, from_pc + precision_.slot_size - 1};
    if (symbol.address <= calls.low && calls.high <= symbol.end) return at_from_pc;
  }
  const std::vector<SymbolIndex> functions = functions_of(from_pc);
  std::vector<SymbolIndex> others;
  for (const SymbolIndex function : functions) {
    if (function != at_from_pc && !candidates_in(function, from_pc, callee).empty()) {
      others.push_back(function);
    }
  }
  // Usually only the head of the next function had to be decoded, and has no candidate.
  if (others.size() != 1) return at_from_pc;
  if (at_from_pc && !candidates_in(*at_from_pc, from_pc, callee).empty()) return at_from_pc;
  return others.front();
}

std::vector<Address> CallSites::calls_of(Address from_pc, SymbolIndex callee) const {
  std::vector<Address> addresses;
  for (const SymbolIndex function : functions_of(from_pc)) {
    for (const CallInstruction& call : candidates_in(function, from_pc, callee)) {
      addresses.push_back(call.address);
    }
  }
  if (addresses.empty()) {
    const Address before = from_pc - 1;
    addresses.push_back(symbols_.find(before) == symbols_.find(from_pc) ? before : from_pc);
  }
  return addresses;
}

}  // namespace gprof
