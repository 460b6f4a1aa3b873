// What the server tells agents about itself, and its prompts.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gprof::lsp {

// Guidance for the model: how the tools go together, and how figures are read.
[[nodiscard]] std::string_view agent_instructions();

struct AgentPrompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view text;  // {program}: the argument, or "the program"
};
[[nodiscard]] std::span<const AgentPrompt> agent_prompts();

}  // namespace gprof::lsp
