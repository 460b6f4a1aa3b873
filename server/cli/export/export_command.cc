#include "server/cli/export/export_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/analysis.h"
#include "server/cli/command_debug_files.h"
#include "server/cli/run_command.h"
#include "server/export/export.h"
#include "server/system/new_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

void say(std::string_view message) { tell_of_command("export", message); }

int fail(const Error& error) {
  say(describe(error));
  return failure_status;
}

// A terminal is shown the text; everything else gets its bytes.
class StandardOutput {
 public:
  Expected<void> write(std::string_view bytes) {
    return put(is_terminal_ ? std::string_view(shown_ = text_.take(bytes)) : bytes);
  }
  Expected<void> finish() { return put(text_.finish()); }
  // 0, or errno.
  [[nodiscard]] int error() const { return error_; }

 private:
  Expected<void> put(std::string_view bytes) {
    error_ = write_bytes(STDOUT_FILENO, bytes);
    if (error_ == 0) return {};
    return Error{ErrorCode::unreadable, std::system_category().message(error_), "standard output",
                 std::nullopt};
  }

  bool is_terminal_ = isatty(STDOUT_FILENO) != 0;
  TerminalText text_;
  std::string shown_;
  int error_ = 0;
};

int print(const std::shared_ptr<const Snapshot>& snapshot, const ExportRequest& request) {
  StandardOutput standard_output;
  ExportOutput output([&](std::string_view bytes) { return standard_output.write(bytes); });
  auto written = write_export(snapshot, request, output);
  if (written) written = standard_output.finish();
  if (written) return success_status;
  return standard_output.error() != 0 ? printed_status("export", standard_output.error())
                                      : fail(written.error());
}

// The files that the export is made of must not become it.
bool is_input(const ExportOptions& options, const fs::path& path) {
  std::error_code error;
  if (fs::equivalent(path, options.executable, error) && !error) return true;
  return std::ranges::any_of(options.profiles, [&](const std::string& profile) {
    std::error_code other;
    return fs::equivalent(path, profile, other) && !other;
  });
}

int write_file(const std::shared_ptr<const Snapshot>& snapshot, const ExportOptions& options) {
  if (is_input(options, options.output)) {
    say(fmt::format("{}: is one of the files that are read; choose another name", options.output));
    return failure_status;
  }
  auto file = NewFile::create_or_open(options.output);
  if (!file) return fail(file.error());
  ExportOutput output([&](std::string_view bytes) { return file->write(bytes); });
  if (auto written = write_export(snapshot, options.request, output); !written) {
    return fail(written.error());
  }
  if (auto done = file->commit(); !done) return fail(done.error());
  return success_status;
}

}  // namespace

int run_export(const ExportOptions& options) {
  if (options.output.empty() && is_binary(options.request.format) && isatty(STDOUT_FILENO) != 0) {
    say(fmt::format("{} is binary and standard output is a terminal; name a file with -o",
                    export_format_name(options.request.format)));
    return usage_status;
  }
  AnalysisRequest request;
  request.executable = options.executable;
  request.profiles.assign(options.profiles.begin(), options.profiles.end());
  CommandDebugFiles debug_files("export");
  request.debug_files = debug_files.search();
  const auto snapshot = analyse(request);
  if (!snapshot) return fail(snapshot.error());
  for (const Error& warning : (*snapshot)->warnings()) {
    say(fmt::format("warning: {}", describe(warning)));
  }
  const auto part = part_of(*snapshot, options.part);
  if (!part) {
    say(describe(part.error()));
    return status_of(part.error(), usage_status, failure_status);
  }
  return options.output.empty() ? print(*part, options.request) : write_file(*part, options);
}

}  // namespace gprof::lsp
