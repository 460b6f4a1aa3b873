#include "server/features/call_hierarchy.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/line_functions.h"
#include "server/text/number_text.h"
#include "server/text/source_names.h"

namespace gprof::lsp {
namespace {

// As lenses by default.
constexpr double told_share_of_waits = 0.005;

// Only the hottest are shown: each may be in a different file, which must be opened.
constexpr std::size_t most_neighbours = 256;
// Editors ask which of several is meant, or show all.
constexpr std::size_t max_items = 16;

// A caller or callee as declared in the source: instances of one definition are one item.
struct Neighbour {
  HierarchyFunction place;
  RelatedFunction sum;
  std::vector<SymbolIndex> symbols;
};

std::vector<Neighbour> neighbours(const HierarchyFunction& function,
                                  const std::vector<RelatedFunction>& related,
                                  const OpenView& open_view) {
  std::vector<Neighbour> found;
  std::map<const FunctionCost*, std::size_t> index_of;
  for (const RelatedFunction& other : related) {
    if (other.symbol == no_symbol) continue;
    if (found.size() == most_neighbours) break;
    auto place = function_of_symbol(function.view.sources(), other.symbol, open_view);
    if (!place) continue;
    const auto [entry, inserted] = index_of.try_emplace(place->function, found.size());
    if (inserted) found.push_back({std::move(*place), RelatedFunction(), {}});
    Neighbour& neighbour = found[entry->second];
    neighbour.symbols.push_back(other.symbol);
    neighbour.sum.count += other.count;
    neighbour.sum.self_share += other.self_share;
    neighbour.sum.children_share += other.children_share;
    neighbour.sum.same_cycle = neighbour.sum.same_cycle || other.same_cycle;
    neighbour.sum.error += other.error;
  }
  // Instances of one definition may not be adjacent.
  std::stable_sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.sum.share() != b.sum.share() ? a.sum.share() > b.sum.share()
                                          : a.sum.count > b.sum.count;
  });
  return found;
}

Range range_from_indent(const FileView& view, LineNumber text_line) {
  const std::string_view text = view.text->line(text_line);
  const std::size_t indent = text.find_first_not_of(" \t");
  const std::size_t start = view.text->lines().start(text_line - 1);
  return {view.text->position_of(start + (indent == std::string_view::npos ? 0 : indent)),
          view.text->end_of_line(text_line)};
}

struct TimedRange {
  Range range;
  Ticks ticks = 0;  // as far as it was measured by call
};

// Where in `caller`'s file the symbols of `caller` call those of `callee`: the callee's name if it
// is on the line, else the line. Most time first, then by line.
std::vector<TimedRange> call_ranges(const HierarchyFunction& caller, const FunctionCost& callee) {
  const FileView& view = caller.view;
  std::map<LineNumber, TimedRange> ranges;
  for (const SymbolIndex from : caller.function->symbols) {
    for (const SymbolIndex to : callee.symbols) {
      for (const CallLocation& call : view.snapshot().source_index().call_locations(from, to)) {
        if (call.location.file != view.costs->file) continue;
        const auto line = view.text_line(call.location.line);
        if (!line || *line > view.text->line_count()) continue;
        const std::string_view text = view.text->line(*line);
        const std::string_view name = last_component(callee.name);
        const std::size_t column = find_word(text, name);
        if (column == std::string_view::npos) {
          // The text has changed: no call of this function can be shown in it.
          if (!view.is_current(*line)) continue;
          ranges[*line].range = range_from_indent(view, *line);
        } else {
          const std::size_t start = view.text->lines().start(*line - 1) + column;
          ranges[*line].range = {view.text->position_of(start),
                                 view.text->position_of(start + name.size())};
        }
        ranges[*line].ticks += call.measured;
      }
    }
  }
  std::vector<TimedRange> sorted;
  sorted.reserve(ranges.size());
  for (const auto& [line, range] : ranges) sorted.push_back(range);
  std::ranges::stable_sort(sorted, std::greater(), &TimedRange::ticks);
  return sorted;
}

std::vector<Range> without_times(const std::vector<TimedRange>& timed) {
  std::vector<Range> ranges;
  ranges.reserve(timed.size());
  for (const TimedRange& one : timed) ranges.push_back(one.range);
  return ranges;
}

struct TimedIncomingCall {
  CallHierarchyItem from;
  std::vector<TimedRange> ranges;
  Ticks ticks = 0;  // of all the caller's calls
};

