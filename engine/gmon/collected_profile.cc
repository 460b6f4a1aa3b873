// Resolves live counters: first the sidecar, which holds everything but the blocks, then the gmon
// files from it.
#include "engine/gmon/collected_profile.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/collected_module.h"
#include "engine/gmon/collected_stacks.h"
#include "engine/gmon/collected_waits.h"
#include "engine/gmon/live_modules.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

// An entry of one thread and slice, before those at one place are added up.
template <typename Entry>
struct Timed {
  Entry entry;
  std::uint32_t thread = no_thread;
  std::uint32_t slice = no_slice;
};

// Sorts the entries; adds up those at one place, and beside that those of each thread and slice
// too. `place`: the order and equality of places. Parts of which nothing is known are left out if
// `only_known`.
template <typename Entry, typename Place>
void add_up(std::vector<Timed<Entry>>& timed, std::vector<Entry>& wholes,
            std::vector<SidecarPart>& parts, bool only_known, Place place) {
  std::sort(timed.begin(), timed.end(), [&](const Timed<Entry>& a, const Timed<Entry>& b) {
    const std::strong_ordering order = place(a.entry, b.entry);
    return order != 0 ? order < 0 : std::tie(a.thread, a.slice) < std::tie(b.thread, b.slice);
  });
  for (const Timed<Entry>& one : timed) {
    const bool known = !wholes.empty() && place(wholes.back(), one.entry) == 0;
    if (known) {
      add_counts(wholes.back(), one.entry);
    } else {
      wholes.push_back(one.entry);
    }
    if (only_known && one.thread == no_thread && one.slice == no_slice) continue;
    SidecarPart part{static_cast<std::uint32_t>(wholes.size() - 1), one.thread, one.slice,
                     one.entry.count, 0};
    if constexpr (requires { one.entry.excess_variance; }) {
      part.excess_variance = one.entry.excess_variance;
    }
    if constexpr (requires { one.entry.kernel_count; }) {
      part.kernel_count = gprof_formats::kernel_count_of_part(one.entry.kernel_count);
    }
    const bool same = !parts.empty() && parts.back().whole == part.whole &&
                      parts.back().thread == part.thread && parts.back().slice == part.slice;
    if (same) {
      add_counts(parts.back(), part);
    } else {
      parts.push_back(part);
    }
  }
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class Collector {
 public:
  Collector(const LiveCounters& live, const CollectRequest& request)
      : live_(live), request_(request), modules_(live) {}

  Expected<CollectedProfile> collect();

 private:
  void choose_file_name();
  void add_process();
  void add_modules();
  void add_arcs();
  std::uint32_t name_of(const ModuleAddress& via);
  void add_threads();
  void add_samples();
  void add_stacks();
  void add_crash();
  void add_timeline();
  void add_module_profiles();
  void choose_suffixes();

  const LiveCounters& live_;
  const CollectRequest& request_;
  LiveModules modules_;
  CollectedProfile result_;
  std::map<ModuleAddress, std::uint32_t> names_of_places_;
  std::map<std::string, std::uint32_t> names_;
  std::set<std::string> suffixes_ = {".gpx"};  // the sidecar's
};

Expected<CollectedProfile> Collector::collect() {
  if (!modules_.has_executable()) {
    return Error{ErrorCode::corrupt,
                 "the record of the executable expected, none found: the program ended before it "
                 "counted anything, or the file is damaged",
                 {},
                 std::nullopt};
  }
  choose_file_name();
  add_modules();
  add_arcs();
  add_threads();
  add_samples();
  add_stacks();
  collect_waits(live_, modules_, result_.sidecar);
  add_crash();
  add_process();
  add_timeline();
  add_module_profiles();
  return std::move(result_);
}

void Collector::choose_file_name() {
  result_.file_name = request_.file_name.empty() ? last_part(live_.name) : request_.file_name;
  if (result_.file_name.empty()) result_.file_name = "gmon.out";
}

void Collector::add_process() {
  SidecarProcess& process = result_.sidecar.process;
  result_.sidecar.machine = live_.machine;
  process.process = live_.process;
  process.parent_process = live_.parent_process;
  process.process_start = live_.process_start;
  process.start_time = live_.start_time;
  process.end_time = live_.end_time != 0 ? live_.end_time : request_.end_time;
  const bool known = live_.ending != Ending::unknown;
  process.ending = known ? live_.ending : request_.ending;
  process.exit_status = known ? live_.exit_status : request_.exit_status;
  process.requested_rate = live_.requested_rate;
  process.sample_source = live_.sample_source;
  process.flags = live_.flags;
  process.image_number = live_.image_number;
  process.lost_calls = live_.lost_calls;
  process.lost_samples = live_.lost_samples;
  process.lost_stacks = live_.lost_stacks;
  process.price_picoseconds = live_.price_picoseconds;
  process.sampling = live_.sampling;
  process.recorded_process = live_.recorded_process;
  process.unsampled_time = live_.unsampled_time;
  process.earlier_time = live_.earlier_time;
  for (const SidecarThread& thread : result_.sidecar.threads) {
    process.cpu_time = saturating_add(process.cpu_time, thread.cpu_time);
    process.signals = saturating_add(process.signals, thread.signals);
  }
  for (const SidecarSample& sample : result_.sidecar.samples) {
    process.samples = saturating_add(process.samples, sample.count);
  }
  for (const SidecarArc& arc : result_.sidecar.arcs) {
    process.calls = saturating_add(process.calls, arc.count);
  }
}

void Collector::add_modules() {
  for (const LiveModules::Module& module : modules_.modules()) {
    const LiveModule& last = *module.last;
    result_.sidecar.modules.push_back({last.bias, module.text, module.flags, last.path, last.soname,
                                       hexadecimal(last.build_id), ""});
  }
}

std::uint32_t Collector::name_of(const ModuleAddress& via) {
  if (!request_.via_name || via.module == no_module) return 0;
  const auto known = names_of_places_.find(via);
  if (known != names_of_places_.end()) return known->second;
  std::vector<std::string>& names = result_.sidecar.names;
  std::string name = request_.via_name(result_.sidecar.modules[via.module].path, via.address);
  name.resize(std::min(name.size(), name.find('\0')));
  std::uint32_t number = 0;
  if (!name.empty()) {
    const auto [place, is_new] = names_.try_emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(std::move(name));
    number = place->second;
  }
  names_of_places_.emplace(via, number);
  return number;
}

void Collector::add_arcs() {
  std::vector<Timed<SidecarArc>> arcs;
  arcs.reserve(live_.calls.size());
  for (const LiveCall& call : live_.calls) {
    SidecarArc arc;
    arc.from = modules_.resolve(call.from, call.epoch);
    arc.self = modules_.resolve(call.self, call.epoch);
    arc.count = call.count;
    if (call.is_via) {
      const std::uint32_t flags =
          arc.from.module != no_module ? result_.sidecar.modules[arc.from.module].flags : 0;
      const bool is_via = gprof_formats::is_via_uninstrumented(flags);
      if (is_via) arc.flags = arc_flags::via;
      if (call.profiled_caller != 0)
        arc.profiled_caller = modules_.resolve(call.profiled_caller, call.epoch);
      if (call.via != 0) arc.via = modules_.resolve(call.via, call.epoch);
      if (is_via) arc.via_name = name_of(arc.via);
    }
    arcs.push_back({arc, call.thread, no_slice});
  }
  add_up(arcs, result_.sidecar.arcs, result_.sidecar.arc_parts, false, compare_places);
}

void Collector::add_threads() {
  for (const LiveThread& thread : live_.threads) {
    std::uint64_t calls = thread.calls;
    if (!thread.ended) {
      const auto counted = live_.calls_of_slot.find(thread.slot);
      const std::uint64_t in_tables =
          counted != live_.calls_of_slot.end() ? counted->second : std::uint64_t{0};
      calls = gprof_formats::calls_of_running_thread(in_tables, thread.calls_before);
    }
    result_.sidecar.threads.push_back({.thread = thread.thread,
                                       .ended = thread.ended,
                                       .calls = calls,
                                       .samples = thread.samples,
                                       .signals = thread.signals,
                                       .cpu_time = thread.cpu_time,
                                       .name = thread.name,
                                       .process = 0,
                                       .start_time = thread.start_time});
  }
}

void Collector::add_samples() {
  std::vector<Timed<SidecarSample>> samples;
  samples.reserve(live_.samples.size());
  for (const LiveSample& sample : live_.samples) {
    samples.push_back({{modules_.resolve(sample.address, sample.epoch), sample.count,
                        sample.excess_variance, sample.kernel_count},
                       sample.thread,
                       sample.slice});
  }
  add_up(samples, result_.sidecar.samples, result_.sidecar.sample_parts, true,
         [](const SidecarSample& a, const SidecarSample& b) { return a.place <=> b.place; });
}

void Collector::add_stacks() {
  std::vector<SidecarStack>& stacks = result_.sidecar.stacks;
  stacks.reserve(live_.stacks.size());
  for (const LiveStack& stack : live_.stacks) stacks.push_back(resolved_stack(stack, modules_));
  const std::vector<std::uint32_t> places = join_equal_stacks(stacks);
  std::vector<SidecarPart> parts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const LivePart& part : live_.stacks[i].parts) {
      if (part.thread == no_thread && part.slice == no_slice) continue;
      parts.push_back({places[i], part.thread, part.slice, part.count, 0});
    }
  }
  std::sort(parts.begin(), parts.end(), comes_before);
  for (const SidecarPart& part : parts) {
    std::vector<SidecarPart>& all = result_.sidecar.stack_parts;
    if (all.empty() || comes_before(all.back(), part)) {
      all.push_back(part);
    } else {
      add_counts(all.back(), part);
    }
  }
}

