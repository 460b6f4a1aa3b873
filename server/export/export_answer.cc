#include "server/export/export_answer.h"

#include <utility>

#include <fmt/format.h>

#include "server/export/export.h"
#include "server/export/export_file.h"
#include "server/features/named_program.h"
#include "server/protocol/uri.h"
#include "server/report_documents/report_pages.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_text_bytes = std::size_t{32} << 20U;

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

Expected<ExportRequest> request_of(const ExportArgument& params, const ClientSettings& settings) {
  ExportRequest request;
  request.format = params.format;
  request.demangle = settings.demangle;
  request.derived = settings.derived;
  if (params.table && params.format != ExportFormat::csv) {
    return invalid("table: expected the format csv");
  }
  if (params.table) request.table = *params.table;
  if (is_binary(params.format) && !params.path) {
    return invalid(
        fmt::format("format {} is binary: expected a path to write it to", name_of(params.format)));
  }
  return request;
}

Expected<AnyValue> text_of(const std::shared_ptr<const Snapshot>& snapshot,
                           const ExportRequest& request) {
  std::string text;
  ExportOutput output([&](std::string_view piece) -> Expected<void> {
    if (text.size() + piece.size() > most_text_bytes) {
      return Error{ErrorCode::unsupported,
                   fmt::format("the export is larger than the {} MiB of an answer; name a path to "
                               "write it to",
                               most_text_bytes >> 20U),
                   {},
                   std::nullopt};
    }
    text += piece;
    return {};
  });
  if (auto written = write_export(snapshot, request, output); !written) return written.error();
  return to_any(ExportedText{std::move(text)});
}

Expected<AnyValue> file_of(const std::shared_ptr<const Snapshot>& snapshot,
                           const ExportRequest& request, const std::string& path,
                           const std::vector<std::filesystem::path>& folders) {
  const auto target = workspace_target(path, folders, request.format);
  if (!target) return target.error();
  auto file = NewFile::create(*target);
  if (!file) return file.error();
  ExportOutput output([&](std::string_view piece) { return file->write(piece); });
  if (auto written = write_export(snapshot, request, output); !written) return written.error();
  if (auto done = file->commit(); !done) return done.error();
  return to_any(ExportedFile{uri_from_path(*target)});
}

Expected<AnyValue> made_export(const FeatureContext& context, const ExportArgument& params,
                               const std::vector<std::filesystem::path>& folders) {
  const auto request = request_of(params, context.settings);
  if (!request) return request.error();
  const auto program = required_program(context.views.programs(), params.program);
  if (!program) return program.error();
  const std::shared_ptr<const Snapshot>& snapshot = (*program)->snapshot;
  return params.path ? file_of(snapshot, *request, *params.path, folders)
                     : text_of(snapshot, *request);
}

}  // namespace

Outcome<AnyValue> export_for_editor(const FeatureContext& context, const ExportArgument& params,
                                    const std::vector<std::filesystem::path>& folders) {
  auto made = made_export(context, params, folders);
  if (!made) return response_error(made.error());
  return std::move(*made);
}

}  // namespace gprof::lsp
