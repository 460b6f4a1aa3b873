#include "server/discovery/program_plan.h"

namespace gprof::lsp {
namespace {

PlannedProgram without_counts(PlannedProgram program) {
  for (PlannedLive& live : program.live) {
    live.stamp = {};
    live.counters = nullptr;
  }
  return program;
}

}  // namespace

AnalysisRequest analysis_of(const PlannedProgram& program) {
  AnalysisRequest request;
  request.executable = program.executable;
  request.profiles = program.profiles;
  for (const PlannedLive& live : program.live) {
    if (live.counters) request.live[live.path] = {live.counters, live.stamp};
  }
  return request;
}

bool differs_in_counts_alone(const LoadPlan& a, const LoadPlan& b) {
  if (a.programs.size() != b.programs.size() || a.files.paths != b.files.paths ||
      a.base != b.base) {
    return false;
  }
  for (std::size_t i = 0; i < a.programs.size(); ++i) {
    if (!(without_counts(a.programs[i]) == without_counts(b.programs[i]))) return false;
  }
  const auto is_live = [&](const std::string& path) {
    for (const PlannedProgram& program : a.programs) {
      for (const PlannedLive& live : program.live) {
        if (live.path == path) return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < a.files.paths.size(); ++i) {
    if (a.files.stamps[i] != b.files.stamps[i] && !is_live(a.files.paths[i])) return false;
  }
  return a.warnings == b.warnings;
}

}  // namespace gprof::lsp
