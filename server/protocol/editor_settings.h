// The settings of the editors that come with the server, which it knows no more of: rows among its
// own, in the order of the documentation. Thread contract: constants.
#pragma once

#include <span>

#include "server/protocol/setting_row.h"

namespace gprof::lsp {

[[nodiscard]] std::span<const SettingRow> annotation_settings();
[[nodiscard]] std::span<const SettingRow> server_start_settings();
[[nodiscard]] std::span<const SettingRow> recording_settings();

}  // namespace gprof::lsp
