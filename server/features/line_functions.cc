#include "server/features/line_functions.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/line_details.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t max_line_function_rows = 10;

// Its name in ever longer forms: the own name, that with its class, with all scopes, with its
// place.
constexpr std::size_t line_name_forms = 4;
std::string line_name_form(const FileView& view, const FunctionCost& function, std::size_t form) {
  std::string name = view.name_of(function);
  switch (form) {
    case 0:
      return std::string(last_component(name));
    case 1:
      return short_name(name);
    case 2:
      return name;
    default:
      return fmt::format("{} (column {})", short_name(name), function.declaration.column);
  }
}

std::vector<std::string> line_function_row(MarkupWriter& out, const FileView& view,
                                           const FunctionCost& function) {
  const FunctionCosts& profile = view.profile();
  std::vector<std::string> row = {out.link(name_on_line(view, function), "")};
  if (!has_calls_left_out(view.program) && !counts_no_calls(view.program)) {
    const bool counted = function.counting == CallCounting::counted;
    row.push_back(counted ? exact_count(function.calls + function.recursive_calls) : "–");
  }
  if (has_times(profile)) {
    const ShownTimes times = shown_times(function);
    row.push_back(time_and_share(profile, times.self));
    if (has_totals(view.program)) {
      row.push_back(times.total ? time_and_share(profile, *times.total) : "–");
    }
  }
  return row;
}

std::vector<std::string> line_function_header(const FileView& view, std::string_view title) {
  std::vector<std::string> header = {std::string(title)};
  if (!has_calls_left_out(view.program) && !counts_no_calls(view.program)) {
    header.emplace_back("Calls");
  }
  if (has_times(view.profile())) {
    header.emplace_back("Self");
    if (has_totals(view.program)) header.emplace_back("Total");
  }
  return header;
}

}  // namespace

bool costs_more(const FunctionCost& a, const FunctionCost& b) {
  const auto cost = [](const FunctionCost& function) {
    const ShownTimes times = shown_times(function);
    return std::tuple(times.self, times.total.value_or(times.self),
                      function.calls + function.recursive_calls);
  };
  return cost(a) > cost(b);
}

bool has_run(const FunctionCost& function) {
  const ShownTimes times = shown_times(function);
  return function.calls > 0 || function.recursive_calls > 0 || times.self > 0 ||
         times.total.value_or(0) > 0 || function.counting == CallCounting::uncounted_caller;
}

std::vector<const FunctionCost*> functions_of_line(const FileView& view, LineNumber line) {
  std::vector<const FunctionCost*> functions;
  for (const FunctionCost& function : view.costs->functions_declared_at(line)) {
    functions.push_back(&function);
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto* a, const auto* b) { return costs_more(*a, *b); });
  return functions;
}

const FunctionCost& costliest_beside(const FileView& view, const FunctionCost& function,
                                     LineNumber line) {
  for (const FunctionCost* other : functions_of_line(view, function.declaration.line)) {
    if (std::max(other->last_line, other->declaration.line) >= line) return *other;
  }
  return function;
}

std::string name_on_line(const FileView& view, const FunctionCost& function) {
  const auto others = view.costs->functions_declared_at(function.declaration.line);
  for (std::size_t form = 0; form + 1 < line_name_forms; ++form) {
    std::string name = line_name_form(view, function, form);
    const bool is_alone = std::ranges::none_of(others, [&](const FunctionCost& other) {
      return &other != &function && line_name_form(view, other, form) == name;
    });
    if (is_alone) return name;
  }
  return line_name_form(view, function, line_name_forms - 1);
}

void write_functions_of_line(MarkupWriter& out, const FileView& view,
                             const std::vector<const FunctionCost*>& functions,
                             std::string_view title) {
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;
  std::size_t silent = 0;
  for (const FunctionCost* function : functions) {
    if (!has_run(*function)) {
      ++silent;
    } else if (rows.size() < max_line_function_rows) {
      rows.push_back(line_function_row(out, view, *function));
    } else {
      ++left_out;
    }
  }
  if (!rows.empty()) out.table(line_function_header(view, title), rows);
  std::string rest;
  if (left_out > 0) rest = fmt::format("… and {} more. ", left_out);
  if (silent > 0) {
    rest += fmt::format("{} other function{} of this line {} no figures.", silent,
                        silent == 1 ? "" : "s", silent == 1 ? "has" : "have");
  }
  if (!rest.empty()) out.paragraph(rest);
}

}  // namespace gprof::lsp