// `word` is the one at the position: finding a name may take a search.
const FunctionCost* function_named_at(const FileView& view, Position position,
                                      std::string_view word) {
  if (word.empty()) return nullptr;
  for (const FunctionCost& function : view.costs->functions) {
    if (last_component(function.name).find(word) == std::string_view::npos) continue;
    const auto range = name_range(view, function);
    if (range && range->start <= position && position <= range->end) return &function;
  }
  return nullptr;
}

bool is_at_name(const FileView& view, const FunctionCost& function, Position position) {
  const auto range = name_range(view, function);
  return range && range->start < range->end && range->start <= position && position <= range->end;
}

// Of the functions defined on a line of the build: the one with that name, or whose name is at the
// position.
const FunctionCost* function_defined_at(const FileView& view, LineNumber build_line,
                                        Position position, std::string_view name) {
  const FunctionCost* at_position = nullptr;
  for (const FunctionCost& function : view.costs->functions_declared_at(build_line)) {
    if (function.name == name) return &function;
    if (at_position == nullptr && is_at_name(view, function, position)) at_position = &function;
  }
  return at_position;
}

// "1 call", "300 of 1,200 calls".
std::string part_of_calls(std::uint64_t count, std::uint64_t all_calls) {
  if (count == 1 && all_calls == 1) return "1 call";
  return fmt::format("{} of {} calls", short_count(count), short_count(all_calls));
}

// "300 of 1,200 calls · 0.42 s (from stacks)"; "≈0.42 s" if it is gprof's estimate; "0.42 s (33 %)
// measured" of calls that are not counted; "in the cycle" of those that gprof gives no time.
std::string arc_text(const FileView& view, const RelatedFunction& arc, std::uint64_t all_calls) {
  std::string text = part_of_calls(arc.count, all_calls);
  const FunctionCosts& profile = view.profile();
  if (!has_times(profile)) return text;
  const bool measured = view.snapshot().measured().known();
  if (measured && arc.count == 0) {
    return fmt::format("{} {}", time_and_share(profile, arc.share()), measured_word(profile));
  }
  if (arc.same_cycle) return text + " · in the cycle";
  const bool is_time = arc.share() >= 1;
  return text +
         fmt::format(" · {}{}{}", is_time && !measured ? "≈" : "", time_text(profile, arc.share()),
                     is_time && measured ? fmt::format(" ({})", measured_remark(profile)) : "");
}

}  // namespace

std::optional<HierarchyFunction> function_of_symbol(const ProgramSources& sources,
                                                    SymbolIndex symbol, const OpenView& open_view) {
  const auto declaration = sources.declaration(symbol);
  if (!declaration) return std::nullopt;
  auto view = open_view(declaration->file);
  if (!view) return std::nullopt;
  for (const FunctionCost& function : view->costs->functions) {
    if (std::binary_search(function.symbols.begin(), function.symbols.end(), symbol)) {
      return HierarchyFunction{std::move(*view), &function};
    }
  }
  return std::nullopt;
}

std::optional<HierarchyFunction> function_at(const FileView& view, Position position,
                                             const OpenView& open_view, std::string_view name) {
  const LineNumber text_line = position.line + 1;
  if (text_line > view.text->line_count()) return std::nullopt;
  const auto line = view.build_line(text_line);
  const FunctionCost* defined = line ? function_defined_at(view, *line, position, name) : nullptr;
  if (defined != nullptr) return HierarchyFunction{view, defined};
  const std::size_t column =
      view.text->offset_of(position) - view.text->lines().start(position.line);
  const std::string_view word = word_at(view.text->line(text_line), column);
  if (!line || !view.is_current(text_line)) {
    // The line of a definition may be found even if it has changed or moved.
    const FunctionCost* named = function_named_at(view, position, word);
    if (named != nullptr) return HierarchyFunction{view, named};
    if (!line) return std::nullopt;
  }
  if (const LineCost* cost = view.costs->line(*line); cost != nullptr && !word.empty()) {
    for (const LineCall& call : cost->calls) {
      if (last_component(view.sources().name(call.callee).name) != word) continue;
      if (auto callee = function_of_symbol(view.sources(), call.callee, open_view)) return callee;
    }
  }
  const FunctionCost* around = view.costs->function_at(*line);
  if (around == nullptr || !view.is_trusted(*around)) return std::nullopt;
  // A macro may define many functions on one line, which the text does not name.
  return HierarchyFunction{view, &costliest_beside(view, *around, *line)};
}

