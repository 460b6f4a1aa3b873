#include "server/cli/report/report_view.h"

#include <algorithm>
#include <utility>

#include "engine/analysis.h"
#include "engine/profile_files.h"

namespace gprof::lsp {
namespace {

// Whether all profiles are other tools', which only the editor's figures can be of.
bool are_imported(const ReportRequest& request) {
  return std::ranges::all_of(request.profiles, [&](const std::string& profile) {
    return !request.streams.contains(profile) && is_imported_profile(profile);
  });
}

Expected<void> check_part(const ReportRequest& request, bool imported) {
  if (!request.accurate && !imported) {
    return usage_error(
        "--metric, --thread, --process and --time=FROM..TO need --accurate: GNU gprof's figures "
        "are of whole profiles");
  }
  if (!request.streams.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "a stream is read as a whole; write it to a file to report a part of it",
                 request.streams.begin()->first, std::nullopt};
  }
  if (request.file_information || request.kinds.contains(ReportKind::summary_file)) {
    return usage_error(
        "-i/--file-info and -s/--sum are about whole gmon files, not about a part of them or other "
        "tools' profiles");
  }
  return {};
}

}  // namespace

Expected<void> add_view(ReportOptions& options, const DebugFileSearch& debug_files) {
  ReportRequest& request = options.request;
  const bool whole = options.part.is_all();
  if (whole && !request.accurate && request.profiles.empty()) return {};
  const bool imported = are_imported(request);
  if (whole && !imported) return {};
  if (auto good = check_part(request, imported); !good) return good;
  request.debug_files = debug_files;
  AnalysisRequest analysis;
  analysis.executable = request.executable;
  analysis.profiles.assign(request.profiles.begin(), request.profiles.end());
  analysis.debug_files = request.debug_files;
  auto snapshot = analyse(analysis);
  if (!snapshot) return std::move(snapshot).error();
  auto part = part_of(*snapshot, options.part);
  if (!part) return std::move(part).error();
  request.view = *std::move(part);
  request.accurate = true;
  return {};
}

}  // namespace gprof::lsp
