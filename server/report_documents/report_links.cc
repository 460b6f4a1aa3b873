#include "server/report_documents/report_links.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "server/documents/position.h"
#include "server/features/cost_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// Functions that are looked up for the links of one report: each may have to be decoded.
constexpr std::size_t most_link_targets = 5'000;

class Linker {
 public:
  Linker(const ReportView& view, FunctionLocations& locations);

  std::vector<DocumentLink> links(bool tooltips);
  std::optional<Location> definition(Position position);

 private:
  [[nodiscard]] Range range(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] std::optional<SymbolIndex> function(const ReportRange& range) const;
  [[nodiscard]] std::optional<Location> entry(const ReportRange& range) const;
  [[nodiscard]] std::optional<Location> file(const ReportRange& range);
  // None where there is nothing to lead to.
  [[nodiscard]] std::optional<Location> target(const ReportRange& range);
  [[nodiscard]] std::optional<DocumentLink> link(const ReportRange& range, bool tooltips);
  [[nodiscard]] std::string tooltip(SymbolIndex symbol) const;

  const ReportView& view_;
  const ReportText& report_;
  FunctionLocations& locations_;
  std::unordered_map<std::uint64_t, std::uint64_t> entries_;  // number -> where its name begins
  std::unordered_set<SymbolIndex> looked_up_;
};

Linker::Linker(const ReportView& view, FunctionLocations& locations)
    : view_(view), report_(view.report), locations_(locations) {
  for (const ReportRange& range : report_.parts.ranges) {
    if (range.kind == RangeKind::entry_name) entries_.emplace(range.subject, range.begin);
  }
}

Range Linker::range(std::uint64_t begin, std::uint64_t end) const {
  return {position_of(report_.text, report_.lines, begin, view_.encoding),
          position_of(report_.text, report_.lines, end, view_.encoding)};
}

std::optional<SymbolIndex> Linker::function(const ReportRange& range) const {
  return locations_.program().snapshot->symbols().find(Address{range.subject});
}

// Where the entry of that number stands, in this very document.
std::optional<Location> Linker::entry(const ReportRange& range) const {
  const auto found = entries_.find(range.subject);
  if (found == entries_.end()) return std::nullopt;
  const std::size_t line = report_.lines.line_at(found->second);
  if (line == report_.lines.line_at(range.begin)) return std::nullopt;
  const std::uint64_t start = report_.lines.start(line);
  return Location{view_.uri.substr(0, view_.uri.find('#')), this->range(start, start)};
}

std::optional<Location> Linker::file(const ReportRange& range) {
  const auto file =
      locations_.program().snapshot->sources().find_file(report_.parts.files.at(range.subject));
  if (!file) return std::nullopt;
  if (range.line != 0) return locations_.line(*file, range.line);
  const FileView* view = locations_.view(*file);
  return view ? std::optional(Location{view->uri, {}}) : std::nullopt;
}

std::optional<Location> Linker::target(const ReportRange& range) {
  if (range.kind == RangeKind::file) return file(range);
  if (range.kind == RangeKind::reference) return entry(range);
  if (range.kind != RangeKind::function) return std::nullopt;
  const auto symbol = function(range);
  return symbol ? locations_.of(*symbol) : std::nullopt;
}

// "300+1,200 calls · self 0.42 s (33 %)"
std::string Linker::tooltip(SymbolIndex symbol) const {
  const Snapshot& snapshot = *locations_.program().snapshot;
  const GraphNode& node = snapshot.graph().node(symbol);
  const FunctionCosts& profile = snapshot.profile();
  std::string text;
  if (profile.has_arcs()) {
    text = exact_count(node.calls);
    if (node.self_calls > 0) text += "+" + exact_count(node.self_calls);
    text += node.calls == 1 && node.self_calls == 0 ? " call" : " calls";
  }
  if (has_times(profile)) {
    text += fmt::format("{}self {}", text.empty() ? "" : " · ", time_and_share(profile, node.self));
    text += fmt::format(" · total {}", time_and_share(profile, node.total()));
  }
  return text;
}

std::optional<DocumentLink> Linker::link(const ReportRange& range, bool tooltips) {
  std::optional<SymbolIndex> symbol;
  if (range.kind == RangeKind::function) {
    symbol = function(range);
    if (!symbol) return std::nullopt;
    if (looked_up_.size() >= most_link_targets && !looked_up_.contains(*symbol)) return {};
    looked_up_.insert(*symbol);
  }
  const auto location = target(range);
  if (!location) return std::nullopt;
  const bool whole_file = range.kind == RangeKind::file && range.line == 0;
  DocumentLink link{this->range(range.begin, range.end),
                    whole_file ? location->uri : link_to(*location), std::nullopt};
  if (symbol && tooltips) link.tooltip = tooltip(*symbol);
  return link;
}

std::vector<DocumentLink> Linker::links(bool tooltips) {
  std::vector<DocumentLink> links;
  for (const ReportRange& range : report_.parts.ranges) {
    if (links.size() == most_report_links) break;
    if (auto made = link(range, tooltips)) links.push_back(std::move(*made));
  }
  return links;
}

std::optional<Location> Linker::definition(Position position) {
  const std::uint64_t offset = offset_of(report_.text, report_.lines, position, view_.encoding);
  for (const ReportRange& range : report_.parts.ranges) {
    if (range.begin > offset) break;
    if (offset > range.end) continue;
    if (auto location = target(range)) return location;
  }
  return std::nullopt;
}

}  // namespace

std::vector<DocumentLink> report_links(const ReportView& view, FunctionLocations& locations,
                                       bool tooltips) {
  return Linker(view, locations).links(tooltips);
}

std::optional<Location> report_definition(const ReportView& view, Position position,
                                          FunctionLocations& locations) {
  return Linker(view, locations).definition(position);
}

}  // namespace gprof::lsp
