#include "server/discovery/plan_bounds.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

bool keep_program(const Bounds& bounds, PlannedProgram& program, Warnings& warnings) {
  if (!check_within(bounds, program.executable, warnings)) return false;
  const auto is_outside = [&](const std::filesystem::path& profile) {
    return !check_within(bounds, profile, warnings);
  };
  std::erase_if(program.profiles, is_outside);
  std::erase_if(program.candidates, is_outside);
  std::erase_if(program.live, [&](const PlannedLive& live) { return is_outside(live.path); });
  return !program.profiles.empty();
}

}  // namespace

bool check_within(const Bounds& bounds, const std::filesystem::path& path, Warnings& warnings) {
  if (is_within(bounds, path)) return true;
  const Error refusal = bounds->refusal(path);
  if (std::find(warnings.begin(), warnings.end(), refusal) == warnings.end()) {
    warnings.push_back(refusal);
  }
  return false;
}

void keep_within(const Bounds& bounds, LoadPlan& plan) {
  if (!bounds) return;
  std::erase_if(plan.programs, [&](PlannedProgram& program) {
    return !keep_program(bounds, program, plan.warnings);
  });
  if (plan.base && !keep_program(bounds, *plan.base, plan.warnings)) plan.base.reset();
}

}  // namespace gprof::lsp
