#include "server/features/code_action.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "server/discovery/glob_pattern.h"
#include "server/features/cost_text.h"
#include "server/features/line_functions.h"
#include "server/loading/choice_list.h"
#include "server/protocol/extension_requests.h"

namespace gprof::lsp {
namespace {

// Menus are read at a glance; call hierarchies and hovers list the others.
constexpr std::size_t max_calls = 4;

class ActionList {
 public:
  void add(std::string title, std::string_view command, std::vector<AnyValue> arguments) {
    CodeAction action;
    action.title = title;
    action.kind = code_action_kind;
    action.command = {std::move(title), std::string(command), std::move(arguments), {}};
    actions_.push_back(std::move(action));
  }
  void add_place(std::string title, DocumentUri uri, const Range& range) {
    add(std::move(title), open_command, {to_any(Location{std::move(uri), range})});
  }
  std::vector<CodeAction> take() { return std::move(actions_); }

 private:
  std::vector<CodeAction> actions_;
};

void add_caller(ActionList& actions, const std::string& name,
                const CallHierarchyIncomingCall& call) {
  const Range& range =
      call.from_ranges.empty() ? call.from.selection_range : call.from_ranges.front();
  actions.add_place(
      fmt::format("Go to caller of {}: {}, {}", name, short_name(call.from.name), call.from.detail),
      call.from.uri, range);
}

void add_calls(ActionList& actions, const HierarchyFunction& function, const OpenView& open_view) {
  const std::string name = short_name(function.view.name_of(*function.function));
  const auto callers = incoming_calls(function, open_view);
  for (const auto& call : std::span(callers).first(std::min(callers.size(), max_calls))) {
    add_caller(actions, name, call);
  }
  const auto callees = outgoing_calls(function, open_view);
  if (!callees.empty() && !callees.front().from_ranges.empty()) {
    actions.add_place(
        fmt::format("Go to hottest call in {}: {}", name, short_name(callees.front().to.name)),
        function.view.uri, callees.front().from_ranges.front());
  }
  for (const auto& call : std::span(callees).first(std::min(callees.size(), max_calls))) {
    actions.add_place(
        fmt::format("Go to callee of {}: {}, {}", name, short_name(call.to.name), call.to.detail),
        call.to.uri, call.to.selection_range);
  }
}

// A line that defines several functions does not say which is meant: to the hottest caller of each
// other that ran.
void add_callers_of_others(ActionList& actions, const FileView& view, Position position,
                           const HierarchyFunction& found, const OpenView& open_view) {
  // Callers may have no source: a macro defines thousands of functions, of which few are tried.
  constexpr std::size_t max_tried = 16;
  std::size_t shown = 0;
  std::size_t tried = 0;
  for (const FunctionCost* other : others_of_line(view, position, found)) {
    if (shown == max_calls || tried == max_tried) break;
    if (!has_run(*other)) continue;
    ++tried;
    const auto callers = incoming_calls({view, other}, open_view);
    if (callers.empty()) continue;
    add_caller(actions, name_on_line(view, *other), callers.front());
    ++shown;
  }
}

// With the newest other run of the same program, unless a comparison is shown.
void add_comparison(ActionList& actions, const std::vector<LoadedProgram>& programs, FileTime now) {
  if (programs.front().comparison) {
    return actions.add("Stop comparing", "gprof.compare", {AnyValue()});
  }
  const std::filesystem::path executable = programs.front().snapshot->image().path();
  for (const OfferedChoice& base : offered_bases(programs, now)) {
    if (base.selection.executable != executable) continue;
    std::vector<AnyValue> profiles;
    for (const auto& profile : base.selection.profiles) {
      profiles.emplace_back(glob_of(profile));
    }
    return actions.add(fmt::format("Compare with {}", base.title), "gprof.compare",
                       {AnyValue(AnyValue::Object{{"executable", AnyValue(executable.string())},
                                                  {"profiles", AnyValue(std::move(profiles))}})});
  }
}

void add_reports(ActionList& actions, const LoadedProgram& program) {
  const auto add = [&](std::string_view what, ReportPage page) {
    actions.add(fmt::format("Show the {} of {}", what, program.name), "gprof.openReportDocument",
                {AnyValue(AnyValue::Object{{"kind", AnyValue(name_of(page))},
                                           {"program", AnyValue(program.name)}})});
  };
  add("flat profile", ReportPage::flat_profile);
  const Snapshot& snapshot = *program.snapshot;
  if (snapshot.profile().has_arcs() || snapshot.measured().known()) {
    add("call graph", ReportPage::call_graph);
  }
}

}  // namespace

bool wants_code_actions(const std::vector<std::string>& kinds) {
  return kinds.empty() || std::ranges::any_of(kinds, [](std::string_view kind) {
           return code_action_kind == kind ||
                  (code_action_kind.starts_with(kind) && code_action_kind[kind.size()] == '.');
         });
}

std::vector<CodeAction> code_actions(const FileView& view, Position position,
                                     const OpenView& open_view,
                                     const std::vector<LoadedProgram>& programs, FileTime now) {
  const auto function = function_at(view, position, open_view);
  if (!function || programs.empty()) return {};
  ActionList actions;
  add_calls(actions, *function, open_view);
  add_callers_of_others(actions, view, position, *function, open_view);
  const LoadedProgram& shown = programs.front();
  if (shown.snapshot->image().path() == view.snapshot().image().path()) {
    add_comparison(actions, programs, now);
  }
  add_reports(actions, view.program);
  return actions.take();
}

}  // namespace gprof::lsp
