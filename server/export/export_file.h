// The file that an export goes to: whole under its name, or not there; and which files an editor's
// request may write.
//
// Ownership: an ExportFile owns its descriptor and, until commit(), the file beside the target,
// which it removes. Thread contract: one thread. Errors: unreadable, with the system's reason.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "server/export/export_request.h"

namespace gprof::lsp {

class ExportFile {
 public:
  // A link's target is replaced, not the link; a device or a pipe is written to as such.
  static Expected<ExportFile> create(const std::filesystem::path& target);
  ExportFile(ExportFile&& other) noexcept;
  ExportFile& operator=(ExportFile&&) = delete;
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;
  ~ExportFile();

  [[nodiscard]] Expected<void> write(std::string_view bytes);
  // Puts it under its name.
  [[nodiscard]] Expected<void> commit();

 private:
  ExportFile(std::filesystem::path target, std::filesystem::path beside, int descriptor)
      : target_(std::move(target)), beside_(std::move(beside)), descriptor_(descriptor) {}

  std::filesystem::path target_;
  std::filesystem::path beside_;  // empty where it is written to in place, and after commit()
  int descriptor_ = -1;
};

// Where an editor's export of that format goes: `wanted`, a path or a file URI, relative ones to
// the first of the folders. Errors (invalid_argument): it is not below a folder of the workspace,
// its own folder is not there, or something stands there that is no export of this format: a
// directory, a link, a source, an executable.
[[nodiscard]] Expected<std::filesystem::path> workspace_target(
    std::string_view wanted, const std::vector<std::filesystem::path>& folders,
    ExportFormat format);

}  // namespace gprof::lsp
