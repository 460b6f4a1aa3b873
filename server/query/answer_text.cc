#include "server/query/answer_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

// What needs no quoting for a shell.
bool is_plain(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  return !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
}

std::string shell_word(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string text_of(const AnyValue& value);

// "a 1, b 2"
std::string members_text(const AnyValue::Object& members) {
  std::string text;
  for (const auto& [name, member] : members) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, text_of(member));
  }
  return text;
}

std::string list_text(const AnyValue::Array& list, std::string_view between) {
  std::string text;
  for (const AnyValue& element : list) {
    text += (&element == list.data() ? "" : std::string(between)) + text_of(element);
  }
  return text;
}

std::string text_of(const AnyValue& value) {
  if (value.string() != nullptr) return *value.string();
  if (value.boolean() != nullptr) return *value.boolean() ? "yes" : "no";
  if (value.integer() != nullptr) return fmt::format("{}", *value.integer());
  if (const auto number = value.number()) return fmt::format("{}", *number);
  if (value.array() != nullptr) return list_text(*value.array(), " ");
  if (value.object() != nullptr) return members_text(*value.object());
  return {};
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// A list of objects: columns in the order in which members are met.
class Table {
 public:
  explicit Table(const AnyValue::Array& rows) {
    for (const AnyValue& row : rows) {
      for (const auto& [name, member] : *row.object()) {
        if (std::ranges::find(columns_, name) == columns_.end()) columns_.push_back(name);
      }
    }
    for (const AnyValue& row : rows) {
      std::vector<std::string>& cells = cells_.emplace_back();
      for (const std::string& column : columns_) {
        const AnyValue* member = row.find(column);
        cells.push_back(member == nullptr ? std::string() : cell_of(column, *member));
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t width = width_of(columns_[i]);
      for (const auto& cells : cells_) width = std::max(width, width_of(cells[i]));
      widths.push_back(width);
    }
    std::string text = line_of(columns_, widths);
    for (const auto& cells : cells_) text += line_of(cells, widths);
    return text;
  }

 private:
  static std::string cell_of(const std::string& column, const AnyValue& member) {
    if (member.array() == nullptr) return text_of(member);
    return list_text(*member.array(), column == "path" ? " > " : column == "metrics" ? ", " : " ");
  }
  static std::string line_of(const std::vector<std::string>& cells,
                             const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += "  " + cells[i] + std::string(widths[i] - width_of(cells[i]), ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    return line + '\n';
  }

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> cells_;
};

bool is_table(const AnyValue::Array& list) {
  return !list.empty() && std::ranges::all_of(list, [](const AnyValue& element) {
    return element.object() != nullptr;
  });
}

std::string suggestions_text(const AnyValue::Array& list) {
  std::string text;
  for (const AnyValue& suggestion : list) {
    const AnyValue* tool = suggestion.find("tool");
    const AnyValue* arguments = suggestion.find("arguments");
    const AnyValue* why = suggestion.find("why");
    if (tool == nullptr || arguments == nullptr || why == nullptr) continue;
    text += fmt::format("  {}: {}\n", text_of(*why), command_of(text_of(*tool), *arguments));
  }
  return text;
}

}  // namespace

std::string command_of(std::string_view tool, const AnyValue& arguments) {
  std::string command = fmt::format("gprof-lsp query {}", tool);
  if (arguments.object() == nullptr) return command;
  for (const auto& [name, value] : *arguments.object()) {
    // These are operands.
    const bool is_operand = name == "function" || name == "file" || name == "before";
    std::string option = name;
    std::ranges::replace(option, '_', '-');
    command += is_operand ? " " + shell_word(text_of(value))
                          : fmt::format(" --{}={}", option, shell_word(text_of(value)));
  }
  return command;
}

std::string answer_text(const AnyValue& answer) {
  std::string text;
  for (const auto& [name, member] : *answer.object()) {
    const AnyValue::Array* list = member.array();
    if (list == nullptr) {
      text += fmt::format("{}: {}\n", name, text_of(member));
    } else if (name == "next") {
      text += fmt::format("next:\n{}", suggestions_text(*list));
    } else if (is_table(*list)) {
      text += fmt::format("{}:\n{}", name, Table(*list).text());
    } else if (!list->empty()) {
      text += fmt::format("{}:\n", name);
      for (const AnyValue& element : *list) text += fmt::format("  {}\n", text_of(element));
    }
  }
  return text;
}

}  // namespace gprof::lsp
