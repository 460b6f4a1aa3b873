#include "server/features/view_details.h"

#include <fmt/format.h>

namespace gprof::lsp {

void write_view_details(MarkupWriter& out, const LoadedProgram& program) {
  if (!program.view) return;
  const ProgramView& view = *program.view;
  std::string text;
  if (!view.selection_text.empty()) {
    text = fmt::format("Selected: {}.", out.link(view.selection_text, ""));
  }
  if (view.selection.is_of_time()) {
    text +=
        " Calls are not shown: they have no time, so none can be said to be in a stretch of it.";
  }
  if (view.base_left_out) {
    text += fmt::format(
        "{}Nothing is compared with the base, which is of a whole profile by its first "
        "metric.",
        text.empty() ? "" : " ");
  }
  if (!text.empty()) out.composed_paragraph(text);
}

}  // namespace gprof::lsp
