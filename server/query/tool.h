// The tools that answer an agent's questions about the profiles of a workspace. Each is described
// once, here: the command line, MCP and the documentation take names, texts and schemas from it.
//
// Ownership: tools are constants of the program; a context borrows what it refers to. Thread
// contract: tools may be asked on any thread, each with a context of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/object/debug_file.h"
#include "server/features/feature_context.h"
#include "server/loading/kept_executables.h"
#include "server/protocol/any_value.h"
#include "server/query/workspace_paths.h"

namespace gprof::lsp {

// What one question is answered from.
struct ToolContext {
  FeatureContext& features;
  const WorkspacePaths& paths;
  // What is wrong with programs and profiles, as their last load has told it; one sentence each.
  std::vector<std::string> problems;
  std::shared_ptr<KeptExecutables> executables;  // may be null
  DebugFileSearch debug_files;
  const std::atomic<bool>& cancelled;
};

struct Tool {
  std::string_view name;
  std::string_view title;        // for people
  std::string_view description;  // when to ask it, and how to read the answer
  // JSON Schemas of its arguments and its answer.
  AnyValue (*input)();
  AnyValue (*output)();
  // Null: it runs a program (recording.h). The arguments fit the schema, or the error
  // (invalid_argument) names what does not. Other errors: no_profile_data; those of loading.
  Expected<AnyValue> (*answer)(ToolContext& context, const AnyValue& arguments);

  [[nodiscard]] bool only_reads() const { return answer != nullptr; }
};

// In the order in which they are listed.
[[nodiscard]] std::span<const Tool> tools();
// Null if there is none of that name.
[[nodiscard]] const Tool* tool_named(std::string_view name);

// The first argument that is none of the schema's, or the first that is missing.
[[nodiscard]] Expected<void> check_arguments(const Tool& tool, const AnyValue& arguments);

}  // namespace gprof::lsp
