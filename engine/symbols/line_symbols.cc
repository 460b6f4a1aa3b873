#include "engine/symbols/line_symbols.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/object/code_ranges.h"
#include "engine/symbols/line_ranges.h"
#include "engine/symbols/located_functions.h"
#include "engine/symbols/nearest_symbols.h"

namespace gprof {
namespace {

// The start of a line symbol and what it is for.
struct LineStart {
  Address address;
  FileIndex file = no_source_file;
  LineNumber line = 0;
  std::string_view name;

  [[nodiscard]] bool goes_on(const LineStart& next) const {
    return line == next.line && file == next.file && name == next.name;
  }
};

// Walks over the ranges of the reported code and starts a symbol wherever line, name or file
// changes.
class LineWalk {
 public:
  LineWalk(const LineRanges& ranges, const Image& image, const ReportedCode& code,
           FileRegister& files)
      : ranges_(ranges), image_(image), code_(code), files_(files) {
    settle_names();
  }

  // Calls `take` with each start, ascending.
  template <typename Take>
  void run(const Take& take);

 private:
  const NearestSymbols& nearest();
  void settle_names();
  template <typename Take>
  void walk_unnamed(const LineRange& range, const Take& take);

  const LineRanges& ranges_;
  const Image& image_;
  const ReportedCode& code_;
  FileRegister& files_;
  std::optional<NearestSymbols> nearest_;  // read on demand: most programs do not need it
  std::vector<std::string_view> names_;    // by LineRange::function
  std::size_t next_nearest_ = 0;
  const NearestSymbol* holder_ = nullptr;
};

const NearestSymbols& LineWalk::nearest() {
  if (!nearest_) nearest_.emplace(image_, code_);
  return *nearest_;
}

// A function without a linkage name in the debug information gets that of the symbol at its start.
void LineWalk::settle_names() {
  names_.reserve(ranges_.functions().size());
  for (const NamedFunction& function : ranges_.functions()) {
    const NearestSymbol* symbol = function.is_linkage_name ? nullptr : nearest().at(function.start);
    names_.push_back(symbol != nullptr ? symbol->name : function.name);
  }
}

template <typename Take>
void LineWalk::run(const Take& take) {
  next_nearest_ = 0;
  holder_ = nullptr;
  std::optional<LineStart> last;
  const auto add = [&](Address address, const LineRange& range, std::string_view name) {
    const LineStart start{address, files_.number_of(range.path), range.line, name};
    if (last && last->goes_on(start)) return;
    last = start;
    take(start);
  };
  auto part = code_.ranges().begin();
  for (const LineRange& range : ranges_.ranges()) {
    if (range.line == 0) continue;
    while (part != code_.ranges().end() && part->high <= range.code.low) ++part;
    // No compiler makes a range that reaches into a second section; a hostile file may have one.
    for (auto at = part; at != code_.ranges().end() && at->low < range.code.high; ++at) {
      LineRange inside = range;
      inside.code = intersect(range.code, *at);
      if (inside.code.empty()) continue;
      if (inside.function != no_function) {
        add(inside.code.low, inside, names_[inside.function]);
      } else {
        walk_unnamed(inside, add);
      }
    }
  }
}

// A label inside a function of known size names nothing: the function covers what follows.
template <typename Take>
void LineWalk::walk_unnamed(const LineRange& range, const Take& take) {
  const auto symbols = nearest().all();
  Address at = range.code.low;
  while (at < range.code.high) {
    while (next_nearest_ < symbols.size() && symbols[next_nearest_].address <= at) ++next_nearest_;
    const bool held = holder_ != nullptr && holder_->address <= at && at < holder_->end;
    if (!held) holder_ = next_nearest_ > 0 ? &symbols[next_nearest_ - 1] : nullptr;
    if (holder_ != nullptr) take(at, range, holder_->name);
    Address next = range.code.high;
    if (next_nearest_ < symbols.size()) next = std::min(next, symbols[next_nearest_].address);
    const Address end = holder_ != nullptr ? std::min(holder_->end, range.code.high) : at;
    at = std::max(next, end);
  }
}

// Reserves room for the functions after them. There are hardly more lines than ranges: unused room
// is never touched, and so takes no memory.
std::vector<SourceSymbol> lines_of(LineWalk& walk, std::size_t ranges,
                                   const std::vector<SourceSymbol>& functions) {
  std::vector<SourceSymbol> lines;
  lines.reserve(ranges + functions.size());
  walk.run([&](const LineStart& start) {
    SourceSymbol symbol{start.address, start.address, start.name};
    symbol.file = start.file;
    symbol.line = start.line;
    lines.push_back(symbol);
  });
  return lines;
}

// Finds the function, if any, that contains each line symbol: both are sorted.
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

// Whether a table symbol replaces the range that starts where it does: a label that is not of type
// FUNC does only if it has the better name.
bool replaces(const SourceSymbol& function, const SourceSymbol& line) {
  return function.is_function ||
         leading_underscores(function.name) < leading_underscores(line.name);
}

// At how many addresses both a line and a function start: those become one symbol.
std::size_t common_starts(const std::vector<SourceSymbol>& lines,
                          const std::vector<SourceSymbol>& functions) {
  std::size_t common = 0;
  auto line = lines.begin();
  for (const SourceSymbol& function : functions) {
    while (line != lines.end() && line->address < function.address) ++line;
    if (line != lines.end() && line->address == function.address) ++common;
  }
  return common;
}

// Merges the functions into the lines, by address. From the end, where there is room.
void merge_functions(std::vector<SourceSymbol>& symbols, const std::vector<SourceSymbol>& functions,
                     const ReportedCode& code) {
  std::size_t lines_left = symbols.size();
  std::size_t functions_left = functions.size();
  symbols.resize(lines_left + functions_left - common_starts(symbols, functions));
  std::size_t out = symbols.size();
  std::optional<Address> next_line;
  while (lines_left > 0) {
    SourceSymbol line = symbols[--lines_left];
    while (functions_left > 0 && functions[functions_left - 1].address > line.address) {
      symbols[--out] = functions[--functions_left];
    }
    std::optional<Address> next = next_line;
    if (functions_left < functions.size()) {
      const Address next_function = functions[functions_left].address;
      next = std::min(next.value_or(next_function), next_function);
    }
    line.end = next ? *next : code.end_after(line.address);
    next_line = line.address;
    const bool at_function =
        functions_left > 0 && functions[functions_left - 1].address == line.address;
    if (at_function) --functions_left;
    symbols[--out] =
        at_function && replaces(functions[functions_left], line) ? functions[functions_left] : line;
  }
  while (functions_left > 0) symbols[--out] = functions[--functions_left];
  symbols.erase(symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(out));
  std::erase_if(symbols, [](const SourceSymbol& symbol) { return symbol.end <= symbol.address; });
}

}  // namespace

SourceSymbolTable::Parts line_symbols(const SymbolTable& table, const DebugInformation* debug,
                                      FunctionNaming names) {
  LineRanges ranges;
  if (debug != nullptr) ranges = LineRanges::read(*debug, names);
  const Image& image = *table.images().front();
  FileRegister files(ranges);
  SourceSymbolTable::Parts parts;
  const std::vector<SourceSymbol> functions = located_functions(table, ranges, files);
  const ReportedCode code(image);
  LineWalk walk(ranges, image, code, files);
  parts.symbols = lines_of(walk, ranges.ranges().size(), functions);
  inherit_from_functions(parts.symbols, functions);
  merge_functions(parts.symbols, functions, code);
  parts.files = files.take_files();
  parts.shared_names = ranges.take_names();
  parts.images = table.images();
  if (debug != nullptr) parts.images.push_back(debug->image());
  return parts;
}

}  // namespace gprof
