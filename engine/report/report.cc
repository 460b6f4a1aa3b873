#include "engine/report/report.h"

#include <utility>

#include <fmt/format.h>

#include "engine/code/architecture.h"
#include "engine/object/image.h"
#include "engine/profile_files.h"
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
#include "engine/snapshot.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

Expected<std::shared_ptr<const Image>> image_of(const ReportRequest& request) {
  if (!request.view) return Image::open(request.executable);
  // Kept by its program.
  return std::shared_ptr<const Image>(request.view->program(), &request.view->image());
}

// What is printed if the command line does not say: everything there is data for, except what it
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

// GNU gprof's warning when it drops block counts that it cannot show.
void warn_of_dropped_blocks(const ReportRequest& request, const ProfileInput& input,
                            Warnings& warnings) {
  if (request.by_line || input.sum.blocks.empty()) return;
  warnings.push_back(Error{ErrorCode::unsupported,
                           "basic-block counts are left out of a report by functions; -l shows "
                           "them by lines",
                           request.profiles.front(), std::nullopt});
}

void warn_of_unknown_code(const ReportRequest& request, const Image& image, Warnings& warnings) {
  if (!request.static_calls || architecture_of(image)) return;
  warnings.push_back(
      Error{ErrorCode::unsupported,
            fmt::format("-c adds no calls: machine code of {} is not decoded", machine_name(image)),
            image.path(), std::nullopt});
}

}  // namespace

// What print() needs; incomplete if an error or the request ends the report early.
struct Report::Contents {
  explicit Contents(const ReportRequest& wanted) : request(wanted) {}

  Expected<void> prepare();
  Expected<void> join(ReportProgram& program, const GmonLayout& layout);
  void drop_what_is_joined();
  void put_in_order();
  void append_reports(TextOutput& text, PrintedBeside& beside) const;

  const ReportRequest& request;
  ReportKinds kinds;
  ProfileInput input;
  std::unique_ptr<JoinedReport> joined;  // null if nothing was joined
  GraphIndex index;
  std::vector<SymbolIndex> flat_rows;
  MappedSymbols mapped_symbols;
  Warnings warnings;
  std::vector<ReportFile> summary_files;
  std::optional<Error> failure;
  // Only file information is printed.
  bool information_alone = true;
};

Expected<void> Report::Contents::prepare() {
  TRY_ASSIGN(auto image, image_of(request));
  const GmonLayout layout = layout_of(*image);
  Expected<ReportProgram> program = ReportProgram();
  for_each_index(2, processor_count(), [&](std::size_t part) {
    if (part == 0) {
      program = open_report_program(request, image, locations_needed(request));
    } else {
      input = read_profile_input(request, *image);
    }
  });
  if (!program) return std::move(program).error();
  if (input.failure && !request.file_information) return *input.failure;
  warnings = program->warnings;
  warnings.insert(warnings.end(), input.warnings.begin(), input.warnings.end());
  if (input.failure) {
    failure = input.failure;
    return {};
  }
  if (request.kinds.empty() &&
      default_kinds(request, input).contains(ReportKind::execution_counts)) {
    // They name every function's location.
    program = open_report_program(request, image, EntryLocations::all);
    if (!program) return std::move(program).error();
  }
  warn_of_dropped_blocks(request, input, warnings);
  warn_of_unknown_code(request, *image, warnings);
  if (request.file_information && request.kinds.empty() && request.debug_topics == 0) return {};
  return join(*program, layout);
}

Expected<void> Report::Contents::join(ReportProgram& program, const GmonLayout& layout) {
  joined = join_report(request, program, input);
  if (request.kinds.contains(ReportKind::summary_file)) {
    TRY_ASSIGN(auto sidecar, make_summary_sidecar(input, warnings));
    // Before the sum: who sees that sees all.
    if (sidecar) summary_files.push_back(std::move(*sidecar));
    TRY_ASSIGN(auto file, make_summary_file(request, input.sum, *joined, layout));
    summary_files.push_back(std::move(file));
  }
  kinds = request.kinds;
  if (kinds.empty() && !request.file_information) kinds = default_kinds(request, input);
  if (auto enough = check_data_suffices(kinds, request, input); !enough) {
    failure = enough.error();
    return {};
  }
  information_alone = false;
  mapped_symbols = std::move(program.mapped_symbols);
  drop_what_is_joined();
  put_in_order();
  return {};
}

