#include "server/cli/report/report_values.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "server/cli/report/report_options.h"

namespace gprof::lsp {
namespace {

using Text = std::optional<std::string_view>;

int leading_integer(std::string_view text) {
  // NOLINTNEXTLINE(cert-err34-c): that nothing is refused is what is wanted
  return static_cast<int>(std::strtol(std::string(text).c_str(), nullptr, 10));
}

void add_symspec(ReportRequest& request, SymspecList list, std::string_view text) {
  // If not for arcs, GNU gprof takes FROM of FROM/TO.
  const bool is_arc = list == SymspecList::include_arcs || list == SymspecList::exclude_arcs;
  if (!is_arc) text = text.substr(0, text.find('/'));
  request.symspecs.push_back({list, std::string(text)});
}

// Without an argument it applies to the whole report; with one, the report is always wanted.
void take_style(ReportRequest& request, const ReportStyle& style, Text argument) {
  request.named.insert(style.kind);
  if (!argument && style.suppresses) return request.kinds.erase(style.kind);
  request.kinds.insert(style.kind);
  if (!argument) return;
  const bool is_arc =
      style.kind == ReportKind::call_graph && argument->find('/') != std::string_view::npos;
  const SymspecList arcs = style.suppresses ? SymspecList::exclude_arcs : SymspecList::include_arcs;
  add_symspec(request, is_arc ? arcs : style.list, *argument);
}

// A setter that refuses nothing.
template <typename Take>
OptionValue taking_value(ValueUse use, std::string name, Take take) {
  return text_value(use, std::move(name), [take = std::move(take)](Text text) -> Expected<void> {
    take(text);
    return {};
  });
}

}  // namespace

OptionValue style_value(ReportRequest& request, const ReportStyle& style) {
  return taking_value(ValueUse::optional, "SYMSPEC",
                      [&request, style](Text text) { take_style(request, style, text); });
}

OptionValue report_value(ReportRequest& request, ReportKind kind) {
  return taking_value(ValueUse::none, "", [&request, kind](Text) {
    request.kinds.insert(kind);
    request.named.insert(kind);
  });
}

OptionValue sum_value(ReportRequest& request) {
  return taking_value(ValueUse::none, "", [&request](Text) {
    // GNU gprof sums arcs between lines, and prints all other reports line by line.
    request.by_line = true;
    request.kinds.insert(ReportKind::summary_file);
    request.named.insert(ReportKind::summary_file);
  });
}

OptionValue symspec_value(std::string name, ReportRequest& request,
                          std::vector<SymspecList> lists) {
  return taking_value(ValueUse::required, std::move(name),
                      [&request, lists = std::move(lists)](Text text) {
                        for (const SymspecList list : lists) add_symspec(request, list, *text);
                      });
}

OptionValue function_map_value(std::string name, ReportRequest& request) {
  auto value = file_value(std::move(name), request.function_map);
  value.set = [&request, set = std::move(value.set)](Text text) {
    request.kinds.insert(ReportKind::file_ordering);
    request.named.insert(ReportKind::file_ordering);
    return set(text);
  };
  return value;
}

OptionValue format_value(std::string name, GmonFormatChoice& format, bool& is_prof) {
  using enum GmonFormatChoice;
  auto value = choice_value<GmonFormatChoice>(
      std::move(name), format,
      {{"auto", automatic}, {"bsd", bsd}, {"4.4bsd", bsd44}, {"magic", gnu}});
  value.set = [&is_prof, choices = value.choices,
               set = std::move(value.set)](Text text) -> Expected<void> {
    is_prof = text->starts_with('p');
    if (is_prof) return {};
    for (const ValueChoice& choice : choices) {
      if (text->starts_with(choice.name.front())) return set(choice.name);
    }
    return set(text);
  };
  return value;
}

OptionValue directories_value(std::string name, std::vector<std::string>& target) {
  auto value = taking_value(ValueUse::required, std::move(name), [&target](Text text) {
    for (std::string& directory : split_directories(*text)) target.push_back(std::move(directory));
  });
  return value;
}

OptionValue integer_value(std::string name, int& target, int low) {
  return taking_value(ValueUse::required, std::move(name), [&target, low](Text text) {
    target = std::max(low, leading_integer(*text));
  });
}

OptionValue minimum_value(std::string name, std::uint64_t& target) {
  return taking_value(ValueUse::required, std::move(name), [&target](Text text) {
    target = std::strtoul(std::string(*text).c_str(), nullptr, 10);
  });
}

OptionValue topics_value(std::string name, std::uint32_t& target) {
  return taking_value(ValueUse::optional, std::move(name), [&target](Text text) {
    constexpr std::uint32_t all_topics = ~std::uint32_t{0};
    target |= text ? static_cast<std::uint32_t>(leading_integer(*text)) : all_topics;
  });
}

}  // namespace gprof::lsp
