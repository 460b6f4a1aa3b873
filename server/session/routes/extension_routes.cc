#include "server/features/call_graph_around.h"
#include "server/features/call_site_query.h"
#include "server/features/code_lens.h"
#include "server/features/cost_text.h"
#include "server/features/cycles.h"
#include "server/features/flame_graph.h"
#include "server/features/flat_profile.h"
#include "server/features/hot_spots.h"
#include "server/features/library_functions.h"
#include "server/features/line_data.h"
#include "server/features/metric_list.h"
#include "server/features/metric_values.h"
#include "server/features/named_program.h"
#include "server/features/program_views.h"
#include "server/features/time_line.h"
#include "server/report_documents/report_pages.h"
#include "server/session/routes/route.h"
#include "server/session/routes/test_answers.h"

namespace gprof::lsp {
namespace {

FunctionLocations locations_in(FeatureContext& context, const LoadedProgram& program) {
  return {program, context.views.texts_of_program(program)};
}

// The one that a request names, as it wants it shown; null if none is loaded.
template <typename Params>
Expected<const LoadedProgram*> shown_program(FeatureContext& context, const Params& params) {
  TRY_ASSIGN(const LoadedProgram* program, named_program(context.views.programs(), params.program));
  return requested_view(context, program, {params.metric, params.selection});
}

// The unit of an answer's times, and the program's time.
template <typename Result>
void put_program_time(Result& result, const FunctionCosts& profile) {
  result.unit = profile.dimension();
  result.program_seconds = profile.seconds(profile.program_ticks());
  result.scale = sample_scale(profile);
}

// The columns that a request asks for; none if it asks for none.
Expected<MetricColumns> columns_of(FeatureContext& context, const LoadedProgram& program,
                                   const std::vector<std::string>& names) {
  return MetricColumns::of(program, names, context.settings.derived);
}

Outcome<LineDataResult> answer_line_data(FeatureContext& context, const LineDataParams& params) {
  LineDataResult result;
  if (const auto used = use_requested_view(context, {params.metric, params.selection}); !used) {
    return response_error(used.error());
  }
  if (auto view = context.views.of_document()) {
    if (params.inlined_at_calls) view->inlined_at_calls = *params.inlined_at_calls;
    FunctionLocations locations = locations_in(context, view->program);
    const auto columns = columns_of(context, view->program, params.metrics);
    if (!columns) return response_error(columns.error());
    const LineTextOptions texts{shown_metric(view->program, context.settings).shown,
                                params.threshold.value_or(context.settings.threshold),
                                params.errors};
    result = line_data(*view, {params.range, params.hottest, texts, &*columns}, locations);
    result.scale = sample_scale(view->profile());
  }
  if (params.functions) {
    result.functions = function_summaries(context.views.all_of_document(), params.range,
                                          context.settings.lens_threshold);
  }
  const auto& document = context.views.document().document;
  if (document) result.version = document->version();
  return result;
}

Outcome<HotSpotsResult> answer_hot_spots(FeatureContext& context, const HotSpotsParams& params) {
  const auto program = shown_program(context, params);
  if (!program) return response_error(program.error());
  HotSpotsResult result;
  result.generation = context.generation;
  if (*program == nullptr) return result;
  result.program = (*program)->name;
  result.basis = basis_of(*(*program)->snapshot);
  put_program_time(result, (*program)->snapshot->profile());
  FunctionLocations locations = locations_in(context, **program);
  const auto columns = columns_of(context, **program, params.metrics);
  if (!columns) return response_error(columns.error());
  const HotSpotsQuery query{shown_metric(**program, context.settings).shown, params.query,
                            params.limit, params.order == HotSpotOrder::regression, &*columns};
  result.spots = hot_spots(query, locations, context.settings.demangle);
  return result;
}

Outcome<FlatProfileResult> answer_flat_profile(FeatureContext& context,
                                               const FlatProfileParams& params) {
  const auto program = shown_program(context, params);
  if (!program) return response_error(program.error());
  FlatProfileResult result;
  if (*program != nullptr) {
    const auto columns = columns_of(context, **program, params.metrics);
    if (!columns) return response_error(columns.error());
    FunctionLocations locations = locations_in(context, **program);
    result =
        flat_profile(locations, params.offset, params.limit, context.settings.demangle, &*columns);
    result.program = (*program)->name;
  }
  result.generation = context.generation;
  return result;
}

Outcome<CyclesResult> answer_cycles(FeatureContext& context, const CyclesParams& params) {
  const auto program = shown_program(context, params);
  if (!program) return response_error(program.error());
  CyclesResult result;
  if (*program != nullptr) {
    FunctionLocations locations = locations_in(context, **program);
    result = cycles_of(locations, context.settings.demangle);
    result.scale = sample_scale((*program)->snapshot->profile());
    result.program = (*program)->name;
  }
  result.generation = context.generation;
  return result;
}

CallGraphResult graph_around(FeatureContext& context, const LoadedProgram& program,
                             const CallGraphQuery& query) {
  FunctionLocations locations = locations_in(context, program);
  CallGraphResult result = call_graph_around(query, locations, context.settings.demangle);
  result.program = program.name;
  result.scale = sample_scale(program.snapshot->profile());
  return result;
}

Outcome<CallGraphResult> answer_call_graph(FeatureContext& context, const CallGraphParams& params) {
  CallGraphResult result;
  CallGraphQuery query;
  query.depth = params.depth;
  query.direction = params.direction;
  if (params.text_document && params.position) {
    const auto used = use_requested_view(context, {params.metric, params.selection});
    if (!used) return response_error(used.error());
    if (const auto view = context.views.of_document()) {
      const auto found =
          function_at(*view, *params.position, context.views.of_program(view->program));
      if (found) {
        query.roots = found->function->symbols;
        sort_by_heat(view->snapshot(), query.roots);
      }
      result = graph_around(context, view->program, query);
    }
  } else {
    const auto program = shown_program(context, params);
    if (!program) return response_error(program.error());
    if (*program != nullptr) {
      const Snapshot& snapshot = *(*program)->snapshot;
      const std::string name = params.symbol.value_or("");
      // First: a search of the program's symbols demangles all of them if none has the name.
      query.library = library_function_named(snapshot, name);
      if (!query.library) query.roots = symbols_named(snapshot, name);
      result = graph_around(context, **program, query);
    }
  }
  result.generation = context.generation;
  return result;
}

Outcome<CallSitesResult> answer_call_sites(FeatureContext& context, const CallSitesParams& params) {
  CallSitesResult result;
  const bool callers = params.direction == CallSide::callers;
  if (params.text_document && params.position) {
    const auto used = use_requested_view(context, {params.metric, params.selection});
    if (!used) return response_error(used.error());
    if (const auto view = context.views.of_document()) {
      FunctionLocations locations = locations_in(context, view->program);
      result =
          call_sites_at(*view, *params.position, callers, params.function.value_or(""), locations,
                        context.views.of_program(view->program), context.settings.demangle);
      result.program = view->program.name;
      put_program_time(result, view->profile());
    }
  } else {
    const auto program = shown_program(context, params);
    if (!program) return response_error(program.error());
    if (*program != nullptr) {
      FunctionLocations locations = locations_in(context, **program);
      result = call_sites_named(*params.symbol, callers, locations, context.settings.demangle);
      result.program = (*program)->name;
      put_program_time(result, (*program)->snapshot->profile());
    }
  }
  result.generation = context.generation;
  return result;
}

FlameGraphResult flames_of(FeatureContext& context, const LoadedProgram& program,
                           const FlameGraphQuery& query) {
  FunctionLocations locations = locations_in(context, program);
  FlameGraphResult result = flame_graph(query, locations, context.settings.demangle);
  result.program = program.name;
  result.scale = sample_scale(program.snapshot->profile());
  return result;
}

Outcome<FlameGraphResult> answer_flame_graph(FeatureContext& context,
                                             const FlameGraphParams& params) {
  FlameGraphResult result;
  FlameGraphQuery query{{}, params.maximum_depth, params.minimum_share, params.differences};
  if (params.position) {
    const auto used = use_requested_view(context, {params.metric, params.selection});
    if (!used) return response_error(used.error());
    if (const auto view = context.views.of_document()) {
      const auto found =
          function_at(*view, *params.position, context.views.of_program(view->program));
      if (found && !found->function->symbols.empty()) {
        query.function = found->function->symbols;
        sort_by_heat(view->snapshot(), query.function);
        result = flames_of(context, view->program, query);
      }
    }
  } else {
    const auto program = shown_program(context, params);
    if (!program) return response_error(program.error());
    if (*program != nullptr) result = flames_of(context, **program, query);
  }
  result.generation = context.generation;
  return result;
}

Outcome<ReportResult> answer_report(FeatureContext& context, ReportTexts& reports,
                                    const ReportParams& params) {
  const auto program = shown_program(context, params);
  if (!program) return response_error(program.error());
  const ReportAddress address = report_address(params);
  const auto source = made_report(context, reports, address);
  if (!source) return response_error(source.error());
  ReportResult result;
  result.uri = report_uri(address);
  result.text = source->text->text;
  result.links = links_of(context, *source, result.uri, true);
  return result;
}

Outcome<MetricsResult> answer_metrics(FeatureContext& context, const MetricsParams& params) {
  const auto program = named_program(context.views.programs(), params.program);
  if (!program) return response_error(program.error());
  MetricsResult result;
  if (*program != nullptr) {
    auto list = metric_list(**program, context.settings.derived);
    if (!list) return response_error(list.error());
    result = std::move(*list);
  }
  result.generation = context.generation;
  return result;
}

Outcome<TimelineResult> answer_timeline(FeatureContext& context, const TimelineParams& params) {
  const auto program = shown_program(context, params);
  if (!program) return response_error(program.error());
  TimelineResult result;
  if (*program != nullptr) {
    auto line = time_line(**program, params);
    if (!line) return response_error(line.error());
    result = std::move(*line);
  }
  result.generation = context.generation;
  return result;
}

TestsResult answer_tests(FeatureContext& context, const TestsParams& params) {
  return {params.text_document ? tests_of_document(context) : tests_of_ctest(context)};
}

ProgramsResult answer_programs(FeatureContext& context, const ProgramsParams&) {
  ProgramsResult result;
  const auto& programs = context.views.programs();
  for (const LoadedProgram& program : programs) {
    ProgramEntry entry;
    entry.name = program.name;
    entry.executable = program.snapshot->image().path();
    entry.profiles = program.snapshot->profile_paths();
    for (const auto& candidate : program.candidates) entry.candidates.push_back(candidate.string());
    if (!program.part_of.empty()) entry.part_of = program.part_of.string();
    entry.selected = &program == &programs.front();
    entry.rebuilt_since = program.rebuilt_since;
    entry.live = program.live;
    entry.generation = context.generation;
    entry.state = program.rebuilt_since ? ProfileState::stale : ProfileState::ready;
    result.programs.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

void register_extension_routes(const RouteContext& routes) {
  route_document<LineDataParams, LineDataResult>(routes, "gprof/lineData", answer_line_data);
  route_workspace<HotSpotsParams, HotSpotsResult>(routes, "gprof/hotSpots", answer_hot_spots);
  route_workspace<FlatProfileParams, FlatProfileResult>(routes, "gprof/flatProfile",
                                                        answer_flat_profile);
  route_workspace<CyclesParams, CyclesResult>(routes, "gprof/cycles", answer_cycles);
  route_workspace<CallGraphParams, CallGraphResult>(routes, "gprof/callGraph", answer_call_graph);
  route_document<CallSitesParams, CallSitesResult>(routes, "gprof/callSites", answer_call_sites);
  route_workspace<FlameGraphParams, FlameGraphResult>(routes, "gprof/flameGraph",
                                                      answer_flame_graph);
  route_workspace<MetricsParams, MetricsResult>(routes, "gprof/metrics", answer_metrics);
  route_workspace<TimelineParams, TimelineResult>(routes, "gprof/timeline", answer_timeline);
  route_workspace<ReportParams, ReportResult>(
      routes, "gprof/report",
      [&reports = routes.reports](FeatureContext& context, const ReportParams& params) {
        return answer_report(context, reports, params);
      });
  route_workspace<TestsParams, TestsResult>(routes, "gprof/tests", answer_tests);
  route_workspace<ProgramsParams, ProgramsResult>(routes, "gprof/programs", answer_programs);
}

}  // namespace gprof::lsp
