#include "engine/import/imported_profile.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace gprof {
namespace {

// The unit that samples are distributed to.
constexpr std::uint64_t bin_width = 2;
// All profiles' histograms cover the same parts of the address space, so that they add up.
constexpr std::uint64_t part_size = 4096;

// The numbers of the other's functions in `functions`, to which those that it lacks are added.
// Empty: they are the same.
std::vector<std::uint32_t> numbers_here(const InclusiveCosts& other,
                                        std::shared_ptr<ExternalCodeList>& functions) {
  if (other.functions == nullptr || other.functions == functions) return {};
  if (functions == nullptr) {
    functions = other.functions;
    return {};
  }
  // The list of a file stays as it is. A sum of many files copies it once.
  if (functions.use_count() > 1) functions = std::make_shared<ExternalCodeList>(*functions);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(other.functions->size());
  for (const ExternalCode& function : other.functions->codes()) {
    numbers.push_back(functions->number_of(function));
  }
  return numbers;
}

}  // namespace

std::vector<Histogram> histograms_of(const std::map<Address, std::uint64_t>& ticks) {
  std::vector<Histogram> histograms;
  for (const auto& [address, count] : ticks) {
    const Address low = {address.value / part_size * part_size};
    if (low.value + part_size < low.value) continue;
    if (histograms.empty() || histograms.back().low != low) {
      histograms.push_back({low, low + part_size, BinCounts(part_size / bin_width)});
    }
    histograms.back().bins.add((address.value - low.value) / bin_width, count);
  }
  return histograms;
}

double InclusiveCosts::unnamed_external() const {
  double named = 0;
  for (const auto& [function, cost] : external_costs) named += cost.self;
  return std::max(0.0, external - named);
}

void InclusiveCosts::add(const InclusiveCosts& other) {
  for (const auto& [symbol, ticks] : other.totals) totals[symbol] += ticks;
  for (const auto& [place, ticks] : other.self) self[place] += ticks;
  external += other.external;
  const std::vector<std::uint32_t> numbers = numbers_here(other, functions);
  const auto number_of = [&](std::uint32_t function) {
    return function < numbers.size() ? numbers[function] : function;
  };
  for (const auto& [function, cost] : other.external_costs) {
    ExternalCost& sum = external_costs[number_of(function)];
    sum.self += cost.self;
    sum.total += cost.total;
  }
  const std::size_t before = calls.size();
  calls.insert(calls.end(), other.calls.begin(), other.calls.end());
  for (InclusiveCall& call : std::span(calls).subspan(before)) {
    call.external = number_of(call.external);
  }
}

bool InclusiveCosts::is_sound(std::size_t symbols) const {
  const std::size_t names = functions == nullptr ? 0 : functions->size();
  const auto is_call = [&](const InclusiveCall& call) {
    return call.caller < symbols && (!call.callee || *call.callee < symbols) &&
           (call.external == no_external_function || call.external < names) &&
           std::isfinite(call.ticks);
  };
  const auto is_cost = [&](const auto& cost) {
    return cost.first < names && std::isfinite(cost.second.self) &&
           std::isfinite(cost.second.total);
  };
  const bool are_symbols = totals.empty() || totals.rbegin()->first < symbols;
  return are_symbols && std::isfinite(external) && std::ranges::all_of(calls, is_call) &&
         std::ranges::all_of(external_costs, is_cost);
}

std::string event_metric_name(std::string_view event) {
  for (const std::string_view taken :
       {std::string_view("time"), std::string_view("self"), std::string_view("total"), calls_metric,
        executions_metric, cpu_metric}) {
    if (event == taken) return fmt::format("event {}", event);
  }
  return std::string(event);
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// libc.so.6, libc-2.31.so, libpthread-2.31.so, ld-musl-x86_64.so.1
bool is_c_library_file(std::string_view path) {
  const std::string_view name = last_part(path);
  return name.starts_with("libc.so") || name.starts_with("libc-2") ||
         name.starts_with("libc.musl") || name.starts_with("libpthread") ||
         name.starts_with("ld-musl");
}

// ld-linux-x86-64.so.2, ld-2.31.so
bool is_loader_file(std::string_view path) {
  const std::string_view name = last_part(path);
  return name.starts_with("ld-linux") || name.starts_with("ld-2") || name.starts_with("ld.so") ||
         name.starts_with("ld64.so");
}

std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string unplaced_samples_text(double share, const std::string& program) {
  const std::string samples =
      share < 0.001 ? "a few samples" : fmt::format("{:.1f} % of the samples", 100 * share);
  // So many are more than code without symbols takes.
  constexpr double worth_a_reason = 0.05;
  if (share < worth_a_reason) {
    return fmt::format(
        "{} are in no function of {}, but in the stubs through which it calls libraries, or in "
        "code without symbols: they are not shown",
        samples, program);
  }
  return fmt::format(
      "{} are in no function of {}: they are not shown; it may have been rebuilt since", samples,
      program);
}

}  // namespace gprof
