#include "runtime/unwind/rule_cache.h"

#include <algorithm>

namespace gprof_runtime {
namespace {

constexpr std::int64_t word = sizeof(std::uint64_t);
constexpr std::int64_t deepest_block = UINT8_MAX;
constexpr std::int64_t largest_base = UINT16_MAX;

bool is_packed_column(unsigned column) {
  return std::find(std::begin(packed_columns), std::end(packed_columns), column) !=
         std::end(packed_columns);
}

// Registers that a packed rule does not restore may be lost, but must not be saved elsewhere.
bool leaves_alone_the_others(const FrameRules& rules) {
  for (unsigned column = 0; column < column_count; ++column) {
    const RuleKind kind = rules.columns[column].kind;
    if (is_packed_column(column) || kind == RuleKind::unchanged) continue;
    if (kind != RuleKind::undefined || column == stack_register) return false;
  }
  return true;
}

// Words below the CFA; 0 if the register has not been saved, -1 if no packed rule can express it.
std::int64_t depth_of(const RegisterRule& rule) {
  if (rule.kind == RuleKind::unchanged) return 0;
  if (rule.kind != RuleKind::saved_at_offset || rule.value >= 0 || rule.value % word != 0)
    return -1;
  return -(rule.value / word);
}

RuleCache rules_of_process;

}  // namespace

RuleCache& process_rules() { return rules_of_process; }

bool pack(const FrameRules& rules, PackedRule* packed) {
  if (rules.cfa_is_expression || rules.cfa_register >= register_count) return false;
  if (!leaves_alone_the_others(rules)) return false;
  std::int64_t shallowest = INT64_MAX;
  std::int64_t deepest = 0;
  for (const unsigned column : packed_columns) {
    const std::int64_t depth = depth_of(rules.columns[column]);
    if (depth < 0) return false;
    if (depth == 0) continue;
    shallowest = std::min(shallowest, depth);
    deepest = std::max(deepest, depth);
  }
  const std::int64_t base = deepest == 0 ? 0 : shallowest - 1;
  if (base > largest_base || deepest - base > deepest_block) return false;

  *packed = PackedRule{};
  packed->cfa_offset = rules.cfa_offset;
  packed->cfa_register = static_cast<std::uint8_t>(rules.cfa_register);
  packed->base = static_cast<std::uint16_t>(base);
  packed->deepest = static_cast<std::uint8_t>(deepest - base);
  for (unsigned i = 0; i < packed_column_count; ++i) {
    const std::int64_t depth = depth_of(rules.columns[packed_columns[i]]);
    if (depth == 0) continue;
    const auto place = static_cast<std::uint64_t>(depth - base);
    if (i < 8) {
      packed->places |= place << (8 * i);
    } else {
      packed->more_places |= static_cast<std::uint32_t>(place << (8 * (i - 8)));
    }
  }
  return true;
}

}  // namespace gprof_runtime
