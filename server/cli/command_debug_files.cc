#include "server/cli/command_debug_files.h"

#include <utility>

#include <fmt/format.h>

#include "server/cli/run_command.h"

namespace gprof::lsp {

CommandDebugFiles::CommandDebugFiles(std::string command)
    : command_(std::move(command)),
      servers_(std::make_shared<DebugFileServers>(DebugFileServers::environment())) {}

void CommandDebugFiles::begin(const std::string& file, std::function<void()> cancel) {
  (void)cancel;
  tell_of_command(command_, fmt::format("fetching debug information of {}", file));
}

void CommandDebugFiles::say(std::string text) { tell_of_command(command_, text); }

}  // namespace gprof::lsp
