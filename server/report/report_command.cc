#include "server/report/report_command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/report/report.h"
#include "server/files/new_file.h"
#include "server/report/report_colors.h"
#include "server/report/report_help.h"
#include "server/report/report_options.h"
#include "server/report/report_pager.h"
#include "server/report/report_streams.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

constexpr int success_status = 0;
constexpr int failure_status = 1;
// What a shell tells of a process that SIGPIPE ended.
constexpr int broken_pipe_status = 128 + 13;

void tell(std::string_view message) {
  fmt::print(stderr, "gprof-lsp report: {}\n", on_one_line(message));
}

std::string reason(int error) { return std::system_category().message(error); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_color(ColorChoice choice, bool on_terminal) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const std::string terminal = environment("TERM");
  return on_terminal && environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb";
}

// 0, or errno, of writing to standard output.
int printed_status(int error) {
  if (error == 0) return success_status;
  if (error == EPIPE) return broken_pipe_status;
  tell(fmt::format("standard output: {}", reason(error)));
  return failure_status;
}

int print_directly(std::string_view text) {
  return printed_status(write_bytes(STDOUT_FILENO, text));
}

// A text that is coloured or paged is taken as a whole.
int print_dressed(std::string text, bool colors, bool pages) {
  if (colors) text = colored_report(text);
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

// Who reads the report. Colours are for a terminal, too, be it behind a pipe; whatever is none gets
// the very bytes.
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
    std::string text;
    TerminalText shown;
    printed.beside = report.print([&](std::string_view piece) {
      text += shown.take(piece);
      return true;
    });
    text += shown.finish();
    printed.status = print_dressed(std::move(text), audience.colors, audience.pages);
    return printed;
  }
  int error = 0;
  printed.beside = report.print([&](std::string_view piece) {
    error = write_bytes(STDOUT_FILENO, piece);
    return error == 0;
  });
  printed.status = printed_status(error);
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

int run_report(ReportOptions options) {
  if (const auto complete = complete_request(options); !complete) {
    tell(describe(complete.error()));
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
  ReportCommandLine command = parse_report_options(words);
  if (const auto* error = std::get_if<UsageError>(&command)) {
    tell(error->message);
    return failure_status;
  }
  if (std::holds_alternative<HelpRequest>(command)) return print_directly(report_help_text());
  if (std::holds_alternative<VersionRequest>(command)) {
    return print_directly(fmt::format("gprof-lsp report {}\n", GPROF_LSP_VERSION));
  }
  return run_report(std::move(*std::get_if<ReportOptions>(&command)));
}

}  // namespace gprof::lsp
