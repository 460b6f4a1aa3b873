#include "engine/report/summary_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/sidecar_sum.h"
#include "engine/gmon/writer.h"
#include "engine/run_info.h"

namespace gprof {
namespace {

constexpr const char* summary_path = "gmon.sum";

ReportFile file_of(std::string path, const std::vector<std::byte>& bytes) {
  const auto* characters = reinterpret_cast<const char*>(bytes.data());
  return {std::move(path), std::string(characters, bytes.size())};
}

// Only the modules whose calls the sum contains.
Sidecar in_sum(const ProfileInput::Collected& collected) {
  Sidecar sidecar = collected.sidecar;
  for (std::size_t i = 0; i < sidecar.modules.size(); ++i) {
    const bool own = i < collected.own_modules.size() && collected.own_modules[i];
    sidecar.modules[i].file = own ? summary_path : "";
  }
  return sidecar;
}

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
  const auto bytes = bsd ? write_bsd_gmon(summary, layout) : write_gmon(summary, layout);
  if (!bytes) {
    Error error = bytes.error();
    error.path = summary_path;
    return error;
  }
  return file_of(summary_path, *bytes);
}

Expected<std::optional<ReportFile>> make_summary_sidecar(const ProfileInput& input,
                                                         Warnings& warnings) {
  const std::string path = sidecar_name(summary_path);
  if (input.collected.empty()) return std::optional<ReportFile>();
  if (input.collected.size() < input.files.size()) {
    warnings.push_back({ErrorCode::mismatch,
                        fmt::format("not written: {} of {} profiles have a sidecar",
                                    input.collected.size(), input.files.size()),
                        path, std::nullopt});
    return std::optional<ReportFile>();
  }
  SidecarSum sum(summary_path);
  for (const ProfileInput::Collected& collected : input.collected) {
    TRY(sum.add(in_sum(collected), summary_path, sidecar_name(collected.path)));
  }
  const auto bytes = write_sidecar(sum.take());
  if (!bytes) {
    Error error = bytes.error();
    error.path = path;
    return error;
  }
  return std::optional(file_of(path, *bytes));
}

}  // namespace gprof
