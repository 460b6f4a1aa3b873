#include "server/cli/report/report_command.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/report/report.h"
#include "server/cli/command_debug_files.h"
#include "server/cli/report/argument_files.h"
#include "server/cli/report/report_colors.h"
#include "server/cli/report/report_options.h"
#include "server/cli/report/report_pager.h"
#include "server/cli/report/report_streams.h"
#include "server/cli/report/report_view.h"
#include "server/cli/run_command.h"
#include "server/report_documents/report_text.h"
#include "server/system/new_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

void tell(std::string_view message) { tell_of_command("report", message); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_color(ColorChoice choice, bool on_terminal) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const std::string terminal = environment("TERM");
  return on_terminal && environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb";
}

int print_directly(std::string_view text) {
  return printed_status("report", write_bytes(STDOUT_FILENO, text));
}

int print_paged(std::string_view text, bool pages) {
  if (pages && !text.empty()) {
    const auto pager = pager_command();
    if (pager && show_paged(text, *pager)) return success_status;
  }
  return print_directly(text);
}

struct Printed {
  int status = success_status;
  PrintedBeside beside;
};

// Who reads the report. Asking for colours means a terminal, even behind a pipe; anything else gets
// the exact bytes.
struct Audience {
  bool is_terminal = false;
  bool colors = false;
  bool pages = false;
};

Audience audience_of(const ReportOptions& options) {
  const bool on_terminal = isatty(STDOUT_FILENO) != 0;
  const bool colors = wants_color(options.color, on_terminal);
  return {on_terminal || colors, colors, on_terminal && options.pager};
}

Printed print_report(const Report& report, const Audience& audience) {
  Printed printed;
  if (audience.is_terminal) {
    // Colours and pages need the whole text.
    std::string text;
    ReportRanges parts;
    const auto take = [&](std::string_view piece) {
      text += piece;
      return true;
    };
    printed.beside = report.print(take, audience.colors ? &parts : nullptr);
    text = shown_text(text, parts.ranges, for_terminal);
    if (audience.colors) text = colored_report(text, parts.ranges);
    printed.status = print_paged(text, audience.pages);
    return printed;
  }
  int error = 0;
  printed.beside = report.print([&](std::string_view piece) {
    error = write_bytes(STDOUT_FILENO, piece);
    return error == 0;
  });
  printed.status = printed_status("report", error);
  return printed;
}

Expected<void> complete_request(ReportOptions& options) {
  if (const char* path = std::getenv("GPROF_PATH")) {
    for (std::string& directory : split_directories(path)) {
      options.request.source_directories.push_back(std::move(directory));
    }
  }
  return read_streams(options);
}

bool wrote(const ReportFile& file) {
  const auto written = write_whole_file(file.path, file.contents);
  if (!written) tell(describe(written.error()));
  return written.has_value();
}

int report(const ReportOptions& given) {
  ReportOptions options = given;
  if (const auto complete = complete_request(options); !complete) {
    tell(describe(complete.error()));
    return failure_status;
  }
  CommandDebugFiles debug_files("report");
  // GNU gprof's own figures are made of what it looks at itself.
  if (options.request.accurate) options.request.debug_files = debug_files.search();
  if (const auto viewed = add_view(options, debug_files.search()); !viewed) {
    tell(describe(viewed.error()));
    return failure_status;
  }
  const Audience audience = audience_of(options);
  options.request.one_line_names = audience.is_terminal;
  const auto report = Report::prepare(options.request);
  if (!report) {
    tell(describe(report.error()));
    return failure_status;
  }
  for (const Error& warning : report->warnings()) tell(describe(warning));
  for (const ReportFile& file : report->summary_files()) {
    if (!wrote(file)) return failure_status;
  }
  const Printed printed = print_report(*report, audience);
  for (const Error& warning : printed.beside.warnings) tell(describe(warning));
  for (const ReportFile& file : printed.beside.files) wrote(file);
  if (!report->failure()) return printed.status;
  tell(describe(*report->failure()));
  return failure_status;
}

}  // namespace

int run_report(std::span<const std::string_view> words) {
  const auto expanded = expand_files(words);
  if (!expanded) {
    tell(expanded.error().message);
    return failure_status;
  }
  const std::vector<std::string_view> all(expanded->begin(), expanded->end());
  return run_command(report_syntax, report, all);
}

}  // namespace gprof::lsp