std::vector<const FunctionCost*> others_of_line(const FileView& view, Position position,
                                                const HierarchyFunction& found) {
  const auto line = view.build_line(position.line + 1);
  const FunctionCost& function = *found.function;
  const bool is_here =
      line && found.view.costs->file == view.costs->file && function.declaration.line == *line;
  if (!is_here || is_at_name(view, function, position)) return {};
  auto others = functions_of_line(view, *line);
  std::erase_if(others, [&](const FunctionCost* other) {
    return other->name == function.name && other->declaration == function.declaration;
  });
  return others;
}

std::vector<CallHierarchyItem> hierarchy_items(const FileView& view, Position position,
                                               const OpenView& open_view) {
  std::vector<CallHierarchyItem> items;
  const auto found = function_at(view, position, open_view);
  if (!found) return items;
  const auto add = [&](const FileView& of, const FunctionCost& function) {
    if (auto item = hierarchy_item(of, function)) items.push_back(std::move(*item));
  };
  add(found->view, *found->function);
  for (const FunctionCost* other : others_of_line(view, position, *found)) {
    if (items.size() < max_items && has_run(*other)) add(view, *other);
  }
  return items;
}

std::optional<CallHierarchyItem> hierarchy_item(const FileView& view,
                                                const FunctionCost& function) {
  const auto name = name_range(view, function);
  const auto body = body_range(view, function);
  if (!name || !body || function.symbols.empty()) return std::nullopt;
  CallHierarchyItem item;
  item.name = view.name_of(function);
  item.detail = lens_text(view, function, told_share_of_waits);
  item.uri = view.uri;
  item.range = *body;
  item.selection_range = *name;
  const Symbol& symbol = view.snapshot().symbols()[function.symbols.front()];
  item.data =
      AnyValue(AnyValue::Object{{"program", AnyValue(view.snapshot().image().path())},
                                {"symbol", AnyValue(symbol.name)},
                                {"address", AnyValue(fmt::format("{:x}", symbol.address.value))}});
  return item;
}

std::optional<HierarchyFunction> function_of_item(const LoadedProgram& program,
                                                  const CallHierarchyItem& item,
                                                  const OpenView& open_view) {
  const Snapshot& snapshot = *program.snapshot;
  if (!item.data) return std::nullopt;
  const AnyValue* executable = item.data->find("program");
  const AnyValue* name = item.data->find("symbol");
  const AnyValue* address = item.data->find("address");
  if (executable == nullptr || executable->string() == nullptr || name == nullptr ||
      name->string() == nullptr || address == nullptr || address->string() == nullptr ||
      *executable->string() != snapshot.image().path()) {
    return std::nullopt;
  }
  // Several static functions may share a name, and a rebuild moves them: number and name must
  // agree, else the name decides.
  std::uint64_t number = 0;
  const std::string& digits = *address->string();
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (read.ec == std::errc()) {
    const auto there = snapshot.symbols().find(Address{number});
    if (there && snapshot.symbols()[*there].name == *name->string()) {
      return function_of_symbol(snapshot.sources(), *there, open_view);
    }
  }
  const auto by_name = snapshot.symbols().find_by_name(*name->string());
  return by_name ? function_of_symbol(snapshot.sources(), *by_name, open_view) : std::nullopt;
}

