#include "engine/analysis/collected_samples.h"

#include <algorithm>

namespace gprof {
namespace {

// Importers only have the stacks.
Ticks listed_samples(const Sidecar& sidecar) {
  Ticks all = 0;
  for (const SidecarSample& sample : sidecar.samples) all += static_cast<Ticks>(sample.count);
  if (!sidecar.samples.empty()) return all;
  for (const SidecarStack& stack : sidecar.stacks) all += static_cast<Ticks>(stack.count);
  return all;
}

}  // namespace

std::string_view file_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void CollectedSamples::add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                           Ticks in_file, const ExternalFunctions& functions) {
  kernel_.add(sidecar, own_modules);
  Ticks elsewhere = 0;
  for (const ModuleSamples& module : elsewhere_) elsewhere -= module.ticks;
  double own_excess = 0;
  double listed_excess = 0;
  for (const SidecarSample& sample : sidecar.samples) {
    const auto excess = static_cast<double>(sample.excess_variance);
    listed_excess += excess;
    if (!add_place(sidecar, own_modules, sample.place, static_cast<Ticks>(sample.count),
                   functions)) {
      own_excess += excess;
    }
  }
  if (sidecar.samples.empty()) {
    for (const SidecarStack& stack : sidecar.stacks) {
      if (stack.frames.empty()) continue;
      add_place(sidecar, own_modules, stack.frames.front(), static_cast<Ticks>(stack.count),
                functions);
    }
  }
  for (const ModuleSamples& module : elsewhere_) elsewhere += module.ticks;
  // Samples in the own code for which the gmon file has no bin.
  const Ticks unplaced = listed_samples(sidecar) - elsewhere - in_file;
  if (unplaced > 0) add_module("", "", unplaced);
  sort_elsewhere();
  const Ticks all = in_file + elsewhere + std::max(unplaced, 0.0);
  const SamplingQuality quality = sampling_quality(sidecar.process);
  // Older files do not say which samples it belongs to.
  if (!(listed_excess > 0)) return errors_.add(all, quality);
  errors_.add(all, quality, {in_file, own_excess});
}

void CollectedSamples::add(Ticks in_file, std::span<const ModuleSamples> elsewhere) {
  errors_.add(in_file);
  kernel_.add_unknown();
  for (const ModuleSamples& code : elsewhere) {
    if (code.ticks > 0) add_module(code.name, code.function, code.ticks);
  }
  sort_elsewhere();
}

bool CollectedSamples::add_place(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                                 const ModuleAddress& place, Ticks ticks,
                                 const ExternalFunctions& functions) {
  if (place.module < own_modules.size() && own_modules[place.module]) return false;
  const bool known = place.module < sidecar.modules.size();
  add_module(known ? file_name_of(sidecar.modules[place.module].path) : std::string_view(),
             functions.name_at(place.module, place.address), ticks);
  return true;
}

void CollectedSamples::add_module(std::string_view name, std::string_view function, Ticks ticks) {
  const auto [known, is_new] =
      places_.try_emplace({std::string(name), std::string(function)}, elsewhere_.size());
  if (is_new) {
    elsewhere_.push_back({std::string(name), std::string(function), 0, is_collector(name)});
  }
  elsewhere_[known->second].ticks += ticks;
}

void CollectedSamples::sort_elsewhere() {
  std::stable_sort(
      elsewhere_.begin(), elsewhere_.end(),
      [](const ModuleSamples& a, const ModuleSamples& b) { return a.ticks > b.ticks; });
  for (std::size_t i = 0; i < elsewhere_.size(); ++i) {
    places_[{elsewhere_[i].name, elsewhere_[i].function}] = i;
  }
}

}  // namespace gprof
