// gprof-lsp mcp: the tools of `gprof-lsp query` over the Model Context Protocol, on standard
// streams or on a port.
//
// Thread contract: for the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/cli/option_table.h"
#include "server/cli/serve/serve_options.h"

namespace gprof::lsp {

struct McpCommandOptions {
  std::vector<std::string> folders;  // empty: the current directory
  std::string configuration_file;
  bool record_in_workspace = false;
  std::vector<std::string> recorded;   // programs that may be run
  std::optional<SocketServer> listen;  // none: standard streams
  std::string token_file;
};
[[nodiscard]] CommandSyntax mcp_syntax(McpCommandOptions& options);

// Returns the exit status.
[[nodiscard]] int run_mcp(const McpCommandOptions& options);

}  // namespace gprof::lsp
