#include "server/report_documents/report_folding.h"

#include <algorithm>
#include <optional>

namespace gprof::lsp {
namespace {

bool is_report(const ReportRange& range) {
  return range.kind == RangeKind::section || range.kind == RangeKind::source;
}

// Its lines, without blank ones at either end; none where fewer than two are left.
std::optional<FoldingRange> fold_of(const ReportText& report, const ReportRange& range) {
  constexpr std::string_view blanks = " \t\f\r\n";
  const auto covered = std::string_view(report.text).substr(range.begin, range.end - range.begin);
  const std::size_t begin = covered.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = covered.find_last_not_of(blanks);
  const auto first = static_cast<std::uint32_t>(report.lines.line_at(range.begin + begin));
  const auto last = static_cast<std::uint32_t>(report.lines.line_at(range.begin + end));
  if (first == last) return std::nullopt;
  const bool explains = range.kind == RangeKind::explanation;
  return FoldingRange{first, last, explains ? FoldingKind::comment : FoldingKind::region};
}

}  // namespace

std::vector<FoldingRange> report_folding(const ReportText& report) {
  // A report that stands alone needs no fold for all of it.
  const bool is_alone = std::ranges::count_if(report.parts.ranges, is_report) < 2;
  std::vector<FoldingRange> folds;
  for (const ReportRange& range : report.parts.ranges) {
    const bool folds_here = range.kind == RangeKind::entry || range.kind == RangeKind::source ||
                            range.kind == RangeKind::explanation ||
                            (range.kind == RangeKind::section && !is_alone);
    if (!folds_here) continue;
    if (const auto fold = fold_of(report, range)) folds.push_back(*fold);
    if (folds.size() == most_report_folds) break;
  }
  return folds;
}

}  // namespace gprof::lsp
