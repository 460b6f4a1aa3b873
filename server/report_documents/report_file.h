// Reports as files, for editors that cannot show a text that no file has.
//
// Thread contract: any thread; the last of several that write the same report wins.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/support/expected.h"
#include "server/report_documents/report_address.h"

namespace gprof::lsp {

// Writes the text below `directory`, which is created for this user alone. There is one file for
// each program and kind of report. Errors: unreadable, with the path and the system's reason.
[[nodiscard]] Expected<std::filesystem::path> write_report_file(
    const std::filesystem::path& directory, std::string_view program, ReportPage page,
    std::string_view text);

}  // namespace gprof::lsp
