#include "server/protocol/extension_answers.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

template <typename T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

void put_place(Json& json, const std::optional<DocumentUri>& uri,
               const std::optional<Range>& range) {
  put(json, "uri", uri);
  if (range) json["range"] = write_json(*range);
}

void put_difference(Json& json, const char* name, const std::optional<DifferenceData>& value) {
  if (!value) return;
  json[name] = {{"baseSeconds", value->base_seconds},
                {"difference", value->difference},
                {"error", value->error},
                {"verdict", value->verdict}};
}

void put_scale(Json& json, const SampleScale& scale) {
  put(json, "sampleSeconds", scale.sample_seconds);
  put(json, "unsampledBelow", scale.unsampled_below);
}

void put_basis(Json& json, std::optional<TimeBasis> basis) {
  if (basis) json["basis"] = *basis == TimeBasis::measured ? "measured" : "estimated";
}

const char* state_name(LineState state) {
  switch (state) {
    case LineState::changed:
      return "changed";
    case LineState::approximate:
      return "approximate";
    case LineState::current:
      break;
  }
  return "current";
}

const char* source_name(LineSource source) {
  switch (source) {
    case LineSource::in_step:
      return "inStep";
    case LineSource::changed:
      return "changed";
    case LineSource::stale:
      return "stale";
    case LineSource::unknown:
      break;
  }
  return "unknown";
}

Json write_callee(const LineCalleeData& value) {
  Json json = {{"name", value.name}, {"count", value.count}};
  if (value.approximate) json["approximate"] = true;
  put(json, "seconds", value.seconds);
  put(json, "uri", value.uri);
  if (value.position) json["position"] = write_json(*value.position);
  return json;
}

Json write_line(const LineData& value) {
  Json json = {{"line", value.line}, {"state", state_name(value.state)}, {"heat", value.heat}};
  for (const Metric metric : {Metric::calls, Metric::executions, Metric::self, Metric::total}) {
    json["heats"][std::string(metric_name(metric))] = value.heats[static_cast<std::size_t>(metric)];
  }
  put(json, "calls", value.calls);
  put(json, "executions", value.executions);
  put(json, "selfSeconds", value.self_seconds);
  put(json, "selfError", value.self_error);
  put(json, "totalSeconds", value.total_seconds);
  if (!value.significant) json["significant"] = false;
  put_difference(json, "selfDifference", value.difference);
  for (const LineCalleeData& callee : value.callees)
    json["callees"].push_back(write_callee(callee));
  return json;
}

Json write_summary(const FunctionSummary& value) {
  return {{"line", value.line}, {"text", value.text}};
}

Json write_spot(const HotSpot& value) {
  Json json = {{"name", value.name},
               {"selfSeconds", value.self_seconds},
               {"selfError", value.self_error},
               {"totalSeconds", value.total_seconds},
               {"totalError", value.total_error},
               {"heat", value.heat},
               {"rank", value.rank}};
  put(json, "signature", value.signature);
  put_place(json, value.uri, value.range);
  put(json, "calls", value.calls);
  if (value.recursive_calls > 0) json["recursiveCalls"] = value.recursive_calls;
  if (!value.significant) json["significant"] = false;
  put_difference(json, "selfDifference", value.difference);
  put_difference(json, "totalDifference", value.total_difference);
  put(json, "callsDifference", value.calls_difference);
  return json;
}

Json write_row(const FlatProfileRow& value) {
  Json json = {{"name", value.name},
               {"linkageName", value.linkage_name},
               {"percent", value.percent},
               {"selfSeconds", value.self_seconds},
               {"selfError", value.self_error},
               {"cumulativeSeconds", value.cumulative_seconds}};
  put(json, "calls", value.calls);
  put_difference(json, "selfDifference", value.difference);
  put(json, "selfPerCall", value.self_per_call);
  put(json, "totalPerCall", value.total_per_call);
  put(json, "uri", value.uri);
  put(json, "line", value.line);
  return json;
}

Json write_node(const CallGraphNode& value) {
  Json json = {{"id", value.id},
               {"name", value.name},
               {"linkageName", value.linkage_name},
               {"calls", value.calls},
               {"recursiveCalls", value.recursive_calls},
               {"selfSeconds", value.self_seconds},
               {"childSeconds", value.child_seconds},
               {"totalError", value.total_error}};
  put_place(json, value.uri, value.range);
  put(json, "cycle", value.cycle);
  return json;
}

Json write_arc(const CallGraphArc& value) {
  Json json = {{"from", value.from},
               {"to", value.to},
               {"calls", value.calls},
               {"selfSeconds", value.self_seconds},
               {"childSeconds", value.child_seconds},
               {"error", value.error}};
  if (!value.sites.empty()) json["sites"] = write_json(value.sites);
  return json;
}