namespace {

NameForms hierarchy_name_forms(const HierarchyFunction& place) {
  const FileView& view = place.view;
  const FunctionCost& function = *place.function;
  const std::string signature = view.signature_of(function);
  const std::string file = view.sources().path(view.costs->file);
  return {
      view.name_of(function), signature,
      fmt::format("{} ({}:{})", signature, file.substr(file.rfind('/') + 1),
                  view.text_line(function.declaration.line).value_or(function.declaration.line))};
}

// The neighbours' names and, as the last one, the function's own: with parameters where they would
// be the same.
std::vector<std::string> item_names(const std::vector<Neighbour>& neighbours,
                                    const HierarchyFunction& function) {
  std::vector<NameForms> forms;
  for (const Neighbour& neighbour : neighbours)
    forms.push_back(hierarchy_name_forms(neighbour.place));
  forms.push_back(hierarchy_name_forms(function));
  return distinct_forms(forms);
}

std::optional<CallHierarchyItem> recursive_item(const HierarchyFunction& function,
                                                std::string name) {
  const std::uint64_t calls = function.function->recursive_calls;
  auto item = calls > 0 ? hierarchy_item(function.view, *function.function) : std::nullopt;
  if (!item) return item;
  item->name = std::move(name);
  item->detail = fmt::format("{} recursive calls", short_count(calls));
  return item;
}

std::vector<TimedIncomingCall> timed_incoming_calls(const HierarchyFunction& callee,
                                                    const OpenView& open_view) {
  std::vector<TimedIncomingCall> calls;
  const auto related = callee.view.snapshot().source_index().callers(*callee.function);
  const std::vector<Neighbour> callers = neighbours(callee, related, open_view);
  std::vector<std::string> names = item_names(callers, callee);
  for (std::size_t i = 0; i < callers.size(); ++i) {
    const Neighbour& caller = callers[i];
    auto item = hierarchy_item(caller.place.view, *caller.place.function);
    if (!item) continue;
    item->name = std::move(names[i]);
    item->detail = arc_text(callee.view, caller.sum, callee.function->calls);
    calls.push_back(
        {std::move(*item), call_ranges(caller.place, *callee.function), caller.sum.share()});
  }
  if (auto item = recursive_item(callee, std::move(names.back()))) {
    calls.push_back({std::move(*item), call_ranges(callee, *callee.function), 0});
  }
  return calls;
}

}  // namespace

std::vector<CallHierarchyIncomingCall> incoming_calls(const HierarchyFunction& callee,
                                                      const OpenView& open_view) {
  std::vector<CallHierarchyIncomingCall> calls;
  for (TimedIncomingCall& call : timed_incoming_calls(callee, open_view)) {
    calls.push_back({std::move(call.from), without_times(call.ranges)});
  }
  return calls;
}

std::vector<CallHierarchyOutgoingCall> outgoing_calls(const HierarchyFunction& caller,
                                                      const OpenView& open_view) {
  std::vector<CallHierarchyOutgoingCall> calls;
  const auto related = caller.view.snapshot().source_index().callees(*caller.function);
  const std::vector<Neighbour> callees = neighbours(caller, related, open_view);
  std::vector<std::string> names = item_names(callees, caller);
  for (std::size_t i = 0; i < callees.size(); ++i) {
    const Neighbour& callee = callees[i];
    auto item = hierarchy_item(callee.place.view, *callee.place.function);
    if (!item) continue;
    item->name = std::move(names[i]);
    item->detail = arc_text(caller.view, callee.sum, callee.place.function->calls);
    calls.push_back({std::move(*item), without_times(call_ranges(caller, *callee.place.function))});
  }
  if (auto item = recursive_item(caller, std::move(names.back()))) {
    calls.push_back({std::move(*item), without_times(call_ranges(caller, *caller.function))});
  }
  return calls;
}

LocationOrder order_of(const Location& location) {
  return {location.uri, location.range.start.line};
}

std::vector<Location> caller_locations(const HierarchyFunction& callee, const OpenView& open_view) {
  struct TimedLocation {
    Location location;
    Ticks ticks = 0;
  };
  std::vector<TimedLocation> timed;
  bool by_call = false;
  for (const TimedIncomingCall& call : timed_incoming_calls(callee, open_view)) {
    for (const TimedRange& one : call.ranges) {
      timed.push_back({{call.from.uri, one.range}, one.ticks});
      by_call = by_call || one.ticks > 0;
    }
    if (call.ranges.empty()) {
      timed.push_back({{call.from.uri, call.from.selection_range}, call.ticks});
    }
  }
  // Else callers alone have times, and are in their order.
  if (by_call) {
    std::ranges::stable_sort(timed, [](const TimedLocation& a, const TimedLocation& b) {
      if (a.ticks != b.ticks) return a.ticks > b.ticks;
      return order_of(a.location) < order_of(b.location);
    });
  }
  std::vector<Location> locations;
  locations.reserve(timed.size());
  for (TimedLocation& one : timed) locations.push_back(std::move(one.location));
  return locations;
}

std::vector<Location> callee_locations(const HierarchyFunction& caller, const OpenView& open_view) {
  std::vector<Location> locations;
  for (const CallHierarchyOutgoingCall& call : outgoing_calls(caller, open_view)) {
    locations.push_back({call.to.uri, call.to.selection_range});
  }
  return locations;
}

}  // namespace gprof::lsp
