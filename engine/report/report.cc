#include "engine/report/report.h"

#include <utility>

#include "engine/report/annotated_source.h"
#include "engine/report/call_graph_report.h"
#include "engine/report/debugging.h"
#include "engine/report/execution_counts.h"
#include "engine/report/file_ordering.h"
#include "engine/report/flat_profile.h"
#include "engine/report/function_ordering.h"
#include "engine/report/layout.h"
#include "engine/report/profile_input.h"
#include "engine/report/report_join.h"
#include "engine/report/report_program.h"
#include "engine/report/summary_file.h"

namespace gprof {
namespace {

// What is printed when the command line does not say: what there is data for, less what it
// suppressed.
ReportKinds default_kinds(const ReportRequest& request, const ProfileInput& input) {
  ReportKinds kinds;
  if (input.has_samples) kinds.insert(ReportKind::flat_profile);
  if (input.has_arcs) kinds.insert(ReportKind::call_graph);
  if (kinds.empty()) kinds.insert(ReportKind::execution_counts);
  for (const ReportKind kind :
       {ReportKind::flat_profile, ReportKind::call_graph, ReportKind::execution_counts}) {
    if (request.named.contains(kind)) kinds.erase(kind);
  }
  return kinds;
}

Expected<void> check_data_suffices(ReportKinds kinds, const ReportRequest& request,
                                   const ProfileInput& input) {
  const auto missing = [&](std::string what) {
    return Error{ErrorCode::no_profile_data, std::move(what), request.profiles.front(),
                 std::nullopt};
  };
  if (kinds.contains(ReportKind::flat_profile) && !input.has_samples) {
    return missing(
        "no histogram found, which the flat profile needs; ask for the call graph alone (-q)");
  }
  if (kinds.contains(ReportKind::call_graph) && !input.has_arcs) {
    return missing(
        "no call-graph arcs found, which the call graph needs: compile with -pg, not only link "
        "with it; or ask for the flat profile alone (-p)");
  }
  return {};
}

// A warning of GNU gprof, which drops the counts of blocks where it cannot show them.
void warn_of_dropped_blocks(const ReportRequest& request, const ProfileInput& input,
                            Warnings& warnings) {
  if (request.by_line || input.sum.blocks.empty()) return;
  warnings.push_back(Error{ErrorCode::unsupported,
                           "basic-block counts are left out of a report by functions; -l shows "
                           "them by lines",
                           request.profiles.front(), std::nullopt});
}

void append_reports(ReportOutput& output, ReportKinds kinds, const ReportRequest& request,
                    const ReportData& data, const GraphIndex& index,
                    const MappedSymbols& mapped_symbols) {
  std::string& text = output.text;
  const bool flat = kinds.contains(ReportKind::flat_profile);
  const bool graph = kinds.contains(ReportKind::call_graph);
  const bool counts = kinds.contains(ReportKind::execution_counts);
  const ReportNames names(request, data, index);
  const GraphReport graph_report{request, data, index, names};
  if (flat && !request.traditional) append_flat_profile(text, request, data, names);
  if (graph) append_call_graph(text, graph_report);
  if (flat && request.traditional) append_flat_profile(text, request, data, names);
  if (graph) append_name_index(text, graph_report);
  if (counts) {
    begin_report(text);
    append_execution_counts(data, request, text);
  }
  if (kinds.contains(ReportKind::annotated_source)) {
    const bool first_section = !request.file_information && !flat && !graph && !counts;
    append_annotated_sources(data, request, first_section, output);
  }
  if (kinds.contains(ReportKind::function_ordering)) append_function_ordering(data, text);
  if (kinds.contains(ReportKind::file_ordering)) append_file_ordering(data, mapped_symbols, text);
}

}  // namespace

Expected<ReportOutput> make_report(const ReportRequest& request) {
  auto program = open_report_program(request);
  if (!program) return std::move(program).error();
  const GmonLayout layout{program->image->pointer_width(), program->image->byte_order()};
  const ProfileInput input = read_profile_input(request, layout);
  if (input.failure && !request.file_information) return *input.failure;

  ReportOutput output;
  output.warnings = program->warnings;
  output.warnings.insert(output.warnings.end(), input.warnings.begin(), input.warnings.end());
  if (request.file_information) append_file_information(output.text, input);
  if (input.failure) {
    output.failure = input.failure;
    return output;
  }

  warn_of_dropped_blocks(request, input, output.warnings);
  const bool information_alone =
      request.file_information && request.kinds.empty() && request.debug_topics == 0;
  if (information_alone) return output;

  const JoinedReport joined = join_report(request, *program, input);
  if (request.kinds.contains(ReportKind::summary_file)) {
    auto file = make_summary_file(request, input.sum, joined, layout);
    if (!file) return std::move(file).error();
    output.files.push_back(std::move(*file));
  }
  ReportKinds kinds = request.kinds;
  if (kinds.empty() && !request.file_information) kinds = default_kinds(request, input);
  if (auto enough = check_data_suffices(kinds, request, input); !enough) {
    output.failure = enough.error();
    return output;
  }

  // Entries have numbers wherever there is a graph, printed or not.
  const GraphIndex index =
      input.has_arcs ? GraphIndex(joined.data.graph, joined.data.symbols) : GraphIndex();
  append_debugging(output.text, {request, input.sum, joined, index});
  append_reports(output, kinds, request, joined.data, index, program->mapped_symbols);
  return output;
}

}  // namespace gprof
