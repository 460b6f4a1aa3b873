#include "engine/report/flat_profile.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/report/explanations.h"
#include "engine/report/layout.h"
#include "engine/report/printed_parts.h"
#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

struct TimeUnit {
  char prefix;
  double per_second;
};

constexpr std::array<TimeUnit, 11> time_units = {{{'T', 1e-12},
                                                  {'G', 1e-9},
                                                  {'M', 1e-6},
                                                  {'K', 1e-3},
                                                  {' ', 1},
                                                  {'m', 1e3},
                                                  {'u', 1e6},
                                                  {'n', 1e9},
                                                  {'p', 1e12},
                                                  {'f', 1e15},
                                                  {'a', 1e18}}};
constexpr std::size_t milliseconds = 5;

// The columns of what has calls.
constexpr std::size_t call_columns = 1 + 8 + 1 + 8 + 1 + 8 + 2;

// Columns are cut at the end of a dimension's name or abbreviation.
std::string_view up_to_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

// A symbol with one of the sort keys.
struct ListedSymbol {
  std::uint64_t key = 0;
  SymbolIndex symbol = 0;
};

// With what was sampled in other modules, where that has rows.
Ticks sampled_ticks(const ReportData& data) {
  Ticks ticks = data.samples.total;
  for (const ExternalTime& time : data.external) ticks += time.ticks;
  return ticks;
}

class FlatProfile {
 public:
  FlatProfile(const ReportRequest& request, const ReportData& data, const ReportNames& names,
              std::span<const SymbolIndex> rows)
      : rows_(rows),
        request_(request),
        data_(data),
        names_(names),
        samples_(data.samples),
        sampled_(sampled_ticks(data)),
        total_(sampled_ > 0 ? sampled_ : 1),
        unit_(unit_of_calls()) {}

  void append_to(TextOutput& text) const;

 private:
  [[nodiscard]] const GraphNode& node(SymbolIndex symbol) const { return data_.graph.node(symbol); }
  [[nodiscard]] Seconds seconds(Ticks ticks) const { return seconds_of(ticks, samples_.rate); }
  [[nodiscard]] TimeUnit unit_of_calls() const;
  void append_heading(TextOutput& text) const;
  void append_column_names(TextOutput& text) const;
  // `cumulative`: of all rows up to this one.
  void append_times(TextOutput& text, Ticks self, Ticks cumulative,
                    const SampleErrors& errors) const;
  void append_row(TextOutput& text, SymbolIndex symbol, Ticks cumulative) const;
  void append_row(TextOutput& text, const ExternalTime& time, Ticks cumulative) const;
  // A symbol, or after all symbols the number of an external time.
  [[nodiscard]] std::vector<std::uint32_t> all_rows() const;
  [[nodiscard]] const ExternalTime* external(std::uint32_t row) const {
    return row < data_.symbols.size() ? nullptr : &data_.external[row - data_.symbols.size()];
  }
  [[nodiscard]] Ticks self_of(std::uint32_t row) const {
    const ExternalTime* time = external(row);
    return time == nullptr ? samples_.self[row] : time->ticks;
  }
  void append_rows(TextOutput& text) const;

  const std::span<const SymbolIndex> rows_;
  const ReportRequest& request_;
  const ReportData& data_;
  const ReportNames& names_;
  const SampleTally& samples_;
  const Ticks sampled_;
  const Ticks total_;
  const TimeUnit unit_;
};

// The unit in which the most expensive call has up to three digits before the point.
TimeUnit FlatProfile::unit_of_calls() const {
  if (request_.traditional) return time_units[milliseconds];
  Ticks dearest = 0;
  for (SymbolIndex symbol = 0; symbol < data_.symbols.size(); ++symbol) {
    if (node(symbol).calls == 0) continue;
    dearest = std::max(dearest, node(symbol).total() / static_cast<double>(node(symbol).calls));
  }
  for (const TimeUnit& unit : time_units) {
    const double scaled = unit.per_second * seconds(dearest);
    if (scaled >= 1 && scaled < 1000) return unit;
  }
  return time_units.front();
}

void FlatProfile::append_heading(TextOutput& text) const {
  if (request_.traditional) {
    append(text, "\ngranularity: each sample hit covers {} byte(s)",
           bytes_a_sample(samples_.scale));
    if (sampled_ > 0) {
      append(text, " for {:.2f}% of {:.2f} {}\n\n", 100.0 / sampled_, seconds(sampled_),
             samples_.dimension);
      return;
    }
  } else {
    text.append(RangeKind::heading, "Flat profile:");
    text += "\n\n";
    append_part(text, request_);
    if (data_.errors.exact()) {
      append(text, "Costs were {}, in {}.\n",
             data_.errors.by_clock() ? "taken from a clock" : "counted", samples_.dimension);
    } else {
      append(text, "Each sample counts as {:g} {}.\n", 1.0 / samples_.rate, samples_.dimension);
    }
  }
  if (sampled_ <= 0) text += " no time accumulated\n\n";
}

void FlatProfile::append_column_names(TextOutput& text) const {
  const std::string a_call = fmt::format("{}{}/call", unit_.prefix, samples_.abbreviation);
  const std::string_view shown = up_to_nul(a_call);
  const std::string margin(request_.show_errors ? error_width : 0, ' ');
  append_column_line(text, "  %   cumulative   self  {}            self     total           ",
                     margin);
  append_column_line(text, " time {}  {}{} {} {} {}  {}", right_aligned(samples_.dimension, 9),
                     right_aligned(samples_.dimension, 8),
                     request_.show_errors ? right_aligned("+-error", error_width) : "",
                     right_aligned("calls", 8), right_aligned(shown, 8), right_aligned(shown, 8),
                     left_aligned("name", 8));
}

