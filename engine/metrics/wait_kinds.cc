#include "engine/metrics/wait_kinds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gprof {
namespace {

constexpr std::array<WaitKindText, wait_kind_count> kinds = {{
    {WaitKind::lock, "lock", "Waiting for locks"},
    {WaitKind::io, "io", "Waiting for input and output"},
    {WaitKind::sleep, "sleep", "Sleeping"},
    {WaitKind::child, "child", "Waiting for other processes"},
    {WaitKind::cpu, "cpu", "Waiting for a CPU"},
    {WaitKind::other, "other", "Waiting for other threads, or something else"},
}};

}  // namespace

std::span<const WaitKindText> wait_kinds() { return kinds; }

std::string_view wait_kind_name(WaitKind kind) {
  const auto found = std::ranges::find(kinds, kind, &WaitKindText::kind);
  return found == kinds.end() ? kinds.back().name : found->name;
}

std::string wait_metric_of(WaitKind kind) {
  return fmt::format("{}.{}", wait_metric, wait_kind_name(kind));
}

std::optional<WaitKind> wait_kind_of(std::string_view cost) {
  for (const WaitKindText& text : kinds) {
    if (cost == wait_metric_of(text.kind)) return text.kind;
  }
  return std::nullopt;
}

}  // namespace gprof
