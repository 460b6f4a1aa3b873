#include "server/export/export_file.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "engine/support/input_file.h"
#include "server/export/csv_writer.h"
#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

Error refusal(const fs::path& path, std::string reason) {
  return {ErrorCode::invalid_argument, std::move(reason), path.string(), std::nullopt};
}

// The first bytes of a file, enough to recognise an export.
std::string beginning_of(const fs::path& path) {
  constexpr std::uint64_t enough = 4096;
  const auto file = InputFile::open(path);
  const auto bytes = file ? file->read_at(0, std::min(enough, file->size()))
                          : Expected<std::vector<std::byte>>(file.error());
  if (!bytes) return "";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// "name;name 12": every complete line ends in a number, and one has a call.
bool is_folded(std::string_view text) {
  bool any_call = false;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size()) return false;
    if (line.find_first_not_of("0123456789", space + 1) != std::string_view::npos) return false;
    any_call = any_call || line.find(';') != std::string_view::npos;
    text.remove_prefix(end + 1);
  }
  return any_call;
}

bool is_csv(std::string_view text) {
  return std::ranges::any_of(
      std::array{ExportTable::functions, ExportTable::arcs, ExportTable::lines},
      [&](ExportTable table) { return text.starts_with(csv_columns(table)); });
}

bool is_export(std::string_view text, ExportFormat format) {
  switch (format) {
    case ExportFormat::callgrind:
      return text.starts_with("# callgrind format\n");
    case ExportFormat::csv:
      return is_csv(text);
    case ExportFormat::dot:
      return text.starts_with("digraph \"gprof-lsp ");
    case ExportFormat::folded:
      return is_folded(text);
    case ExportFormat::json:
      return text.starts_with("{\n\"exporter\":\"gprof-lsp ");
    case ExportFormat::pprof:
      return text.starts_with("\x1f\x8b");
    case ExportFormat::speedscope:
      return text.starts_with(R"({"$schema":"https://www.speedscope.app/)");
  }
  return false;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, other] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

}  // namespace

Expected<fs::path> workspace_target(std::string_view wanted, const std::vector<fs::path>& folders,
                                    ExportFormat format) {
  fs::path path = path_from_uri(wanted).value_or(fs::path(std::string(wanted)));
  if (folders.empty()) {
    return refusal(path, "there is no workspace folder that an export could be written to");
  }
  if (path.is_relative()) path = folders.front() / path;
  std::error_code error;
  const fs::path parent = fs::canonical(path.parent_path(), error);
  if (error || path.filename().empty() || path.filename() == "." || path.filename() == "..") {
    return refusal(path, "expected a file in a folder that is there");
  }
  path = parent / path.filename();
  const bool is_inside = std::ranges::any_of(folders, [&](const fs::path& folder) {
    std::error_code unresolved;
    const fs::path real = fs::canonical(folder, unresolved);
    return !unresolved && is_below(parent, real);
  });
  if (!is_inside) return refusal(path, "expected a file in a folder of the workspace");
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return path;
  if (!fs::is_regular_file(status)) {
    return refusal(path, "something that is no regular file has this name; choose another one");
  }
  if (!is_export(beginning_of(path), format)) {
    return refusal(path, fmt::format("the file is there and is no {} export; it is not replaced: "
                                     "remove it, or choose another name",
                                     export_format_name(format)));
  }
  return path;
}

}  // namespace gprof::lsp
