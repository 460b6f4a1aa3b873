// The file of --config: the lowest layer of the settings.
//
// Thread contract: any thread. Errors: not_found, unreadable, wrong_format.
#pragma once

#include <string>

#include "engine/support/expected.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

[[nodiscard]] Expected<SettingsLayer> read_configuration_file(const std::string& path);

}  // namespace gprof::lsp
