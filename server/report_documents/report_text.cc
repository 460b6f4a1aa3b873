#include "server/report_documents/report_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/documents/align_lines.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

void keep_last_section(std::string& text, std::vector<ReportRange>& ranges) {
  const auto last = std::find_if(ranges.rbegin(), ranges.rend(), [](const ReportRange& range) {
    return range.kind == RangeKind::section;
  });
  if (last == ranges.rend()) {
    text.clear();
    return ranges.clear();
  }
  const std::uint64_t begin = last->begin;
  text.erase(0, begin);
  ranges.erase(ranges.begin(), std::prev(last.base()));
  for (ReportRange& range : ranges) {
    range.begin -= begin;
    range.end -= begin;
  }
}

}  // namespace

std::string shown_text(std::string_view text, std::vector<ReportRange>& ranges,
                       const ShowText& show) {
  std::string whole = show(text);
  // A character that is shown as another one is longer in every text, or shorter in every text.
  if (whole.size() == text.size()) return whole;
  std::vector<std::uint64_t*> cuts;
  cuts.reserve(2 * ranges.size());
  for (ReportRange& range : ranges) cuts.insert(cuts.end(), {&range.begin, &range.end});
  std::ranges::sort(cuts, {}, [](const std::uint64_t* cut) { return *cut; });
  std::string shown;
  std::size_t done = 0;
  for (std::uint64_t* cut : cuts) {
    const std::size_t at = std::exchange(*cut, 0);
    shown += show(text.substr(done, at - done));
    done = at;
    *cut = shown.size();
  }
  return shown + show(text.substr(done));
}

ReportText report_text(std::string printed, ReportRanges parts, bool last_section) {
  if (last_section) keep_last_section(printed, parts.ranges);
  ReportText report;
  report.parts = std::move(parts);
  // Sources and names may hold anything; messages may not.
  report.text = shown_text(printed, report.parts.ranges,
                           [](std::string_view piece) { return well_formed(std::string(piece)); });
  report.lines = LineTable(report.text);
  return report;
}

ReportText in_open_text(const ReportText& report, const Document& document) {
  ReportText shown{document.text(), document.lines(), {{}, report.parts.files}};
  const auto open = align_lines(hash_lines(report.text, report.lines), *document.hashes());
  const auto offset_now = [&](std::uint64_t offset) -> std::optional<std::uint64_t> {
    const std::size_t line = report.lines.line_at(offset);
    const auto line_now = open.here(static_cast<LineNumber>(line + 1));
    if (!line_now) return std::nullopt;
    return shown.lines.start(*line_now - 1) + (offset - report.lines.start(line));
  };
  for (ReportRange range : report.parts.ranges) {
    const auto begin = offset_now(range.begin);
    const auto end = offset_now(range.end);
    if (!begin || !end) continue;
    range.begin = *begin;
    range.end = *end;
    shown.parts.ranges.push_back(range);
  }
  return shown;
}

}  // namespace gprof::lsp