Json write_site(const CallSite& value) {
  Json json = {{"name", value.name}, {"calls", value.calls}};
  if (value.place) {
    json["uri"] = value.place->uri;
    json["range"] = write_json(value.place->range);
  }
  if (!value.alternatives.empty()) json["alternatives"] = write_json(value.alternatives);
  if (value.definition) json["definition"] = write_json(*value.definition);
  if (!value.through.empty()) json["through"] = value.through;
  if (value.approximate) json["approximate"] = true;
  put(json, "seconds", value.seconds);
  put(json, "error", value.error);
  if (value.recursive) json["recursive"] = true;
  return json;
}

Json write_member(const CycleMember& value) {
  Json json = {{"name", value.name},
               {"linkageName", value.linkage_name},
               {"calls", value.calls},
               {"selfSeconds", value.self_seconds},
               {"selfError", value.self_error}};
  put_place(json, value.uri, value.range);
  if (value.recursive_calls > 0) json["recursiveCalls"] = value.recursive_calls;
  return json;
}

Json write_cycle(const CallCycle& value) {
  Json json = {{"cycle", value.number},
               {"calls", value.calls},
               {"internalCalls", value.internal_calls},
               {"selfSeconds", value.self_seconds},
               {"childSeconds", value.child_seconds},
               {"totalError", value.total_error},
               {"memberCount", value.member_count},
               {"members", Json::array()}};
  for (const CycleMember& member : value.members) json["members"].push_back(write_member(member));
  return json;
}

Json write_other(const OtherSamples& value) {
  Json json = {{"name", value.name},
               {"kind", value.kind},
               {"seconds", value.seconds},
               {"error", value.error}};
  put(json, "percent", value.percent);
  return json;
}

// As deep as the tree, which the feature bounds.
Json write_flames(const FlameGraphNode& value) {
  Json json = {{"name", value.name}, {"total", value.total}, {"self", value.self}};
  put(json, "error", value.error);
  put(json, "selfError", value.self_error);
  if (value.left_out > 0) json["leftOut"] = value.left_out;
  put(json, "module", value.module);
  put_place(json, value.uri, value.range);
  json["children"] = Json::array();
  for (const FlameGraphNode& child : value.children)
    json["children"].push_back(write_flames(child));
  return json;
}

Json write_program(const ProgramEntry& value) {
  Json json = {{"name", value.name},
               {"executable", value.executable},
               {"profiles", value.profiles},
               {"candidates", value.candidates},
               {"selected", value.selected},
               {"rebuiltSince", value.rebuilt_since},
               {"generation", value.generation},
               {"state", profile_state_name(value.state)}};
  put(json, "partOf", value.part_of);
  if (value.live) json["live"] = true;
  return json;
}

// Each element of a list, by its own function; an empty list is one all the same.
template <typename T>
Json write_list(const std::vector<T>& values, Json (*write)(const T&)) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(write(value));
  return json;
}

}  // namespace

Json write_json(const LineDataResult& value) {
  Json json = {{"version", value.version ? Json(*value.version) : Json()},
               {"source", source_name(value.source)},
               {"lines", write_list(value.lines, write_line)}};
  if (value.functions) json["functions"] = write_list(*value.functions, write_summary);
  put(json, "program", value.program);
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const HotSpotsResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"unit", value.unit},
               {"programSeconds", value.program_seconds},
               {"spots", write_list(value.spots, write_spot)}};
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const FlatProfileResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"rows", write_list(value.rows, write_row)},
               {"total", value.total},
               {"unit", value.unit},
               {"programSeconds", value.program_seconds},
               {"sampledSeconds", value.sampled_seconds},
               {"others", write_list(value.others, write_other)}};
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const CallGraphResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"root", value.root ? Json(*value.root) : Json()},
               {"nodes", write_list(value.nodes, write_node)},
               {"arcs", write_list(value.arcs, write_arc)},
               {"truncated", value.truncated}};
  if (!value.other_roots.empty()) json["otherRoots"] = value.other_roots;
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const CallSitesResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"unit", value.unit},
               {"programSeconds", value.program_seconds},
               {"sites", write_list(value.sites, write_site)},
               {"truncated", value.truncated}};
  if (!value.name.empty()) json["name"] = value.name;
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const CyclesResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"cycles", write_list(value.cycles, write_cycle)},
               {"total", value.total},
               {"unit", value.unit}};
  put_basis(json, value.basis);
  put_scale(json, value.scale);
  return json;
}

Json write_json(const FlameGraphResult& value) {
  Json json = {{"program", value.program},
               {"generation", value.generation},
               {"basis", value.measured ? "measured" : "estimated"},
               {"unit", value.unit},
               {"total", value.total},
               {"root", value.root ? write_flames(*value.root) : Json()}};
  put_scale(json, value.scale);
  return json;
}

Json write_json(const ReportResult& value) {
  return {{"uri", value.uri}, {"text", value.text}, {"links", write_json(value.links)}};
}

Json write_json(const ProgramsResult& value) {
  return {{"programs", write_list(value.programs, write_program)}};
}

}  // namespace gprof::lsp
