#include "engine/symbols/line_symbols.h"

#include <algorithm>
#include <utility>

#include "engine/symbols/code_places.h"
#include "engine/symbols/nearest_symbols.h"
#include "engine/symbols/placed_functions.h"

namespace gprof {
namespace {

// Walks over the places of .text and starts a symbol wherever one of line, name and file changes.
class LineWalk {
 public:
  LineWalk(const CodePlaces& places, const NearestSymbols& nearest, FileRegister& files,
           std::vector<SourceSymbol>& symbols)
      : places_(places), nearest_(nearest), files_(files), symbols_(symbols) {}

  void run(AddressRange text, std::deque<std::string>& owned_names);

 private:
  void settle_names(std::deque<std::string>& owned_names);
  void add_unnamed(const CodePlace& place);
  void add(Address address, const CodePlace& place, std::string_view name);

  const CodePlaces& places_;
  const NearestSymbols& nearest_;
  FileRegister& files_;
  std::vector<SourceSymbol>& symbols_;
  std::vector<std::string_view> names_;  // by CodePlace::function
  std::size_t next_nearest_ = 0;
  const NearestSymbol* holder_ = nullptr;
};

// A function that the debug information gives no linkage name has that of the symbol at its start.
void LineWalk::settle_names(std::deque<std::string>& owned_names) {
  names_.reserve(places_.functions().size());
  for (const PlacedFunction& function : places_.functions()) {
    const NearestSymbol* symbol = function.is_linkage_name ? nullptr : nearest_.at(function.start);
    if (symbol != nullptr) {
      names_.push_back(symbol->name);
    } else {
      names_.push_back(owned_names.emplace_back(function.name));
    }
  }
}

void LineWalk::run(AddressRange text, std::deque<std::string>& owned_names) {
  settle_names(owned_names);
  for (CodePlace place : places_.places()) {
    place.range = intersect(place.range, text);
    if (place.range.empty() || place.line == 0) continue;
    if (place.function != no_place) {
      add(place.range.low, place, names_[place.function]);
    } else {
      add_unnamed(place);
    }
  }
}

// A label inside a function of known size is no name of its own: the function holds what follows.
void LineWalk::add_unnamed(const CodePlace& place) {
  const auto symbols = nearest_.all();
  Address at = place.range.low;
  while (at < place.range.high) {
    while (next_nearest_ < symbols.size() && symbols[next_nearest_].address <= at) ++next_nearest_;
    const bool held = holder_ != nullptr && holder_->address <= at && at < holder_->end;
    if (!held) holder_ = next_nearest_ > 0 ? &symbols[next_nearest_ - 1] : nullptr;
    if (holder_ != nullptr) add(at, place, holder_->name);
    Address next = place.range.high;
    if (next_nearest_ < symbols.size()) next = std::min(next, symbols[next_nearest_].address);
    const Address end = holder_ != nullptr ? std::min(holder_->end, place.range.high) : at;
    at = std::max(next, end);
  }
}

void LineWalk::add(Address address, const CodePlace& place, std::string_view name) {
  const FileIndex file = files_.number_of(place.path);
  if (!symbols_.empty()) {
    const SourceSymbol& last = symbols_.back();
    if (last.line == place.line && last.file == file && last.name == name) return;
  }
  SourceSymbol symbol{address, address, name};
  symbol.file = file;
  symbol.line = place.line;
  symbols_.push_back(symbol);
}

// Which function, if any, holds each of the stretches: both are sorted.
void inherit_from_functions(std::vector<SourceSymbol>& lines,
                            const std::vector<SourceSymbol>& functions) {
  auto after = functions.begin();
  for (SourceSymbol& line : lines) {
    while (after != functions.end() && after->address <= line.address) ++after;
    if (after == functions.begin()) continue;
    const SourceSymbol& function = *std::prev(after);
    if (line.address < function.end) line.is_static = function.is_static;
  }
}

std::size_t leading_underscores(std::string_view name) {
  return std::min({name.find_first_not_of('_'), name.size(), std::size_t{2}});
}

// Whether a symbol of the table takes the place of the stretch that starts where it does: a label
// that is not of type FUNC only by the better name.
bool replaces(const SourceSymbol& function, const SourceSymbol& line) {
  return function.is_function ||
         leading_underscores(function.name) < leading_underscores(line.name);
}

// Both by address.
std::vector<SourceSymbol> merged(const std::vector<SourceSymbol>& lines,
                                 const std::vector<SourceSymbol>& functions, Address text_end) {
  std::vector<SourceSymbol> all;
  all.reserve(lines.size() + functions.size());
  auto function = functions.begin();
  const auto next_start = [&](std::size_t line) {
    Address start = text_end;
    if (line < lines.size()) start = lines[line].address;
    if (function == functions.end()) return start;
    return line < lines.size() ? std::min(start, function->address) : function->address;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (; function != functions.end() && function->address < lines[i].address; ++function) {
      all.push_back(*function);
    }
    if (function != functions.end() && function->address == lines[i].address) {
      if (replaces(*function, lines[i])) continue;
      ++function;
    }
    all.push_back(lines[i]);
    all.back().end = next_start(i + 1);
  }
  all.insert(all.end(), function, functions.end());
  std::erase_if(all, [](const SourceSymbol& symbol) { return symbol.end <= symbol.address; });
  return all;
}

SourceSymbolTable::Parts with_lines(const SymbolTable& table, const DebugInformation* debug,
                                    PlaceNames names) {
  const Image& image = *table.images().front();
  CodePlaces places;
  if (debug != nullptr) places = CodePlaces::read(*debug, names);
  FileRegister files(places);
  SourceSymbolTable::Parts parts;
  const std::vector<SourceSymbol> functions = placed_functions(table, places, files);
  const Section* text = image.find_section(".text");
  std::vector<SourceSymbol> lines;
  if (text != nullptr) {
    const NearestSymbols nearest(image, *text);
    LineWalk(places, nearest, files, lines).run(text->range(), parts.owned_names);
  }
  inherit_from_functions(lines, functions);
  const Address text_end = text != nullptr ? text->range().high : Address{};
  parts.symbols = merged(lines, functions, text_end);
  parts.files = files.take_files();
  parts.images = table.images();
  return parts;
}

}  // namespace

Expected<SourceSymbolTable::Parts> line_symbols(std::shared_ptr<const Image> image,
                                                const DebugInformation* debug,
                                                const GnuSymbolOptions& options) {
  const auto table = SymbolTable::build(std::move(image), nullptr, SymbolPolicy::gnu, options);
  if (!table) return table.error();
  return with_lines(*table, debug, PlaceNames::gnu);
}

Expected<SourceSymbolTable::Parts> full_line_symbols(std::shared_ptr<const Image> image,
                                                     std::shared_ptr<const Image> debug_image,
                                                     const DebugInformation* debug) {
  const auto table =
      SymbolTable::build(std::move(image), std::move(debug_image), SymbolPolicy::full);
  if (!table) return table.error();
  return with_lines(*table, debug, PlaceNames::all);
}

}  // namespace gprof
