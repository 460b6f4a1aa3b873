#include "engine/run_info.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/samples.h"
#include "engine/delivered_rate.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr std::string_view sidecar_suffix = ".gpx";
constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;

std::uint64_t calls_of(const RawProfile& profile) {
  std::uint64_t calls = 0;
  for (const RawArc& arc : profile.arcs) calls = saturating_add(calls, arc.count);
  return calls;
}

// Of several processes.
bool is_sum(const Sidecar& sidecar) { return sidecar.process.process == 0; }

bool is_in(const std::vector<bool>& modules, const ModuleAddress& place) {
  return place.module < modules.size() && modules[place.module];
}

bool tells_of(const Sidecar& sidecar, const std::string& profile_path, const RawProfile& profile) {
  const std::vector<bool> in_file = modules_of_file(sidecar, profile_path);
  if (std::find(in_file.begin(), in_file.end(), true) == in_file.end()) return false;
  std::uint64_t calls = 0;
  for (const SidecarArc& arc : sidecar.arcs) {
    if (is_in(in_file, arc.self)) calls = saturating_add(calls, arc.count);
  }
  const std::uint64_t calls_in_file = calls_of(profile);
  if (calls == calls_in_file) return true;
  // A sum omits calls of code without a symbol, as GNU gprof's does.
  if (!is_sum(sidecar) || calls < calls_in_file) return false;
  Ticks samples = 0;
  for (const SidecarSample& sample : sidecar.samples) {
    if (is_in(in_file, sample.place)) samples += static_cast<Ticks>(sample.count);
  }
  return samples == total_of(profile.histograms);
}

// Whether to report here what concerns the whole process: not once more for each library, and not
// while it runs, when it would change each time.
bool speaks_for_all(const Sidecar& sidecar, const std::vector<bool>& own_modules) {
  if (sidecar.process.ending == Ending::unknown) return false;
  for (std::size_t i = 0; i < std::min(own_modules.size(), sidecar.modules.size()); ++i) {
    if (own_modules[i] && (sidecar.modules[i].flags & module_flags::main) != 0) return true;
  }
  return false;
}

void warn(Warnings& warnings, const std::string& path, std::string message) {
  warnings.push_back(Error{ErrorCode::mismatch, std::move(message), path, std::nullopt});
}

}  // namespace

std::vector<bool> modules_of_file(const Sidecar& sidecar, const std::string& profile_path) {
  const std::string name = std::filesystem::path(profile_path).filename().string();
  std::vector<bool> in_file;
  for (const SidecarModule& module : sidecar.modules) {
    in_file.push_back(std::filesystem::path(module.file).filename() == name);
  }
  if (std::find(in_file.begin(), in_file.end(), true) != in_file.end()) return in_file;
  // Both files may have been renamed.
  for (std::size_t i = 0; i < in_file.size(); ++i) {
    in_file[i] = (sidecar.modules[i].flags & module_flags::main) != 0;
  }
  return in_file;
}

std::string sidecar_name(const std::string& profile_path) {
  return profile_path + std::string(sidecar_suffix);
}

std::optional<Sidecar> sidecar_of(const std::string& profile_path, const RawProfile& profile,
                                  Warnings& warnings) {
  const std::string path = sidecar_name(profile_path);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  auto sidecar = read_sidecar_file(path);
  if (!sidecar) {
    warnings.push_back(std::move(sidecar).error());
    return std::nullopt;
  }
  if (!tells_of(*sidecar, profile_path, profile)) {
    warn(warnings, path,
         fmt::format(
             "tells of another run than {}, and is not used: remove it, or record both again",
             std::filesystem::path(profile_path).filename().string()));
    return std::nullopt;
  }
  return std::move(*sidecar);
}