// Arcs as read are many, and only -d shows them.
void Report::Contents::drop_what_is_joined() {
  if (request.debug_topics != 0) return;
  input.sum = RawProfile();
  // Not `= {}`, which would keep the vector's memory.
  joined->arcs = std::vector<SiteArc>();
  joined->static_arcs = std::vector<SiteArc>();
}

// Entries have numbers if there is a graph, printed or not.
void Report::Contents::put_in_order() {
  const ReportData& data = joined->data;
  run_beside(
      [&] {
        if (input.has_arcs) index = GraphIndex(data);
      },
      [&] {
        if (kinds.contains(ReportKind::flat_profile)) flat_rows = flat_profile_rows(request, data);
      });
  joined->names->number_entries(index);
}

void Report::Contents::append_reports(TextOutput& text, PrintedBeside& beside) const {
  const ReportData& data = joined->data;
  const bool flat = kinds.contains(ReportKind::flat_profile);
  const bool graph = kinds.contains(ReportKind::call_graph);
  const bool counts = kinds.contains(ReportKind::execution_counts);
  const ReportNames& names = *joined->names;
  const GraphReport graph_report{request, data, index, names};
  const auto append_flat = [&] { append_flat_profile(text, request, data, names, flat_rows); };
  if (flat && !request.traditional) append_flat();
  if (graph) append_call_graph(text, graph_report);
  if (flat && request.traditional) append_flat();
  if (graph) append_name_index(text, graph_report);
  if (counts) {
    const TextOutput::Mark section = begin_report(text);
    append_execution_counts(data, request, text);
  }
  if (kinds.contains(ReportKind::annotated_source)) {
    const bool first_section = !request.file_information && !flat && !graph && !counts;
    append_annotated_sources(data, request, first_section, text, beside);
  }
  if (kinds.contains(ReportKind::function_ordering)) append_function_ordering(data, text);
  if (kinds.contains(ReportKind::file_ordering)) append_file_ordering(data, mapped_symbols, text);
}

Report::Report(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Report::~Report() = default;
Report::Report(Report&&) noexcept = default;
Report& Report::operator=(Report&&) noexcept = default;

Expected<Report> Report::prepare(const ReportRequest& request) {
  auto contents = std::make_unique<Contents>(request);
  TRY(contents->prepare());
  return Report(std::move(contents));
}

const Warnings& Report::warnings() const { return contents_->warnings; }
const std::vector<ReportFile>& Report::summary_files() const { return contents_->summary_files; }
const std::optional<Error>& Report::failure() const { return contents_->failure; }

PrintedBeside Report::print(TextSink sink, ReportRanges* ranges) const {
  PrintedBeside beside;
  TextOutput text(std::move(sink), ranges != nullptr ? &ranges->ranges : nullptr);
  if (contents_->request.file_information) append_file_information(text, contents_->input);
  if (!contents_->information_alone) {
    append_debugging(
        text, {contents_->request, contents_->input.sum, *contents_->joined, contents_->index});
    contents_->append_reports(text, beside);
    if (ranges != nullptr) {
      const auto files = contents_->joined->data.symbols.files();
      ranges->files.assign(files.begin(), files.end());
    }
  }
  text.flush();
  return beside;
}

Expected<ReportOutput> make_report(const ReportRequest& request) {
  TRY_ASSIGN(auto report, Report::prepare(request));
  ReportOutput output;
  const auto take = [&](std::string_view piece) {
    output.text += piece;
    return true;
  };
  PrintedBeside beside = report.print(take, &output.ranges);
  output.warnings = report.warnings();
  output.warnings.insert(output.warnings.end(), beside.warnings.begin(), beside.warnings.end());
  output.files = report.summary_files();
  for (ReportFile& file : beside.files) output.files.push_back(std::move(file));
  output.failure = report.failure();
  return output;
}

}  // namespace gprof
