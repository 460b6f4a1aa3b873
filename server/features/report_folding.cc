#include "server/features/report_folding.h"

#include <algorithm>

namespace gprof::lsp {

std::vector<FoldingRange> report_folding(const ReportDocument& document) {
  const std::size_t count = std::min(document.folds.size(), most_report_folds);
  std::vector<FoldingRange> ranges;
  ranges.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ReportFold& fold = document.folds[i];
    ranges.push_back(
        {fold.first, fold.last, fold.explanation ? FoldingKind::comment : FoldingKind::region});
  }
  return ranges;
}

}  // namespace gprof::lsp
