#include "server/protocol/json_reader.h"

#include <cmath>

#include <fmt/format.h>

namespace gprof::lsp {
void ReadContext::fail(std::string_view expected) {
  if (problem_) return;
  std::string path;
  for (const std::string& part : path_) path += part;
  problem_ = fmt::format("{}: expected {}", path, expected);
}

void ReadContext::enter(std::string_view name) {
  path_.push_back(path_.empty() ? std::string(name) : fmt::format(".{}", name));
}

void ReadContext::enter(std::size_t index) { path_.push_back(fmt::format("[{}]", index)); }

void ReadContext::leave() { path_.pop_back(); }

std::optional<std::int64_t> whole_number(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (!json.is_number_float()) return {};
  const double value = json.get<double>();
  // Past 2^53 a double no longer says which integer is meant.
  if (std::trunc(value) != value || std::abs(value) > 9007199254740992.0) return {};
  return static_cast<std::int64_t>(value);
}

const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::int64_t read_integer(const Json& json, std::int64_t least, std::int64_t most,
                          ReadContext& context) {
  const auto number = whole_number(json);
  if (number && *number >= least && *number <= most) return *number;
  context.fail(fmt::format("an integer from {} to {}", least, most));
  return 0;
}

void read_json(const Json& json, bool& out, ReadContext& context) {
  if (!json.is_boolean()) return context.fail("true or false");
  out = json.get<bool>();
}

void read_json(const Json& json, std::int64_t& out, ReadContext& context) {
  const auto number = whole_number(json);
  if (!number) return context.fail("an integer");
  out = *number;
}

void read_json(const Json& json, double& out, ReadContext& context) {
  if (!json.is_number()) return context.fail("a number");
  out = json.get<double>();
}

void read_json(const Json& json, std::string& out, ReadContext& context) {
  if (!json.is_string()) return context.fail("a string");
  out = json.get_ref<const std::string&>();
}

}  // namespace gprof::lsp
