#include "server/features/program_views.h"

#include <utility>

#include "engine/snapshot_view.h"
#include "server/features/metric_values.h"

namespace gprof::lsp {
namespace {

// `time`, `self` and `total` are of the first metric of cost, whatever that counts.
std::string text_of_metric(const std::string& metric, const Metric& cost) {
  if (cost.unit == "seconds") return {};
  if (metric == "time") return cost.name;
  return metric == "self" || metric == "total" ? metric + " " + cost.name : std::string();
}

}  // namespace

std::string selection_key(const LoadedProgram& program) {
  return program.snapshot->image().path() + '\n' + program.part_of.string();
}

Expected<LoadedProgram> program_view(const LoadedProgram& loaded, const ChosenMetric& metric,
                                     const Selection& selection) {
  TRY_ASSIGN(const auto snapshot, view_of(loaded.snapshot, metric.cost, selection));
  ProgramView view;
  view.metric = metric;
  view.selection = selection;
  view.selection_text = selection_text(selection, loaded.snapshot->dimensions());
  if (metric.derived) {
    TRY_ASSIGN(auto columns, MetricColumns::of(snapshot, *metric.derived));
    view.derived = std::make_shared<const MetricColumns>(std::move(columns));
  }
  LoadedProgram shown = loaded;
  if (snapshot != loaded.snapshot) {
    // Nobody is told when those of a view are there.
    snapshot->make_totals();
    view.base_left_out = loaded.base != nullptr;
    shown.snapshot = snapshot;
    shown.base = nullptr;
    shown.comparison = nullptr;
    shown.runs.clear();
  }
  shown.view = std::make_shared<const ProgramView>(std::move(view));
  return shown;
}

SessionViews session_views(const ProgramList& loaded, const ClientSettings& settings,
                           const ProgramSelections& selections) {
  SessionViews views{loaded, {}};
  const bool with_idle = settings.idle == IdleWaiting::shown;
  if (selections.empty() && value_named<ShownMetric>(settings.metric) && !with_idle) return views;
  auto shown = std::make_shared<std::vector<LoadedProgram>>(*loaded);
  for (LoadedProgram& program : *shown) {
    const std::string key = selection_key(program);
    auto metric = chosen_metric(*program.snapshot, settings.metric, settings.derived);
    if (!metric) {
      views.problems.push_back({key, program.name + ": " + metric.error().message, false});
      metric = ChosenMetric();
    }
    const auto selected = selections.find(key);
    Selection selection = selected == selections.end() ? Selection() : selected->second;
    selection.with_idle = selection.with_idle || with_idle;
    auto view = program_view(program, *metric, selection);
    if (!view) {
      views.problems.push_back(
          {key, program.name + ": " + describe(view.error()), !selection.is_all()});
      view = program_view(program, ChosenMetric(), {});
    }
    if (view) program = std::move(*view);
  }
  views.programs = std::move(shown);
  return views;
}

void put_view(ProfileStatus& status, const LoadedProgram& loaded, const ClientSettings& settings,
              const ProgramSelections& selections) {
  const auto metric = chosen_metric(*loaded.snapshot, settings.metric, settings.derived);
  status.metric = metric ? settings.metric : ChosenMetric().name;
  status.metric_text = text_of_metric(status.metric, loaded.snapshot->cost_metric());
  if (loaded.snapshot->waits()) status.idle = settings.idle;
  const auto selected = selections.find(selection_key(loaded));
  if (selected == selections.end()) return;
  status.selection = selection_data(selected->second);
  status.selection_text = selection_text(selected->second, loaded.snapshot->dimensions());
}

Expected<const LoadedProgram*> requested_view(FeatureContext& context, const LoadedProgram* program,
                                              const RequestedView& request) {
  if (program == nullptr || (!request.metric && !request.selection)) return program;
  const auto index = static_cast<std::size_t>(program - context.views.programs().data());
  const LoadedProgram& loaded = (*context.loaded)[index];
  ChosenMetric metric = shown_metric(*program, context.settings);
  if (request.metric) {
    TRY_ASSIGN(metric, chosen_metric(*loaded.snapshot, *request.metric, context.settings.derived));
  }
  Selection selection = program->view ? program->view->selection : Selection();
  if (request.selection) {
    selection = *request.selection ? selection_of(**request.selection) : Selection();
    selection.with_idle = selection.with_idle || context.settings.idle == IdleWaiting::shown;
  }
  TRY_ASSIGN(auto view, program_view(loaded, metric, selection));
  return context.views.show(index, std::move(view));
}

Expected<void> use_requested_view(FeatureContext& context, const RequestedView& request) {
  if (!request.metric && !request.selection) return {};
  TRY(requested_view(context, context.views.program_of_document(), request));
  return {};
}

}  // namespace gprof::lsp
