#include "engine/report/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "engine/support/parallel.h"

namespace gprof {
namespace {

// The limit of a ShownName.
constexpr std::uint32_t longest_name = (std::uint32_t{1} << 31U) - 1;

constexpr std::string_view line_breaks = "\n\r\f\v\t";

void append_number(std::string& text, std::uint64_t number, int base) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  text.append(digits.data(), end);
}

// A name whose end is its place in the source.
[[gnu::cold]] void append_marked(TextOutput& text, std::string_view name, std::size_t place_size,
                                 Address address) {
  const std::size_t size = name.size() - place_size;
  text.append(RangeKind::function, name.substr(0, size), address.value);
  text += name.substr(size);
}

}  // namespace

std::vector<std::uint8_t> used_symbols(const ReportRequest& request, const ReportData& data,
                                       std::span<const SiteArc> arcs) {
  // If times are measured, stacks may name functions too.
  const bool all = request.show_unused || request.accurate;
  std::vector<std::uint8_t> used(data.symbols.size(), all ? 1 : 0);
  if (all) return used;
  for (SymbolIndex symbol = 0; symbol < used.size(); ++symbol) {
    if (data.samples.self[symbol] != 0) used[symbol] = 1;
  }
  for (const SiteArc& arc : arcs) {
    used[arc.callee] = 1;
    if (arc.caller != no_symbol) used[arc.caller] = 1;
  }
  return used;
}

std::string without_line_breaks(std::string name) {
  std::ranges::replace_if(
      name, [&](char letter) { return line_breaks.find(letter) != std::string_view::npos; }, '?');
  return name;
}

ReportNames::ReportNames(const ReportRequest& request, const ReportData& data,
                         std::span<const std::uint8_t> used)
    : request_(request), data_(data), shown_(data.symbols.size()) {
  made_names_.resize(part_count());
  for_each_part([&](std::size_t part, SymbolIndex symbol) {
    if (used[symbol] == 0) return;
    make_plain(data_.symbols[symbol], made_names_[part], shown_[symbol]);
  });
}

void ReportNames::number_entries(const GraphIndex& index) {
  index_ = &index;
  for_each_part([&](std::size_t /*part*/, SymbolIndex symbol) {
    const GraphNode& node = data_.graph.node(symbol);
    ShownName& shown = shown_[symbol];
    shown.printed = node.propagated.printed ? 1 : 0;
    shown.number = index.number_of(symbol);
    shown.cycle = node.cycle;
  });
}

template <typename Work>
void ReportNames::for_each_part(const Work& work) const {
  for_each_index(part_count(), processor_count(), [&](std::size_t part) {
    const std::size_t end = std::min(shown_.size(), (part + 1) * symbols_a_part);
    for (std::size_t i = part * symbols_a_part; i < end; ++i) {
      work(part, static_cast<SymbolIndex>(i));
    }
  });
}

std::string_view ReportNames::shown_path(FileIndex file) const {
  return request_.full_paths ? data_.symbols.path(file) : data_.symbols.base_name(file);
}

std::string_view ReportNames::function_name(const SourceSymbol& symbol, TextArena& made) const {
  if (!request_.demangle || request_.traditional) return symbol.name;
  // Clones are shown as such: "f(int) [.constprop.0]".
  if (request_.accurate) return made.keep(demangle(symbol.name).signature);
  const std::string_view name = data_.symbols.unprefixed_name(symbol);
  if (!can_be_mangled_for_gnu(name, *request_.demangle)) return name;
  return made.keep(demangle_like_gnu(name, *request_.demangle));
}

std::string_view ReportNames::on_its_line(std::string_view name, TextArena& made) const {
  if (!request_.one_line_names || name.find_first_of(line_breaks) == std::string_view::npos) {
    return name;
  }
  return made.keep(without_line_breaks(std::string(name)));
}

void ReportNames::make_plain(const SourceSymbol& symbol, TextArena& made, ShownName& shown) const {
  const auto show = [&](std::string_view text) {
    shown.letters = text.data();
    shown.size = static_cast<std::uint32_t>(text.size()) & longest_name;
  };
  const std::string_view name = on_its_line(function_name(symbol, made), made);
  const bool with_place = request_.by_line || request_.inline_file_names;
  if (!with_place || symbol.file == no_source_file) return show(name);
  // By hand: under -l there is one for every line of the program.
  std::string placed;
  placed += name;
  placed += " (";
  placed += shown_path(symbol.file);
  if (symbol.line != 0) append_number(placed += ':', symbol.line, 10);
  if (request_.by_line) append_number(placed += " @ ", symbol.address.value, 16);
  placed += ')';
  show(made.keep(placed));
  shown.place_size = shown.size - static_cast<std::uint32_t>(name.size());
}

void ReportNames::append_bracketed(TextOutput& text, std::uint32_t number, bool printed) {
  if (!printed) {
    text += '(';
    text.append_left(number, 0);
    text += ')';
    return;
  }
  const TextOutput::Mark mark(text, RangeKind::reference, number);
  text += '[';
  text.append_left(number, 0);
  text += ']';
}

void ReportNames::append_plain(TextOutput& text, SymbolIndex symbol) const {
  const ShownName& shown = shown_[symbol];
  // The symbol lies elsewhere in memory.
  if (text.has_ranges()) [[unlikely]] {
    append_marked(text, shown.name(), shown.place_size, data_.symbols[symbol].address);
  } else {
    text += shown.name();
  }
}

void ReportNames::append_numbered(TextOutput& text, SymbolIndex symbol) const {
  const ShownName& shown = shown_[symbol];
  append_plain(text, symbol);
  if (shown.cycle != 0) {
    text += " <cycle ";
    text.append_left(shown.cycle, 0);
    text += '>';
  }
  if (shown.number == 0) return;
  text += ' ';
  append_bracketed(text, shown.number, shown.printed != 0);
}

void ReportNames::append_whole_cycle(TextOutput& text, CycleNumber cycle) const {
  text += "<cycle ";
  text.append_left(cycle, 0);
  text += " as a whole> ";
  append_bracketed(text, index_->number_of_cycle(cycle),
                   data_.graph.cycle(cycle).propagated.printed);
}

}  // namespace gprof
