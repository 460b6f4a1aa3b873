#include "server/features/report_links.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "server/documents/position.h"
#include "server/features/cost_text.h"
#include "server/features/number_text.h"

namespace gprof::lsp {
namespace {

// Limit on functions and files looked up for the links of one report: each may need decoding.
constexpr std::size_t most_link_targets = 5'000;

class Linker {
 public:
  Linker(const ReportView& report, FunctionPlaces& places)
      : report_(report),
        places_(places),
        resolver_(*places.program().snapshot, report.symbols, report.document) {}

  std::vector<DocumentLink> links(bool tooltips);
  std::optional<Location> definition(Position position);

 private:
  [[nodiscard]] std::string_view line(const ReportSpan& span) const {
    return report_.lines.line(report_.text, span.line);
  }
  [[nodiscard]] Range range(const ReportSpan& span) const;
  [[nodiscard]] std::optional<Location> entry(const ReportReference& reference) const;
  [[nodiscard]] std::optional<Location> file(const ReportFileName& name);
  [[nodiscard]] std::string tooltip(SymbolIndex symbol) const;
  // None if it has no target.
  [[nodiscard]] std::optional<DocumentLink> link(const ReportName& name, bool tooltips);
  [[nodiscard]] std::optional<DocumentLink> link(const ReportFileName& name);
  [[nodiscard]] std::optional<DocumentLink> link(const ReportReference& reference) const;

  const ReportView& report_;
  FunctionPlaces& places_;
  ReportResolver resolver_;
  std::unordered_map<SymbolIndex, std::optional<std::string>> targets_;
};

Range Linker::range(const ReportSpan& span) const {
  const std::string_view text = line(span);
  return {{span.line, character_at_byte(text, span.begin, report_.encoding)},
          {span.line, character_at_byte(text, span.end, report_.encoding)}};
}

// Where the entry with that number is, in this document.
std::optional<Location> Linker::entry(const ReportReference& reference) const {
  const auto found = report_.document.entries.find(reference.entry);
  if (found == report_.document.entries.end() || found->second == reference.span.line) return {};
  const std::string uri = report_.uri.substr(0, report_.uri.find('#'));
  const ReportSpan start{found->second, 0, 0};
  return Location{uri, range(start)};
}

std::optional<Location> Linker::file(const ReportFileName& name) {
  const SourceIndex& sources = places_.program().snapshot->sources();
  const auto file = sources.find_file(name.path);
  if (!file) return std::nullopt;
  if (name.line != 0) return places_.line(*file, name.line);
  const FileView* view = places_.view(*file);
  return view ? std::optional(Location{view->uri, {}}) : std::nullopt;
}

// "300+1,200 calls · self 0.42 s (33 %)"
std::string Linker::tooltip(SymbolIndex symbol) const {
  const Snapshot& snapshot = *places_.program().snapshot;
  const GraphNode& node = snapshot.graph().node(symbol);
  std::string text = exact_count(node.calls);
  if (node.self_calls > 0) text += "+" + exact_count(node.self_calls);
  text += node.calls == 1 && node.self_calls == 0 ? " call" : " calls";
  const Profile& profile = snapshot.profile();
  if (has_times(profile)) {
    text += fmt::format(" · self {}", time_and_share(profile, node.self));
    text += fmt::format(" · total {}", time_and_share(profile, node.total()));
  }
  return text;
}

std::optional<DocumentLink> Linker::link(const ReportName& name, bool tooltips) {
  // Resolving a name costs as much as looking up the function.
  if (targets_.size() >= most_link_targets) return std::nullopt;
  const auto resolved = resolver_.resolve(name);
  if (!resolved) return std::nullopt;
  const auto [known, is_new] = targets_.try_emplace(resolved->symbol);
  auto& target = known->second;
  if (is_new) {
    const auto& place = places_.of(resolved->symbol);
    if (place) target = link_to(*place);
  }
  if (!target) return std::nullopt;
  DocumentLink link{range(resolved->span), *target, std::nullopt};
  if (tooltips) link.tooltip = tooltip(resolved->symbol);
  return link;
}

std::optional<DocumentLink> Linker::link(const ReportFileName& name) {
  const auto place = file(name);
  if (!place) return std::nullopt;
  return DocumentLink{range(name.span), name.line == 0 ? place->uri : link_to(*place),
                      std::nullopt};
}

std::optional<DocumentLink> Linker::link(const ReportReference& reference) const {
  const auto place = entry(reference);
  if (!place) return std::nullopt;
  return DocumentLink{range(reference.span), link_to(*place), std::nullopt};
}

// Line by line, so that only the end of a report that is too large is left out.
std::vector<DocumentLink> Linker::links(bool tooltips) {
  std::vector<DocumentLink> links;
  const auto add = [&](std::optional<DocumentLink> link) {
    if (link && links.size() < most_report_links) links.push_back(std::move(*link));
  };
  auto name = report_.document.names.begin();
  auto file_name = report_.document.files.begin();
  auto reference = report_.document.references.begin();
  const auto line_of = [](auto position, const auto& all) {
    return position == all.end() ? ~std::uint32_t{0} : position->span.line;
  };
  while (links.size() < most_report_links) {
    const std::uint32_t line =
        std::min({line_of(name, report_.document.names), line_of(file_name, report_.document.files),
                  line_of(reference, report_.document.references)});
    if (line == ~std::uint32_t{0}) break;
    const auto on_line = [&](auto position, const auto& all) {
      return line_of(position, all) == line;
    };
    for (; on_line(name, report_.document.names); ++name) add(link(*name, tooltips));
    for (; on_line(file_name, report_.document.files); ++file_name) add(link(*file_name));
    for (; on_line(reference, report_.document.references); ++reference) add(link(*reference));
  }
  std::stable_sort(links.begin(), links.end(), [](const DocumentLink& a, const DocumentLink& b) {
    return a.range.start < b.range.start;
  });
  return links;
}

std::optional<Location> Linker::definition(Position position) {
  const auto holds = [&](const ReportSpan& span) {
    if (span.line != position.line) return false;
    const Range covered = range(span);
    return covered.start <= position && position <= covered.end;
  };
  for (const ReportName& name : report_.document.names) {
    if (name.span.line != position.line) continue;
    const auto resolved = resolver_.resolve(name);
    if (resolved && holds(resolved->span)) return places_.of(resolved->symbol);
  }
  for (const ReportFileName& name : report_.document.files) {
    if (holds(name.span)) return file(name);
  }
  for (const ReportReference& reference : report_.document.references) {
    if (holds(reference.span)) return entry(reference);
  }
  return std::nullopt;
}

}  // namespace

std::vector<DocumentLink> report_links(const ReportView& report, FunctionPlaces& places,
                                       bool tooltips) {
  return Linker(report, places).links(tooltips);
}

std::optional<Location> report_definition(const ReportView& report, Position position,
                                          FunctionPlaces& places) {
  return Linker(report, places).definition(position);
}

}  // namespace gprof::lsp
