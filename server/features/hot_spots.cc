#include "server/features/hot_spots.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_spots = 1'000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool holds_letters(std::string_view name, std::string_view letters) {
  std::size_t found = 0;
  for (const char c : name) {
    if (found < letters.size() && lower(c) == lower(letters[found])) ++found;
  }
  return found == letters.size();
}

// A function with its clones.
struct Function {
  SymbolIndex symbol = no_symbol;
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  Ticks self = 0;
  Ticks total = 0;
};

std::vector<Function> functions_of(const Snapshot& snapshot) {
  const auto symbols = snapshot.symbols().symbols();
  std::unordered_map<SymbolIndex, std::size_t> places;
  std::vector<Function> functions;
  for (const SymbolIndex symbol : snapshot.sources().by_heat()) {
    places.emplace(symbol, functions.size());
    functions.push_back({symbol});
  }
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    const auto place = places.find(symbols[i].clone_of);
    if (place == places.end()) continue;
    Function& function = functions[place->second];
    const GraphNode& node = snapshot.graph().node(i);
    // Calling a piece of a function's body is no new call of it.
    if (symbols[i].clone != CloneKind::part) {
      function.calls += node.calls;
      function.recursive_calls += node.self_calls;
    }
    function.self += node.self;
    function.total += node.total();
  }
  return functions;
}

double weight(const Function& function, Metric metric) {
  switch (metric) {
    case Metric::self:
      return function.self;
    case Metric::total:
      return function.total;
    case Metric::calls:
    case Metric::executions:
      break;
  }
  return static_cast<double>(function.calls + function.recursive_calls);
}

// As of lines: see line_metrics.h.
double heat_of(const Function& function, Metric metric, const Profile& profile, double largest) {
  if (metric == Metric::self || metric == Metric::total) {
    return std::sqrt(std::clamp(share_of(profile, weight(function, metric)), 0.0, 1.0));
  }
  return largest > 0 ? std::log2(weight(function, metric) + 1) / std::log2(largest + 1) : 0;
}

HotSpot spot_of(const Function& function, FunctionPlaces& places, bool demangle) {
  const Snapshot& snapshot = *places.program().snapshot;
  const Profile& profile = snapshot.profile();
  HotSpot spot;
  spot.name = std::string(snapshot.symbols()[function.symbol].name);
  if (demangle) {
    DemangledName name = snapshot.sources().name(function.symbol);
    if (name.signature != name.name) spot.signature = std::move(name.signature);
    spot.name = std::move(name.name);
  }
  if (const auto& place = places.of(function.symbol)) {
    spot.uri = place->uri;
    spot.range = place->range;
  }
  if (function.calls > 0) spot.calls = function.calls;
  spot.recursive_calls = function.recursive_calls;
  spot.self_seconds = profile.seconds(function.self);
  spot.self_error = profile.seconds(std::sqrt(std::max(function.self, 0.0)));
  spot.total_seconds = profile.seconds(function.total);
  return spot;
}

}  // namespace

std::vector<HotSpot> hot_spots(const HotSpotsQuery& query, FunctionPlaces& places, bool demangle) {
  const Snapshot& snapshot = *places.program().snapshot;
  std::vector<Function> functions = functions_of(snapshot);
  std::erase_if(functions, [&](const Function& f) { return !(weight(f, query.metric) > 0); });
  std::stable_sort(functions.begin(), functions.end(), [&](const Function& a, const Function& b) {
    return weight(a, query.metric) > weight(b, query.metric);
  });
  const double largest = functions.empty() ? 0 : weight(functions.front(), query.metric);
  const std::size_t limit = std::min(query.limit, most_spots);
  std::vector<HotSpot> spots;
  for (std::size_t i = 0; i < functions.size() && spots.size() < limit; ++i) {
    const Function& function = functions[i];
    const auto linkage_name = snapshot.symbols()[function.symbol].name;
    if (!query.letters.empty() &&
        !holds_letters(
            demangle ? snapshot.sources().name(function.symbol).name : std::string(linkage_name),
            query.letters)) {
      continue;
    }
    HotSpot spot = spot_of(function, places, demangle);
    spot.heat = heat_of(function, query.metric, snapshot.profile(), largest);
    spot.rank = static_cast<std::uint32_t>(i + 1);
    spots.push_back(std::move(spot));
  }
  return spots;
}

}  // namespace gprof::lsp
