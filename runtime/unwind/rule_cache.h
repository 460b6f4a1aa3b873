// Rules in a packed form that is fast to apply: the CFA is a register plus an offset, and
// callee-saved registers lie in a block of the stack somewhere below it.
//
// Thread contract: see RuleCache. Each entry has a 32-bit checksum over itself, its address and its
// epoch. Concurrent writers, or a handler that interrupts one, may mix two entries: the checksum of
// a mixture does not match, and it is not used. The order of writes does not matter, and a handler
// that never returns leaves nothing locked.
#pragma once

#include <cstdint>

#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// The columns that a packed rule can restore: the return address, then callee-saved registers.
#if defined(__x86_64__)
inline constexpr std::uint8_t packed_columns[] = {return_column, 6, 3, 12, 13, 14, 15};
#else
inline constexpr std::uint8_t packed_columns[] = {
    return_column, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
#endif
inline constexpr unsigned packed_column_count = sizeof packed_columns;

enum class PackedKind : std::uint8_t {
  common,
  outermost,      // the frame has no caller
  frame_pointer,  // nothing is known about the function: use its frame pointer
  inferred,       // as `common`, but from the function's instructions
};

struct PackedRule {
  std::int32_t cfa_offset = 0;
  std::uint16_t base = 0;         // in words: the block of saved registers ends at CFA - base
  std::uint8_t deepest = 0;       // in words: the size of the block
  std::uint8_t cfa_register = 0;  // below 64
  PackedKind kind = PackedKind::common;
  // Where each of packed_columns is, in words below the block's end; 0: still in the register.
  // Eight in the first number, four in the second.
  std::uint64_t places = 0;
  std::uint32_t more_places = 0;
};

// Whether the rules have a packed form.
bool pack(const FrameRules& rules, PackedRule* packed);

namespace rule_cache {

inline constexpr unsigned register_shift = 56;
inline constexpr unsigned kind_shift = 62;

// `address`: that the rules are for; not 0.
inline UnwindRule* entry_of(RuleCache& cache, std::uint64_t address) {
  static_assert(RuleCache::size == 4096);
  return &cache.rules[(address * 0x9e3779b97f4a7c15U) >> 52U];
}

inline std::uint32_t checksum(std::uint64_t address, std::uint64_t epoch, const PackedRule& rule,
                              std::uint64_t first) {
  const std::uint64_t sum = (address + 1) * 0x9e3779b97f4a7c15U +
                            (epoch + 1) * 0xd6e8feb86659fd93U + first * 0xff51afd7ed558ccdU +
                            rule.places * 0xc4ceb9fe1a85ec53U +
                            rule.more_places * 0xa0761d6478bd642fU;
  return static_cast<std::uint32_t>(sum >> 32U);
}

inline bool find(RuleCache& cache, std::uint64_t address, std::uint64_t epoch, PackedRule* rule) {
  UnwindRule* const entry = entry_of(cache, address);
  if (__atomic_load_n(&entry->pc, __ATOMIC_RELAXED) != address) return false;
  const std::uint64_t first = __atomic_load_n(&entry->packed[0], __ATOMIC_RELAXED);
  const std::uint64_t last = __atomic_load_n(&entry->packed[2], __ATOMIC_RELAXED);
  rule->places = __atomic_load_n(&entry->packed[1], __ATOMIC_RELAXED);
  rule->more_places = static_cast<std::uint32_t>(last);
  rule->cfa_offset = static_cast<std::int32_t>(first);
  rule->base = static_cast<std::uint16_t>(first >> 32U);
  rule->deepest = static_cast<std::uint8_t>(first >> 48U);
  rule->cfa_register = static_cast<std::uint8_t>((first >> register_shift) & 0x3fU);
  rule->kind = static_cast<PackedKind>(first >> kind_shift);
  return checksum(address, epoch, *rule, first) == last >> 32U;
}

inline void store(RuleCache& cache, std::uint64_t address, std::uint64_t epoch,
                  const PackedRule& rule) {
  UnwindRule* const entry = entry_of(cache, address);
  const std::uint64_t first = static_cast<std::uint32_t>(rule.cfa_offset) |
                              std::uint64_t{rule.base} << 32U | std::uint64_t{rule.deepest} << 48U |
                              std::uint64_t{rule.cfa_register} << register_shift |
                              static_cast<std::uint64_t>(rule.kind) << kind_shift;
  const std::uint64_t last = rule.more_places | std::uint64_t{checksum(address, epoch, rule, first)}
                                                    << 32U;
  __atomic_store_n(&entry->pc, address, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->packed[0], first, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->packed[1], rule.places, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->packed[2], last, __ATOMIC_RELAXED);
}

}  // namespace rule_cache
}  // namespace gprof_runtime
