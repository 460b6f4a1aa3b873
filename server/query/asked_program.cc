#include "server/query/asked_program.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "server/features/call_graph_around.h"
#include "server/features/hot_spots.h"
#include "server/features/library_functions.h"
#include "server/features/named_program.h"
#include "server/features/program_views.h"
#include "server/query/answer_room.h"
#include "server/query/figures.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_similar = 5;

bool is_whole(const PartArguments& part) {
  return part.thread.empty() && part.process.empty() && part.time.empty() && !part.idle;
}

}  // namespace

Expected<Selection> selection_of(const PartArguments& part) {
  SelectionData data;
  data.processes = part.process;
  data.threads = part.thread;
  if (part.idle) data.idle = true;
  Selection selection = selection_of(data);
  if (!part.time.empty() && !take_stretch(part.time, selection)) {
    return wrong_argument("time", "seconds since the run began: 1.5..4, 1.5.. or ..4");
  }
  return selection;
}

namespace {

Expected<SelectionOverride> selection_override(const PartArguments& part) {
  SelectionOverride selection;
  if (is_whole(part)) return selection;
  TRY_ASSIGN(const Selection chosen, selection_of(part));
  selection = std::optional(selection_data(chosen));
  return selection;
}

}  // namespace

std::string no_profile_text(const ToolContext& context) {
  const std::string folder = context.paths.folder().string();
  if (!context.problems.empty()) {
    return fmt::format("no profile of {} can be shown: {}", folder, context.problems.front());
  }
  return fmt::format(
      "no profile was found in {}; record one with the tool record, or with `gprof-lsp record -- "
      "PROGRAM`",
      folder);
}

Expected<const LoadedProgram*> asked_program(ToolContext& context, const PartArguments& part) {
  FeatureContext& features = context.features;
  TRY_ASSIGN(const LoadedProgram* program, named_program(features.views.programs(), part.program));
  if (program == nullptr) {
    return Error{ErrorCode::no_profile_data, no_profile_text(context), {}, std::nullopt};
  }
  TRY_ASSIGN(const SelectionOverride selection, selection_override(part));
  return requested_view(features, program, {part.metric, selection});
}

Expected<void> ask_for_part_of_file(ToolContext& context, const PartArguments& part) {
  const bool names_none = !part.program && !context.features.views.programs().empty();
  if (!names_none) {
    TRY(asked_program(context, part));
    return {};
  }
  TRY_ASSIGN(const SelectionOverride selection, selection_override(part));
  return use_requested_view(context.features, {part.metric, selection});
}

FunctionLocations locations_in(ToolContext& context, const LoadedProgram& program) {
  return {program, context.features.views.texts_of_program(program)};
}

Expected<AskedFunction> asked_function(ToolContext& context, const LoadedProgram& program,
                                       std::string_view name) {
  const Snapshot& snapshot = *program.snapshot;
  AskedFunction found;
  if (name.empty()) return wrong_argument("function", "the name of a function");
  // First: a search of the program's symbols demangles all of them if none has the name.
  found.external = library_function_named(snapshot, name);
  if (found.external) return found;
  found.symbols = symbols_named(snapshot, name);
  if (!found.symbols.empty()) return found;
  FunctionLocations locations = locations_in(context, program);
  const HotSpotsQuery similar{ShownMetric::total, name, most_similar, false, nullptr};
  std::string names;
  for (const HotSpot& spot : hot_spots(similar, locations, context.features.settings.demangle)) {
    names += (names.empty() ? "" : ", ") + quoted_name(spot.name);
  }
  return Error{
      ErrorCode::invalid_argument,
      fmt::format("arguments.function: {} has no function {}{}", program.name, quoted_name(name),
                  names.empty() ? std::string("; the tool hot_spots lists functions")
                                : fmt::format("; similar names: {}", names)),
      {},
      std::nullopt};
}

AnyValue about_function(std::string_view name) {
  return AnyValue(AnyValue::Object{{"function", AnyValue(name)}});
}

}  // namespace gprof::lsp
