#include "server/cli/diff/diff_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "server/cli/command_debug_files.h"
#include "server/cli/diff/diff_lines.h"
#include "server/cli/diff/diff_options.h"
#include "server/cli/diff/diff_result.h"
#include "server/cli/run_command.h"
#include "server/system/cache_directory.h"
#include "server/system/new_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr int no_result_status = 2;

struct LoadedSide {
  ComparedSide side;
  LineTimes lines;
};

// What --metric takes besides metrics of cost is no profile's.
Error without_part(Error error, const ProfilePart& part) {
  const bool of_metric = error.code == ErrorCode::invalid_argument && !part.metric.empty() &&
                         error.message.find("metric " + part.metric) != std::string::npos;
  if (of_metric) error.message += ", or self, total or calls to rank by";
  return error;
}

Expected<LoadedSide> load_side(const DiffSide& named, const DiffOptions& options,
                               const std::shared_ptr<const Program>& program) {
  AnalysisRequest request;
  request.executable = named.executable;
  for (const std::string& profile : named.profiles) request.profiles.emplace_back(profile);
  request.program = program;
  CommandDebugFiles debug_files("diff");
  request.debug_files = debug_files.search();
  Warnings warnings;
  LineTimes lines;
  const ProfilePart& part = options.part;
  auto side = read_side(request, warnings,
                        [&](const std::shared_ptr<const Snapshot>& run) {
                          if (options.lines) lines.add(*run);
                        },
                        {part.metric, part.selection});
  for (const Error& warning : warnings)
    tell_of_command("diff", fmt::format("warning: {}", describe(warning)));
  if (!side) return without_part(std::move(side).error(), part);
  return LoadedSide{*std::move(side), std::move(lines)};
}

std::string part_remark(const ProfilePart& part) {
  std::string text = "compared";
  if (!part.metric.empty()) text += fmt::format(" by {}", part.metric);
  if (part.selection.is_all()) return text;
  return fmt::format("{}, of both sides only {}", text, selection_text(part.selection, {}));
}

Expected<DiffResult> compare(const DiffOptions& options) {
  auto before = load_side(options.before, options, nullptr);
  if (!before) return std::move(before).error();
  // Runs of one build may be compared with each other.
  auto after = load_side(options.after, options, before->side.program());
  if (!after) return std::move(after).error();
  auto comparison = Comparison::make(before->side, after->side);
  if (!comparison) return std::move(comparison).error();
  DiffResult result{*std::move(comparison), options, {}, {}};
  result.remarks = comparison_remarks(result.comparison);
  if (!options.part.is_all()) {
    result.remarks.insert(result.remarks.begin(), part_remark(options.part));
  }
  if (options.lines) {
    auto lines = compare_lines(result.comparison, before->lines, after->lines, options,
                               std::make_shared<LineCache>(line_cache_directory()));
    result.lines = std::move(lines.lines);
    for (std::string& remark : lines.remarks) result.remarks.push_back(std::move(remark));
  }
  return result;
}

std::string output_of(const DiffResult& result) {
  switch (result.options.format) {
    case DiffFormat::json:
      return diff_json(result);
    case DiffFormat::sarif: {
      const std::string& root = result.options.source_root;
      std::error_code error;
      const fs::path absolute = fs::weakly_canonical(root.empty() ? "." : root, error);
      return diff_sarif(result, error ? fs::path("/").string() : absolute.string());
    }
    case DiffFormat::text:
      break;
  }
  return diff_text(result);
}

bool write_output(const std::string& text, const std::string& path) {
  if (path.empty() || path == "-") {
    const std::string shown = isatty(STDOUT_FILENO) != 0 ? for_terminal(text) : text;
    const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
    return std::fflush(stdout) == 0 && written;
  }
  auto file = NewFile::create_or_open(path);
  auto written = file ? file->write(text) : Expected<void>(file.error());
  if (written) written = file->commit();
  if (!written) tell_of_command("diff", describe(written.error()));
  return written.has_value();
}

}  // namespace

int run_diff(const DiffOptions& options) {
  const auto result = compare(options);
  if (!result) {
    tell_of_command("diff", describe(result.error()));
    return no_result_status;
  }
  if (!write_output(output_of(*result), options.output)) return no_result_status;
  return exit_status(*result);
}

}  // namespace gprof::lsp
