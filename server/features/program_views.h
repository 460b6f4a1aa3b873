// What a session, or one request of it, shows of the programs: views of their snapshots by a metric
// and of a selection (engine/snapshot_view.h). Features are given the views and know nothing of it.
//
// Where nothing is selected and no metric but the first is shown, programs are as they were loaded,
// at no cost. Thread contract: any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/selection.h"
#include "engine/support/expected.h"
#include "server/features/feature_context.h"
#include "server/features/shown_metric.h"

namespace gprof::lsp {

// Identifies a program from one load to the next.
[[nodiscard]] std::string selection_key(const LoadedProgram& program);

// A program that was loaded, as it is shown. Errors: those of view_of().
[[nodiscard]] Expected<LoadedProgram> program_view(const LoadedProgram& loaded,
                                                   const ChosenMetric& metric,
                                                   const Selection& selection);

struct SessionViews {
  struct Problem {
    std::string program;  // its selection_key()
    std::string message;
    bool selection = false;  // it cannot be used any more; else the metric
  };
  ProgramList programs;
  std::vector<Problem> problems;  // what could not be shown is left out
};
[[nodiscard]] SessionViews session_views(const ProgramList& loaded, const ClientSettings& settings,
                                         const ProgramSelections& selections);

// What gprof/status tells of the view of the program that it is about.
void put_view(ProfileStatus& status, const LoadedProgram& loaded, const ClientSettings& settings,
              const ProgramSelections& selections);

// What a request says of the view that it wants.
struct RequestedView {
  const std::optional<std::string>& metric;
  const SelectionOverride& selection;
};
// The program, of those of the context, as the request wants it: it takes its place there. Null
// stays null. Errors: invalid_argument that names what there is; those of view_of().
[[nodiscard]] Expected<const LoadedProgram*> requested_view(FeatureContext& context,
                                                            const LoadedProgram* program,
                                                            const RequestedView& request);
// The same for the program that the context's document is of.
[[nodiscard]] Expected<void> use_requested_view(FeatureContext& context,
                                                const RequestedView& request);

}  // namespace gprof::lsp