void FlatProfile::append_times(TextOutput& text, Ticks self, Ticks cumulative,
                               const SampleErrors& errors) const {
  const bool traditional = request_.traditional;
  append_share(text, 100 * self / total_, traditional ? 1 : 2, traditional ? 5 : 6);
  text += ' ';
  text.append_fixed(seconds(cumulative), 2, traditional ? 10 : 9);
  text += ' ';
  text.append_fixed(seconds(self), 2, 8);
  if (request_.show_errors) text += error_column(errors.error_of(self), samples_.rate);
}

void FlatProfile::append_row(TextOutput& text, SymbolIndex symbol, Ticks cumulative) const {
  const Ticks self = samples_.self[symbol];
  const auto calls = static_cast<double>(node(symbol).calls);
  append_times(text, self, cumulative, data_.errors);
  if (calls > 0) {
    text += ' ';
    text.append_right(node(symbol).calls, 8);
    text += ' ';
    text.append_fixed(seconds(unit_.per_second * self) / calls, 2, 8);
    text += ' ';
    text.append_fixed(seconds(unit_.per_second * node(symbol).total()) / calls, 2, 8);
    text += "  ";
  } else {
    text.append_blanks(call_columns);
  }
  if (request_.traditional) {
    names_.append_numbered(text, symbol);
  } else {
    names_.append_plain(text, symbol);
  }
  text += '\n';
}

void FlatProfile::append_row(TextOutput& text, const ExternalTime& time, Ticks cumulative) const {
  append_times(text, time.ticks, cumulative, data_.errors.of_all_code());
  text.append_blanks(call_columns);
  text += time.name;
  text += '\n';
}

std::vector<std::uint32_t> FlatProfile::all_rows() const {
  std::vector<std::uint32_t> rows(rows_.begin(), rows_.end());
  const auto first = static_cast<std::uint32_t>(data_.symbols.size());
  for (std::uint32_t i = 0; i < data_.external.size(); ++i) rows.push_back(first + i);
  std::inplace_merge(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows_.size()),
                     rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return self_of(a) > self_of(b); });
  return rows;
}

void FlatProfile::append_rows(TextOutput& text) const {
  const std::vector<std::uint32_t> rows = all_rows();
  std::vector<Ticks> cumulative;
  cumulative.reserve(rows.size());
  Ticks sum = 0;
  for (const std::uint32_t row : rows) cumulative.push_back(sum += self_of(row));
  print_in_parts(text, rows.size(), [&](TextOutput& part, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (const ExternalTime* time = external(rows[i])) {
        append_row(part, *time, cumulative[i]);
      } else {
        append_row(part, rows[i], cumulative[i]);
      }
    }
  });
}

void FlatProfile::append_to(TextOutput& text) const {
  const TextOutput::Mark section = begin_report(text);
  if (request_.traditional && !request_.brief) {
    text += "\n\n\n";
    text.append(RangeKind::heading, "flat profile:");
    text += '\n';
    text.append(RangeKind::explanation, traditional_flat_profile_explanation);
  }
  append_heading(text);
  append_column_names(text);
  append_rows(text);
  if (!request_.traditional && !request_.brief) {
    text.append(RangeKind::explanation, flat_profile_explanation);
  }
}

// By symbol, 1 or 0: in symbol order, to read memory sequentially.
std::vector<std::uint8_t> listed_symbols(const ReportRequest& request, const ReportData& data) {
  std::vector<std::uint8_t> listed(data.symbols.size());
  for (SymbolIndex symbol = 0; symbol < listed.size(); ++symbol) {
    const bool used = data.graph.node(symbol).calls != 0 || data.samples.self[symbol] != 0;
    if (!used && !request.show_unused) continue;
    const bool chosen = data.selected.chosen(SymspecList::include_flat, SymspecList::exclude_flat,
                                             data.symbols[symbol].address);
    listed[symbol] = chosen ? 1 : 0;
  }
  return listed;
}

}  // namespace

std::vector<SymbolIndex> flat_profile_rows(const ReportRequest& request, const ReportData& data) {
  const std::vector<std::uint8_t> listed = listed_symbols(request, data);
  std::vector<SymbolIndex> order;
  order.reserve(static_cast<std::size_t>(std::count(listed.begin(), listed.end(), 1)));
  for (const SymbolIndex symbol : data.by_name) {
    if (listed[symbol] != 0) order.push_back(symbol);
  }
  std::vector<ListedSymbol> rows;
  rows.reserve(order.size());
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + ahead < order.size()) data.graph.prefetch_node(order[i + ahead]);
    rows.push_back({~data.graph.node(order[i]).calls, order[i]});
  }
  radix_sort(rows, [](const ListedSymbol& row) { return row.key; });
  for (ListedSymbol& row : rows) row.key = ~sortable(data.samples.self[row.symbol]);
  radix_sort(rows, [](const ListedSymbol& row) { return row.key; });
  std::transform(rows.begin(), rows.end(), order.begin(),
                 [](const ListedSymbol& row) { return row.symbol; });
  return order;
}

void append_flat_profile(TextOutput& text, const ReportRequest& request, const ReportData& data,
                         const ReportNames& names, std::span<const SymbolIndex> rows) {
  FlatProfile(request, data, names, rows).append_to(text);
}

}  // namespace gprof