void Collector::add_crash() {
  if (!live_.crash) return;
  const LiveCrash& crash = *live_.crash;
  Sidecar& sidecar = result_.sidecar;
  SidecarStack stack = resolved_without_collector(crash.stack, modules_, sidecar.modules);
  if (stack.frames.empty()) return;
  sidecar.crashes.push_back(
      {crash.signal, crash.code, crash.address, crash.thread, std::move(stack)});
}

// Only where samples or waits have times.
void Collector::add_timeline() {
  Sidecar& sidecar = result_.sidecar;
  std::uint32_t used = 0;
  for (const auto* parts : {&sidecar.sample_parts, &sidecar.stack_parts, &sidecar.wait_parts}) {
    for (const SidecarPart& part : *parts) {
      if (part.slice != no_slice) used = std::max(used, part.slice + 1);
    }
  }
  if (used == 0) return;
  sidecar.slice_width = live_.slice_width;
  sidecar.slices = gprof_formats::slices_of_run(used, live_.slice_width, sidecar.process.start_time,
                                                sidecar.process.end_time);
}

// No name may lead out of the directory.
std::string suffix_of(const SidecarModule& module) {
  const std::string name = last_part(module.soname);
  return "." + (name.empty() ? "library" : name);
}

// Gives libraries with the same soname different names. Those that keep their soname go first, so
// that no numbered name takes theirs.
void Collector::choose_suffixes() {
  std::vector<ModuleProfile*> numbered;
  for (ModuleProfile& file : result_.modules) {
    if (file.module == 0) continue;
    file.file_suffix = suffix_of(result_.sidecar.modules[file.module]);
    if (!suffixes_.insert(file.file_suffix).second) numbered.push_back(&file);
  }
  for (ModuleProfile* file : numbered) {
    const std::string name = file->file_suffix;
    int number = 1;
    do {
      file->file_suffix = fmt::format("{}.{}", name, ++number);
    } while (!suffixes_.insert(file->file_suffix).second);
  }
  for (const ModuleProfile& file : result_.modules) {
    result_.sidecar.modules[file.module].file = result_.file_name + file.file_suffix;
  }
}

void Collector::add_module_profiles() {
  const ModuleContents contents(result_.sidecar, collect_blocks(live_, modules_));
  for (std::uint32_t number = 0; number < result_.sidecar.modules.size(); ++number) {
    const SidecarModule& module = result_.sidecar.modules[number];
    const bool executable = number == 0;
    const bool counted = gprof_formats::is_counting(module.flags) && contents.has_counts(number);
    if (!executable && !counted) continue;
    ModuleProfile& file = result_.modules.emplace_back();
    file.module = number;
    file.path = module.path;
    const LiveModules::Module& code = modules_.modules()[number];
    file.profile = make_module_profile(
        contents,
        {number, code.last->build_id, module.text, executable ? Address{} : code.init_address},
        result_.warnings);
  }
  choose_suffixes();
}

}  // namespace

Expected<CollectedProfile> collect_profile(const LiveCounters& live,
                                           const CollectRequest& request) {
  return Collector(live, request).collect();
}

}  // namespace gprof
