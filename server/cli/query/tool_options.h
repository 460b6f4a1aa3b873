// A tool's arguments as options of a command line, made from the tool's schema.
//
// Ownership: rows refer to this object, which must outlive them. Thread contract: one thread.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "server/cli/option_table.h"
#include "server/protocol/any_value.h"
#include "server/query/tool.h"

namespace gprof::lsp {

class ToolOptions {
 public:
  explicit ToolOptions(const Tool& tool);
  ToolOptions(const ToolOptions&) = delete;
  ToolOptions& operator=(const ToolOptions&) = delete;

  // One for each argument: max_tokens is --max-tokens.
  [[nodiscard]] std::vector<OptionRow> rows();
  // Takes the operands for the first argument that is required.
  [[nodiscard]] Expected<void> take_operands(std::span<const std::string_view> words);
  // "FUNCTION", "COMMAND..."; empty without such an argument.
  [[nodiscard]] const std::string& operand_usage() const { return operand_usage_; }
  // What was given.
  [[nodiscard]] AnyValue arguments() const { return AnyValue(given_); }

 private:
  [[nodiscard]] OptionRow row_of(const std::string& name, const AnyValue& schema);
  [[nodiscard]] OptionValue value_of(const std::string& name, const AnyValue& schema);
  void give(const std::string& name, AnyValue value);
  void add(const std::string& name, AnyValue element);
  [[nodiscard]] std::string_view kept(std::string text);

  const AnyValue schema_;
  std::string operand_;  // the name of that argument
  bool takes_many_ = false;
  std::string operand_usage_;
  AnyValue::Object given_;
  std::deque<std::string> texts_;
};

}  // namespace gprof::lsp
