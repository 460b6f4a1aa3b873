#include "engine/import/imported_profile.h"

#include "engine/object/demangle.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// The unit in which samples are shared out.
constexpr std::uint64_t bin_width = 2;
// More empty bins than these are not kept between two histograms.
constexpr std::uint64_t longest_gap = 64;

}  // namespace

std::vector<Histogram> histograms_of(const std::map<Address, std::uint64_t>& ticks) {
  std::vector<Histogram> histograms;
  for (const auto& [address, count] : ticks) {
    const Address low = {address.value / bin_width * bin_width};
    if (low.value + bin_width < low.value) continue;
    const bool joins = !histograms.empty() &&
                       (low < histograms.back().high ||
                        low.value - histograms.back().high.value <= longest_gap * bin_width);
    if (!joins) histograms.push_back({low, low, {}});
    Histogram& histogram = histograms.back();
    const std::uint64_t bin = (low.value - histogram.low.value) / bin_width;
    if (bin >= histogram.bins.size()) {
      histogram.bins.resize(bin + 1);
      histogram.high = low + bin_width;
    }
    histogram.bins[bin] = saturating_add(histogram.bins[bin], count);
  }
  return histograms;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void FunctionNames::index() {
  indexed_ = true;
  const auto add = [&](std::string name, SymbolIndex symbol) {
    std::vector<SymbolIndex>& symbols = by_name_[std::move(name)];
    if (symbols.empty() || symbols.back() != symbol) symbols.push_back(symbol);
  };
  for (SymbolIndex i = 0; i < symbols_.size(); ++i) {
    const std::string linkage(symbols_[i].name);
    add(linkage, i);
    for (const std::string_view alias : symbols_.aliases(i)) add(std::string(alias), i);
    DemangledName name = demangle(linkage);
    if (name.signature == linkage) continue;
    add(std::move(name.name), i);
    add(std::move(name.signature), i);
  }
}

const std::vector<SymbolIndex>& FunctionNames::find(std::string_view name) {
  if (!indexed_) index();
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none_ : found->second;
}

}  // namespace gprof
