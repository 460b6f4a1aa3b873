#include "engine/report/names.h"

#include <fmt/format.h>

namespace gprof {

std::string_view ReportNames::shown_path(FileIndex file) const {
  return request_.full_paths ? data_.symbols.path(file) : data_.symbols.base_name(file);
}

std::string ReportNames::function_name(const SourceSymbol& symbol) const {
  if (!request_.demangle || request_.traditional) return std::string(symbol.name);
  // Clones are named for what they are: "f(int) [.constprop.0]".
  if (request_.accurate) return demangle(symbol.name).signature;
  return demangle_like_gnu(symbol.name, *request_.demangle);
}

const std::string& ReportNames::plain(SymbolIndex symbol) const {
  std::string& name = plain_names_[symbol];
  if (name.empty()) name = make_plain(data_.symbols[symbol]);
  return name;
}

std::string ReportNames::make_plain(const SourceSymbol& symbol) const {
  std::string name = function_name(symbol);
  const bool with_place = request_.by_line || request_.inline_file_names;
  if (!with_place || symbol.file == no_source_file) return name;
  name += fmt::format(" ({}", shown_path(symbol.file));
  if (symbol.line != 0) name += fmt::format(":{}", symbol.line);
  if (request_.by_line) name += fmt::format(" @ {:x}", symbol.address.value);
  return name + ")";
}

std::string ReportNames::bracketed(std::uint32_t number, bool printed) {
  return printed ? fmt::format("[{}]", number) : fmt::format("({})", number);
}

std::string ReportNames::numbered(SymbolIndex index) const {
  std::string name = plain(index);
  const GraphNode& node = data_.graph.node(index);
  if (node.cycle != 0) name += fmt::format(" <cycle {}>", node.cycle);
  const std::uint32_t number = index_.number_of(index);
  if (number != 0) name += " " + bracketed(number, node.propagated.printed);
  return name;
}

std::string ReportNames::whole_cycle(CycleNumber cycle) const {
  return fmt::format(
      "<cycle {} as a whole> {}", cycle,
      bracketed(index_.number_of_cycle(cycle), data_.graph.cycle(cycle).propagated.printed));
}

}  // namespace gprof
