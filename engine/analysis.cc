#include "engine/analysis.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/gmon/reader.h"
#include "engine/gmon/sum.h"
#include "engine/matching.h"

namespace gprof {
namespace {

class Steps {
 public:
  explicit Steps(const AnalysisRequest& request) : request_(request) {}

  // Announces a step; fails where the analysis was cancelled.
  Expected<void> begin(std::string_view step, double share) const {
    if (request_.cancelled != nullptr && request_.cancelled->load()) {
      return Error{ErrorCode::cancelled, "loading was cancelled", request_.executable.string(),
                   std::nullopt};
    }
    if (request_.progress) request_.progress(step, share);
    return {};
  }

 private:
  const AnalysisRequest& request_;
};

struct SummedProfile {
  RawProfile raw;
  Collection collection;
  FileTime newest = 0;
};

Expected<SummedProfile> read_profiles(const AnalysisRequest& request, const Image& image,
                                      const SymbolTable& symbols, Warnings& warnings) {
  const GmonLayout layout = {image.pointer_width(), image.byte_order()};
  SummedProfile summed;
  ProfileSum sum;
  for (const auto& path : request.profiles) {
    if (request.cancelled != nullptr && request.cancelled->load()) break;
    auto file = InputFile::open(path);
    if (!file) return std::move(file).error();
    summed.newest = std::max(summed.newest, file->modified());
    auto bytes = file->read_all();
    if (!bytes) return std::move(bytes).error();
    auto profile = read_gmon(*bytes, path.string(), layout);
    if (!profile) return std::move(profile).error();
    auto belongs = check_belongs_together(image, symbols, *profile, path.string());
    if (!belongs) return belongs.error();
    if (const auto sidecar = sidecar_of(path.string(), *profile, warnings)) {
      summed.collection.add(*sidecar, path.string(), symbols, warnings);
    }
    if (request.profiles.size() == 1) {
      summed.raw = std::move(*profile);
      return summed;
    }
    auto added = sum.add(*profile, path.string());
    if (!added) return added.error();
  }
  summed.raw = sum.take();
  return summed;
}

Error nothing_recorded(const AnalysisRequest& request) {
  return Error{ErrorCode::no_profile_data,
               "holds neither samples nor calls: build the program with -pg, let it run for a "
               "while, and let it end normally (exit or return from main)",
               request.profiles.empty() ? std::string() : request.profiles.front().string(),
               std::nullopt};
}

// The debug information and where it came from. Its absence is no failure: calls and times of
// functions are there without it, only no line is.
std::unique_ptr<DebugInformation> open_debug_information(const Snapshot::Parts& parts,
                                                         Warnings& warnings) {
  const auto& holder = parts.debug_image ? parts.debug_image : parts.image;
  auto opened = DebugInformation::open(holder, parts.image->path());
  if (opened) return std::move(*opened);
  warnings.push_back(std::move(opened).error());
  return nullptr;
}

void warn_if_rebuilt(const Snapshot::Parts& parts, const RawProfile& raw, Warnings& warnings) {
  if (parts.image->modified() <= parts.profile_modified) return;
  const bool same_build = raw.build_id_prefix && !parts.image->build_id().empty();
  if (same_build) return;
  warnings.push_back(Error{ErrorCode::stale,
                           fmt::format("is newer than the profile {}: if it was rebuilt since, "
                                       "counts are shown at wrong places; run the program again",
                                       parts.profile_paths.front()),
                           parts.image->path(), std::nullopt});
}

void warn_of_lost_calls(const Profile& profile, const std::string& path, Warnings& warnings) {
  if (profile.unattributed_calls() == 0) return;
  warnings.push_back(Error{ErrorCode::mismatch,
                           fmt::format("{} calls go to addresses where the program has no "
                                       "function; they are not shown",
                                       profile.unattributed_calls()),
                           path, std::nullopt});
}

}  // namespace

Snapshot::Snapshot(Parts parts)
    : parts_(std::move(parts)),
      code_(parts_.image),
      call_sites_(parts_.symbols, code_, call_site_precision(parts_.raw)),
      profile_(Profile::attribute(parts_.raw, parts_.symbols, call_sites_)),
      graph_(CallGraph::build(profile_.self_ticks(), profile_.site_arcs())),
      sources_(
          {parts_.symbols, code_, call_sites_, profile_, graph_, parts_.debug_information.get()}) {
  // Everything of the raw profile is in the profile now.
  parts_.raw = RawProfile();
  warn_of_lost_calls(profile_, parts_.profile_paths.empty() ? "" : parts_.profile_paths.front(),
                     parts_.warnings);
}

Warnings Snapshot::warnings() const {
  Warnings all = parts_.warnings;
  if (parts_.debug_information) {
    const Warnings more = parts_.debug_information->warnings();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

Expected<std::shared_ptr<const Snapshot>> analyse(const AnalysisRequest& request) {
  const Steps steps(request);
  Snapshot::Parts parts;

  if (auto step = steps.begin("Opening the executable", 0.0); !step) return step.error();
  auto image = Image::open(request.executable);
  if (!image) return std::move(image).error();
  parts.image = std::move(*image);
  parts.debug_image = find_debug_file(*parts.image, request.debug_files, parts.warnings);

  if (auto step = steps.begin("Reading symbols", 0.1); !step) return step.error();
  auto symbols = SymbolTable::build(parts.image, parts.debug_image, SymbolPolicy::full);
  if (!symbols) return std::move(symbols).error();
  parts.symbols = std::move(*symbols);

  if (auto step = steps.begin("Reading profiles", 0.3); !step) return step.error();
  auto summed = read_profiles(request, *parts.image, parts.symbols, parts.warnings);
  if (!summed) return std::move(summed).error();
  parts.raw = std::move(summed->raw);
  parts.collection = std::move(summed->collection);
  parts.profile_modified = summed->newest;
  for (const auto& path : request.profiles) parts.profile_paths.push_back(path.string());
  if (parts.raw.histograms.empty() && parts.raw.arcs.empty() && parts.raw.blocks.empty()) {
    return nothing_recorded(request);
  }
  warn_if_rebuilt(parts, parts.raw, parts.warnings);

  if (auto step = steps.begin("Opening debug information", 0.5); !step) return step.error();
  parts.debug_information = open_debug_information(parts, parts.warnings);

  if (auto step = steps.begin("Joining profile and program", 0.7); !step) return step.error();
  auto snapshot = std::make_shared<const Snapshot>(std::move(parts));
  if (auto step = steps.begin("Ready", 1.0); !step) return step.error();
  return snapshot;
}

}  // namespace gprof
