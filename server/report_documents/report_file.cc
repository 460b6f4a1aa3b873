#include "server/report_documents/report_file.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

// Programs of one name are distinguished by parts of their paths.
std::string as_file_name(std::string_view program) {
  std::string name(program);
  std::ranges::replace_if(
      name,
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte <= ' ' || byte == 0x7f || c == '/' || c == '\\' || c == '%';
      },
      '_');
  return name.starts_with('.') ? "_" + name : name;
}

}  // namespace

Expected<std::filesystem::path> write_report_file(const std::filesystem::path& directory,
                                                  std::string_view program, ReportPage page,
                                                  std::string_view text) {
  std::error_code failure;
  if (std::filesystem::create_directories(directory, failure)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failure);
  }
  if (failure) {
    return Error{ErrorCode::unreadable, fmt::format("cannot be created: {}", failure.message()),
                 directory.string(), std::nullopt};
  }
  auto path = directory / fmt::format("{}-{}.txt", as_file_name(program), name_of(page));
  TRY(write_whole_file(path, text));
  return path;
}

}  // namespace gprof::lsp
