// The protocol's structures and their JSON: read_as<T>(json, "params") reads what clients send,
// written_text(value) is the text of what the server sends. Both follow the structures'
// descriptions (description.h); declared here are the few types that are not objects, or that take
// several forms.
//
// read_json keeps the first problem in the context; writing cannot fail.
// Thread contract: pure functions.
#pragma once

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/commands.h"
#include "server/protocol/diagnostics.h"
#include "server/protocol/documents.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/extension_requests.h"
#include "server/protocol/extensions.h"
#include "server/protocol/features.h"
#include "server/protocol/graph_answers.h"
#include "server/protocol/json_reader.h"
#include "server/protocol/json_text.h"
#include "server/protocol/lifecycle.h"
#include "server/protocol/message_writer.h"
#include "server/protocol/metric_messages.h"
#include "server/protocol/reports.h"
#include "server/protocol/response_error.h"
#include "server/protocol/settings.h"
#include "server/protocol/window.h"

namespace gprof::lsp {

inline void read_json(const Json&, Nothing&, ReadContext&) {}
inline void read_json(const Json&, ProgramsParams&, ReadContext&) {}
inline void read_json(const Json&, IdleParams&, ReadContext&) {}
void read_json(const Json& json, AnyValue& out, ReadContext& context);
void read_json(const Json& json, ThreadChoice& out, ReadContext& context);
void read_json(const Json& json, MarkupContent& out, ReadContext& context);
void read_json(const Json& json, ClientCapabilities& out, ReadContext& context);
void read_json(const Json& json, InitializationOptions& out, ReadContext& context);
void read_json(const Json& json, ShowMessageChoice& out, ReadContext& context);
void read_json(const Json& json, ConfigurationResult& out, ReadContext& context);
void read_json(const Json& json, DidChangeConfigurationParams& out, ReadContext& context);
// Never fails: the layer's problems name what is wrong. `json` is the section's value; null
// is an empty layer.
void read_json(const Json& json, SettingsLayer& out, ReadContext& context);

// The written text as a tree of values: for small messages whose members are needed.
template <typename T>
[[nodiscard]] Json write_json(const T& value) {
  return Json::parse(written_text(value), nullptr, false);
}

}  // namespace gprof::lsp
