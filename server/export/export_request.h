// What can be exported, and how the command line and editors request it.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/commands.h"
#include "server/protocol/setting_values.h"

namespace gprof::lsp {

struct ExportRequest {
  ExportFormat format = ExportFormat::callgrind;
  ExportTable table = ExportTable::functions;
  bool demangle = true;
  std::vector<DerivedSetting> derived;  // metrics that json tells besides those of the profile
  // The smallest share of the whole that dot and estimated stacks include; none: the format's
  // default.
  std::optional<double> threshold;
};

[[nodiscard]] std::string_view export_format_name(ExportFormat format);
// "callgrind, csv, …", for messages.
[[nodiscard]] std::string export_format_names();
// Whether the format is not text.
[[nodiscard]] bool is_binary(ExportFormat format);

}  // namespace gprof::lsp
