#include "server/cli/report/report_colors.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

constexpr std::uint64_t warm_share = 10'00;

// Empty for what stays as it is.
std::string_view color_of(const ReportRange& range) {
  switch (range.kind) {
    case RangeKind::heading:
    case RangeKind::entry_name:
      return color_bold;
    case RangeKind::column_names:
      return color_dim;
    case RangeKind::share:
      return range.subject >= warm_share ? color_warm : std::string_view();
    default:
      return {};
  }
}

}  // namespace

std::string colored_report(std::string_view text, std::span<const ReportRange> ranges) {
  std::string painted;
  painted.reserve(text.size() + text.size() / 4);
  std::size_t done = 0;
  for (const ReportRange& range : ranges) {
    const std::string_view color = color_of(range);
    if (color.empty() || range.begin == range.end) continue;
    const std::size_t end = range.end;
    std::size_t begin = range.begin;
    // A column's figures, not the blanks before them.
    if (range.kind == RangeKind::share) begin = std::min(text.find_first_not_of(' ', begin), end);
    painted += text.substr(done, begin - done);
    painted += color;
    painted += text.substr(begin, end - begin);
    painted += color_off;
    done = end;
  }
  painted += text.substr(done);
  return painted;
}

}  // namespace gprof::lsp
