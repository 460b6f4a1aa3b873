#include "engine/report/profile_input.h"

#include <utility>

#include "engine/analysis/external_functions.h"
#include "engine/analysis/samples.h"
#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/sum.h"
#include "engine/matching.h"
#include "engine/profile_files.h"
#include "engine/report/layout.h"
#include "engine/run_info.h"
#include "engine/snapshot.h"

namespace gprof {
namespace {

// `buffer` is for the files' bytes.
Expected<EncodedProfile> read_one(const ReportRequest& request, const std::string& path,
                                  const GmonLayout& layout, std::vector<std::byte>& buffer) {
  const auto stream = request.streams.find(path);
  if (stream != request.streams.end()) {
    return read_stored_gmon(stream->second, path == "-" ? "standard input" : path, layout,
                            request.format);
  }
  return read_stored_gmon_file(path, layout, request.format, buffer);
}

std::vector<AddressRange> covered_by(const EncodedProfile& stored) {
  std::vector<AddressRange> covered;
  for (const StoredHistogram& histogram : stored.histograms) covered.push_back(histogram.range);
  for (const Histogram& histogram : stored.decoded.histograms) {
    covered.push_back({histogram.low, histogram.high});
  }
  return covered;
}

// Standard input has no sidecar.
void add_collected(const ReportRequest& request, const std::string& path, const RawProfile& profile,
                   ProfileInput& input) {
  std::optional<Sidecar> sidecar;
  if (!request.streams.contains(path)) sidecar = sidecar_of(path, profile, input.warnings);
  const Ticks samples = total_of(profile.histograms);
  if (!sidecar) {
    input.uncollected += samples;
    input.samples.add(samples);
    return;
  }
  auto own_modules = modules_of_file(*sidecar, path);
  // Only there functions of libraries have rows.
  const ExternalFunctions functions =
      request.accurate ? ExternalFunctions(*sidecar, own_modules, request.debug_files)
                       : ExternalFunctions();
  input.samples.add(*sidecar, own_modules, samples, functions);
  input.collected.push_back({path, std::move(*sidecar), std::move(own_modules)});
}

void append_records(TextOutput& text, std::uint64_t count, std::string_view kind) {
  append(text, "\t{} {} record{}\n", count, kind, count == 1 ? "" : "s");
}

// Arcs in the order of a file.
std::vector<RawArc> arcs_of(const Snapshot& view) {
  std::vector<RawArc> arcs;
  const auto sites = view.profile().site_arcs();
  arcs.reserve(sites.size());
  for (auto site = sites.rbegin(); site != sites.rend(); ++site) {
    arcs.push_back({site->from_pc, view.symbols()[site->callee].address, site->count});
  }
  return arcs;
}

ProfileInput input_of_view(const ReportRequest& request) {
  const Snapshot& view = *request.view;
  const FunctionCosts& profile = view.profile();
  ProfileInput input;
  input.view = request.view;
  input.sum.dimension = profile.dimension();
  input.sum.dimension_abbreviation = profile.dimension_abbreviation();
  input.sum.arcs = arcs_of(view);
  input.sum.blocks.assign(profile.blocks().begin(), profile.blocks().end());
  input.has_samples = profile.has_samples();
  // Stacks tell arcs as well, but not between lines.
  input.has_arcs = profile.has_arcs() || (view.measured().known() && !request.by_line);
  input.warnings = view.own_warnings();
  return input;
}

}  // namespace

ProfileInput read_profile_input(const ReportRequest& request, const Image& image) {
  if (request.view) return input_of_view(request);
  const GmonLayout layout = layout_of(image);
  ProfileInput input;
  ProfileSum sum;
  std::uint32_t version = 0;  // a BSD file has none: gprof keeps showing the last one
  std::vector<std::byte> buffer;
  for (const std::string& path : request.profiles) {
    auto stored = read_one(request, path, layout, buffer);
    if (!stored) {
      input.failure = std::move(stored).error();
      break;
    }
    if (auto same = check_same_image(image, stored->decoded, covered_by(*stored), path); !same) {
      input.warnings.push_back(std::move(same).error());
    }
    if (auto added = sum.add(*stored, path); !added) {
      input.failure = added.error();
      break;
    }
    const RawProfile& profile = stored->decoded;
    const bool gnu = profile.format == GmonFormat::gnu;
    if (gnu) version = profile.version;
    input.has_samples = input.has_samples || !gnu || profile.histogram_records > 0;
    input.has_arcs = input.has_arcs || !gnu || profile.arc_records > 0;
    input.files.push_back(
        {path, version, profile.histogram_records, profile.arc_records, profile.block_records});
    const bool wants_sidecar =
        request.accurate || request.show_errors || request.kinds.contains(ReportKind::summary_file);
    if (wants_sidecar) add_collected(request, path, decode(std::move(*stored)), input);
  }
  input.sum = sum.take();
  return input;
}

void append_file_information(TextOutput& text, const ProfileInput& input) {
  const TextOutput::Mark section(text, RangeKind::section);
  for (const ProfileFileInformation& file : input.files) {
    text.append(RangeKind::heading,
                fmt::format("File `{}' (version {}) contains:", file.path, file.version));
    text += '\n';
    append_records(text, file.histogram_records, "histogram");
    append_records(text, file.arc_records, "call-graph");
    append_records(text, file.block_records, "basic-block count");
  }
}

}  // namespace gprof
