// What can be exported, and how it is asked for: by the command line and by an editor alike.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/protocol/commands.h"

namespace gprof::lsp {

struct ExportRequest {
  ExportFormat format = ExportFormat::callgrind;
  ExportTable table = ExportTable::functions;
  bool demangle = true;
  // The share of the whole from which on something is told, of dot and of estimated stacks; none:
  // what suits the format.
  std::optional<double> threshold;
};

[[nodiscard]] std::optional<ExportFormat> parse_export_format(std::string_view name);
[[nodiscard]] std::string_view export_format_name(ExportFormat format);
// "callgrind, csv, …", for messages.
[[nodiscard]] std::string export_format_names();
[[nodiscard]] std::optional<ExportTable> parse_export_table(std::string_view name);
// Whether its bytes are no text.
[[nodiscard]] bool is_binary(ExportFormat format);

}  // namespace gprof::lsp
