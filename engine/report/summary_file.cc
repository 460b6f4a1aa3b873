#include "engine/report/summary_file.h"

#include <algorithm>
#include <utility>

#include "engine/gmon/writer.h"

namespace gprof {
namespace {

constexpr const char* summary_path = "gmon.sum";

}  // namespace

Expected<ReportFile> make_summary_file(const ReportRequest& request, const RawProfile& sum,
                                       const JoinedReport& joined, const GmonLayout& layout) {
  const SourceSymbolTable& symbols = joined.data.symbols;
  RawProfile summary = sum;
  std::vector<SiteArc> by_caller(joined.arcs);
  std::ranges::stable_sort(by_caller, {}, &SiteArc::caller);
  summary.arcs.clear();
  for (const SiteArc& arc : by_caller) {
    const bool spontaneous = arc.caller == no_symbol;
    const Address from = spontaneous ? arc.from_pc : symbols[arc.caller].address;
    summary.arcs.push_back({from, symbols[arc.callee].address, arc.count});
  }
  summary.blocks.clear();
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    const auto counted = joined.data.blocks.of(symbol);
    summary.blocks.insert(summary.blocks.end(), counted.begin(), counted.end());
  }
  const bool bsd =
      request.format == GmonFormatChoice::bsd || request.format == GmonFormatChoice::bsd44;
  auto bytes = bsd ? write_bsd_gmon(summary, layout) : write_gmon(summary, layout);
  if (!bytes) {
    Error error = std::move(bytes).error();
    error.path = summary_path;
    return error;
  }
  const auto* characters = reinterpret_cast<const char*>(bytes->data());
  return ReportFile{summary_path, std::string(characters, bytes->size())};
}

}  // namespace gprof