void RunInfo::add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                  const std::string& profile_path, const SymbolTable& symbols, Warnings& warnings) {
  const SidecarProcess& process = sidecar.process;
  if (process.price_picoseconds != 0) {
    picoseconds_ += static_cast<double>(process.price_picoseconds);
    ++measurements_;
  }
  if (process.lost_calls != 0) {
    warn(warnings, profile_path,
         fmt::format("{} calls could not be counted, for want of memory", process.lost_calls));
  }
  if (process.lost_samples != 0) {
    warn(warnings, profile_path,
         fmt::format("{} samples could not be kept, for want of memory", process.lost_samples));
  }
  if ((process.flags & process_flags::limited) != 0) {
    warn(warnings, profile_path,
         fmt::format("the live counters reached their limit (GPROF_LIVE_LIMIT): {} stacks were "
                     "given up",
                     process.lost_stacks));
  }
  if (speaks_for_all(sidecar, own_modules)) {
    if (auto warning = rate_warning(sampled_run(sidecar))) {
      warn(warnings, profile_path, std::move(*warning));
    }
  }
  times_.add(process);
  for (Crash& crash : crashes_of(sidecar, own_modules)) {
    if (crashes_.size() < most_crashes) crashes_.push_back(std::move(crash));
  }
  add_names(sidecar, own_modules, symbols);
}

void RunInfo::add_names(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                        const SymbolTable& symbols) {
  const auto each_arc = [&](auto&& take) {
    for (const SidecarArc& arc : sidecar.arcs) {
      const bool is_via = (arc.flags & arc_flags::via) != 0;
      const ModuleAddress& from = is_via ? arc.profiled_caller : arc.from;
      if (!is_in(own_modules, arc.self) || !is_in(own_modules, from)) continue;
      const auto caller = symbols.find(from.address);
      const auto callee = symbols.find(arc.self.address);
      if (caller && callee) take(PassedThrough{*caller, *callee, from.address, {}}, arc);
    }
  };
  std::set<std::pair<SymbolIndex, SymbolIndex>> with_names;
  each_arc([&](const PassedThrough& calls, const SidecarArc& arc) {
    if (!sidecar.name_of(arc).empty()) with_names.emplace(calls.caller, calls.callee);
  });
  if (with_names.empty()) return;
  // Direct calls are only of interest where others between the same two functions were not.
  each_arc([&](const PassedThrough& calls, const SidecarArc& arc) {
    if (!with_names.contains({calls.caller, calls.callee})) return;
    const std::string_view name = sidecar.name_of(arc);
    const auto [known, is_new] =
        through_.try_emplace({calls.caller, calls.callee, calls.from_pc}, name);
    if (!is_new && known->second != name) known->second.clear();
  });
}

std::optional<Seconds> RunInfo::price_per_call() const {
  if (measurements_ == 0) return std::nullopt;
  return picoseconds_ / static_cast<double>(measurements_) /
         static_cast<double>(picoseconds_per_second);
}

std::vector<RunInfo::PassedThrough> RunInfo::passed() const {
  std::vector<PassedThrough> all;
  for (const auto& [calls, function] : through_) {
    all.push_back({std::get<0>(calls), std::get<1>(calls), std::get<2>(calls), function});
  }
  return all;
}

RunInfo::Through RunInfo::passed_through(SymbolIndex caller, SymbolIndex callee) const {
  Through through;
  for (auto at = through_.lower_bound({caller, callee, Address{}}); at != through_.end(); ++at) {
    if (std::get<0>(at->first) != caller || std::get<1>(at->first) != callee) break;
    const std::string_view function = at->second;
    if (function.empty()) {
      through.partly = true;
    } else if (through.function.empty()) {
      through.function = function;
    } else if (through.function != function) {
      return {};
    }
  }
  return through;
}

std::string_view RunInfo::passed_through(SymbolIndex caller, SymbolIndex callee,
                                         std::span<const Address> from_pcs) const {
  std::string_view function;
  for (const Address from_pc : from_pcs) {
    const auto found = through_.find({caller, callee, from_pc});
    if (found == through_.end() || found->second.empty()) return {};
    if (!function.empty() && function != found->second) return {};
    function = found->second;
  }
  return function;
}

}  // namespace gprof
