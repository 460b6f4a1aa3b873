#include "server/features/code_lens.h"

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

Command show_callers(const FileView& view, const FunctionCost& function, Position position) {
  Command command;
  command.title = lens_text(view, function);
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
    if (!range || !view.is_trusted(function)) continue;
    lenses.push_back({*range, show_callers(view, function, range->start)});
  }
  return lenses;
}

}  // namespace gprof::lsp
