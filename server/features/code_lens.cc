#include "server/features/code_lens.h"

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

// What the compiler made without being asked (a destructor) stands on a line without its name.
std::string unnamed_prefix(const FileView& view, const FunctionCost& function) {
  const auto line = view.text_line(function.declaration.line);
  const std::string_view name = last_component(function.name);
  if (!line || !name.starts_with('~')) return {};
  return find_word(view.text->line(*line), name) == std::string_view::npos
             ? std::string(name) + ": "
             : std::string();
}

// A lambda that was inlined and took no time has nothing to say above the line it shares with the
// call that it is an argument of.
bool is_silent_lambda(const FunctionCost& function) {
  return function.counting == CallCounting::only_inlined && function.inlined_self <= 0 &&
         function.name.find("{lambda") != std::string::npos;
}

Command show_callers(const FileView& view, const FunctionCost& function, Position position) {
  Command command;
  command.title = unnamed_prefix(view, function) + lens_text(view, function);
  command.command = show_callers_command;
  command.arguments = {
      AnyValue(AnyValue::Object{{"uri", AnyValue(view.uri)}, {"position", to_any(position)}})};
  return command;
}

}  // namespace

std::vector<CodeLens> code_lenses(const FileView& view) {
  std::vector<CodeLens> lenses;
  for (const FunctionCost& function : view.costs->functions) {
    const auto range = name_range(view, function);
    if (!range || !view.is_trusted(function) || is_silent_lambda(function)) continue;
    lenses.push_back({*range, show_callers(view, function, range->start)});
  }
  return lenses;
}

}  // namespace gprof::lsp
