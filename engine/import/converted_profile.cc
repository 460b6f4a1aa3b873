#include "engine/import/converted_profile.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/import/named_places.h"
#include "engine/import/sidecar_samples.h"
#include "engine/import/stack_table.h"
#include "engine/profile/wait_metrics.h"

namespace gprof {
namespace {

constexpr std::uint64_t room_of_stack = 160;
constexpr std::uint64_t room_of_frame = 40;

constexpr SymbolIndex no_function = ~SymbolIndex{0};

std::string_view build_of_program(const Profile& profile) {
  const auto program =
      std::ranges::find(profile.modules(), ModuleKind::program, &ProfileModule::kind);
  return program == profile.modules().end() ? std::string_view()
                                            : std::string_view(program->build_id);
}

// Finds the code that the places of a profile refer to, in the program or in another module.
class PlacedCode {
 public:
  PlacedCode(const Profile& profile, const ImportTarget& target, MemoryRoom& room)
      : profile_(profile),
        target_(target),
        places_(target, build_of_program(profile), room, profile.metrics().size()),
        known_(profile.places().size()) {}

  // Sets `frames`, as sidecars have them, from the places of a stack, the innermost first.
  void convert(const std::vector<Row>& places, std::vector<ModuleAddress>& frames);
  [[nodiscard]] NamedPlaces& modules() { return places_; }

 private:
  struct Code {
    SymbolIndex function = no_function;  // of the program, found by its name
    ModuleAddress address;               // of the instruction
    bool is_of_line = false;
  };

  [[nodiscard]] bool is_of_program(const Place& place) const {
    return place.module != no_row && profile_.modules()[place.module].kind == ModuleKind::program;
  }
  [[nodiscard]] NamedPlace named(const Place& place) const {
    return {profile_.text(place.function), profile_.text(place.linkage_name),
            profile_.text(place.file), place.line, place.start_line};
  }
  [[nodiscard]] const Code& code_of(Row place);
  [[nodiscard]] Code find(const Place& place);
  [[nodiscard]] ModuleAddress elsewhere(const Place& place);
  [[nodiscard]] ModuleAddress address_of(Row place, std::span<const Row> inlined,
                                         SymbolIndex callee);

  const Profile& profile_;
  const ImportTarget& target_;
  NamedPlaces places_;
  std::vector<std::optional<Code>> known_;  // by place
};

const PlacedCode::Code& PlacedCode::code_of(Row row) {
  std::optional<Code>& known = known_[row];
  if (!known) known = find(profile_.places()[row]);
  return *known;
}

PlacedCode::Code PlacedCode::find(const Place& place) {
  Code code;
  if (is_of_program(place) && place.address.value != 0) {
    code.address = {0, lookup_address(place)};
    code.is_of_line = true;
    return code;
  }
  if (place.function == no_row && place.linkage_name == no_row) {
    code.address = elsewhere(place);
    return code;
  }
  if (place.module == no_row || is_of_program(place)) {
    code.function = places_.find(named(place)).value_or(no_function);
  }
  if (code.function == no_function) {
    code.address = elsewhere(place);
    return code;
  }
  const auto line = places_.line_in(code.function, profile_.text(place.file), place.line);
  code.is_of_line = line.has_value();
  code.address = {0, line ? *line : target_.symbols[code.function].address};
  return code;
}

ModuleAddress PlacedCode::elsewhere(const Place& place) {
  const bool is_other = place.module != no_row && !is_of_program(place);
  const ProfileModule none = {.path = "other code"};
  const ProfileModule& module = is_other ? profile_.modules()[place.module] : none;
  const NamedPlace name = named(place);
  const std::string_view function = name.linkage_name.empty() ? name.name : name.linkage_name;
  if (!function.empty()) return places_.external(module.path, module.build_id, function);
  if (!is_other || module.path.empty()) return {};
  const std::uint32_t number = places_.module_of(module.path, module.build_id);
  return {number, number == no_module ? Address() : lookup_address(place)};
}

// Inlined code is part of the function that surrounds it. If a source line is known, the frame is
// at the code of that line, else at the function's only call of `callee`.
ModuleAddress PlacedCode::address_of(Row row, std::span<const Row> inlined, SymbolIndex callee) {
  const Code& code = code_of(row);
  const bool is_by_name = code.function != no_function;
  constexpr std::size_t most_inlined = 16;
  for (const Row line : inlined.first(std::min(is_by_name ? inlined.size() : 0, most_inlined))) {
    const Place& place = profile_.places()[line];
    const auto address = places_.line_in(code.function, profile_.text(place.file), place.line);
    if (address) return {0, *address};
  }
  if (is_by_name && !code.is_of_line && callee != no_function) {
    if (const auto call = places_.call_in(code.function, callee)) return {0, *call};
  }
  return code.address;
}

void PlacedCode::convert(const std::vector<Row>& places, std::vector<ModuleAddress>& frames) {
  frames.clear();
  SymbolIndex callee = no_function;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < places.size() && profile_.places()[places[i]].kind == PlaceKind::inlined) ++i;
    if (profile_.places()[places[i]].kind == PlaceKind::left_out) {
      // The outermost place only marks the stack as truncated.
      if (i + 1 < places.size()) frames.push_back({stack_marks::left_out, {1}});
      callee = no_function;
      continue;
    }
    const std::span inlined = std::span(places).subspan(first, i - first);
    ModuleAddress frame = address_of(places[i], inlined, callee);
    callee = code_of(places[i]).function;
    // Sidecars hold return addresses, which are looked up one byte before.
    const bool has_place = frame.module != no_module && frame.address.value != 0;
    if (!frames.empty() && has_place) frame.address = frame.address + 1;
    frames.push_back(frame);
  }
  // A stack begins with its sampled place, here an unknown one.
  if (frames.empty() || frames.front().module == stack_marks::left_out) {
    frames.insert(frames.begin(), ModuleAddress());
  }
}

// The stacks of all metrics, each list of frames once.
class ConvertedStacks {
 public:
  ConvertedStacks(const Profile& profile, PlacedCode& code, MemoryRoom& room);

  [[nodiscard]] const StackTable& table() const { return table_; }
  // The number in the table of a stack of the profile; none if the room did not suffice for it.
  [[nodiscard]] std::optional<std::uint32_t> number(Row stack) const {
    return numbers_[stack] == no_row ? std::nullopt : std::optional(numbers_[stack]);
  }
  // By number: whether outer frames are missing.
  [[nodiscard]] const std::vector<bool>& truncated() const { return truncated_; }
  // By number: whether no more than the innermost place was recorded.
  [[nodiscard]] bool is_without_callers(std::uint32_t number) const {
    return truncated_[number] && table_[number].size() == 1;
  }
  // By number: the innermost frame, unknown if it is in the program but in no function.
  [[nodiscard]] std::vector<ModuleAddress> sampled_places(const SymbolTable& symbols) const;
  // Whether the program is on any of them.
  [[nodiscard]] bool have_program() const { return have_program_; }

 private:
  // `copies`: the number of metrics that will hold the frames.
  [[nodiscard]] std::optional<std::uint32_t> add(std::span<const ModuleAddress> frames,
                                                 bool truncated, std::uint64_t copies,
                                                 MemoryRoom& room);

  StackTable table_;
  std::vector<bool> truncated_;  // by number
  std::vector<Row> numbers_;     // by stack of the profile
  bool have_program_ = false;
};

// By stack: the number of metrics that have costs of it.
std::vector<std::uint32_t> metrics_of_stacks(const Profile& profile) {
  std::vector<std::uint32_t> metrics(profile.stacks().size());
  for (Row metric = 0; metric < profile.metrics().size(); ++metric) {
    Row last = no_row;
    for (const Row stack : profile.costs(metric).stacks) {
      if (std::exchange(last, stack) != stack) ++metrics[stack];
    }
  }
  return metrics;
}

ConvertedStacks::ConvertedStacks(const Profile& profile, PlacedCode& code, MemoryRoom& room)
    : numbers_(profile.stacks().size(), no_row) {
  const std::vector<bool> complete = profile.complete_stacks();
  const std::vector<std::uint32_t> metrics = metrics_of_stacks(profile);
  std::vector<Row> places;
  std::vector<ModuleAddress> frames;
  for (Row stack = 0; stack < metrics.size(); ++stack) {
    if (metrics[stack] == 0) continue;
    profile.places_of(stack, places);
    code.convert(places, frames);
    have_program_ =
        have_program_ || std::ranges::find(frames, 0U, &ModuleAddress::module) != frames.end();
    auto number = add(frames, !complete[stack], metrics[stack], room);
    // The sampled place alone needs less room.
    if (!number) number = add(std::span(frames).first(1), true, metrics[stack], room);
    if (number) numbers_[stack] = *number;
  }
}

// Stacks of the profile that differ in left-out frames alone have the same frames here: if one of
// them is truncated, so may be the others.
std::optional<std::uint32_t> ConvertedStacks::add(std::span<const ModuleAddress> frames,
                                                  bool truncated, std::uint64_t copies,
                                                  MemoryRoom& room) {
  if (const auto known = table_.find(frames)) {
    truncated_[*known] = truncated_[*known] || truncated;
    return known;
  }
  if (!room.take(copies * (room_of_stack + room_of_frame * frames.size()))) return std::nullopt;
  truncated_.push_back(truncated);
  return table_.find_or_add(frames);
}

std::vector<ModuleAddress> ConvertedStacks::sampled_places(const SymbolTable& symbols) const {
  std::vector<ModuleAddress> places(table_.size());
  for (std::size_t stack = 0; stack < places.size(); ++stack) {
    const ModuleAddress& place = table_[stack].front();
    if (place.module != 0 || symbols.find(place.address)) places[stack] = place;
  }
  return places;
}

// Converts one metric of a profile.
class ConvertedMetric {
 public:
  ConvertedMetric(const Profile& profile, Row metric, const ConvertedStacks& stacks)
      : profile_(profile),
        metric_(profile.metrics()[metric]),
        costs_(profile.costs(metric)),
        stacks_(stacks) {}

  // `places`: the sampled places of the stacks.
  [[nodiscard]] ImportedProfile convert(const std::vector<SidecarModule>& modules,
                                        const std::vector<ModuleAddress>& places, MemoryRoom& room);
  // Sets the waits, which are costs of other metrics, in the sidecar that convert() has made.
  void set_waits(Sidecar& sidecar);
  // Costs of stacks for which there was no room.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  void take_threads(Sidecar& sidecar, MemoryRoom& room);
  [[nodiscard]] std::vector<SidecarPart> take_parts();

  const Profile& profile_;
  const ProfileMetric& metric_;
  const Costs& costs_;
  const ConvertedStacks& stacks_;
  std::vector<std::uint32_t> threads_;  // indices into the sidecar's, by thread of the profile
  std::uint64_t left_out_ = 0;
};

// Each metric lists the threads, in the order in which they started. Threads without a number get
// one here.
void ConvertedMetric::take_threads(Sidecar& sidecar, MemoryRoom& room) {
  const auto threads = profile_.threads();
  threads_.assign(threads.size(), no_thread);
  std::vector<Row> order(threads.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, {}, [&](Row thread) { return threads[thread].start; });
  for (const Row row : order) {
    const ProfileThread& thread = threads[row];
    const std::uint32_t process = profile_.processes()[thread.process].number;
    const bool is_unknown = process == 0 && thread.number == 0 && thread.name.empty();
    if (is_unknown || !room.take(sizeof(SidecarThread) + thread.name.size())) continue;
    const auto index = static_cast<std::uint32_t>(sidecar.threads.size());
    threads_[row] = index;
    SidecarThread& added = sidecar.threads.emplace_back();
    added.process = process;
    added.thread = thread.number != 0 ? thread.number : index + 1;
    added.name = thread.name;
    added.start_time = thread.start;
  }
}

// The wholes of the parts are stacks of the table.
std::vector<SidecarPart> ConvertedMetric::take_parts() {
  std::vector<SidecarPart> parts;
  parts.reserve(costs_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const auto stack = stacks_.number(costs_.stacks[i]);
    if (!stack) {
      ++left_out_;
      continue;
    }
    SidecarPart& part = parts.emplace_back();
    part.whole = *stack;
    part.thread = threads_[costs_.threads[i]];
    part.slice = costs_.slices[i] == no_time_slice ? no_slice : costs_.slices[i];
    part.count = costs_.amounts[i];
    part.excess_variance = costs_.excess_variance(i);
  }
  return parts;
}

ImportedProfile ConvertedMetric::convert(const std::vector<SidecarModule>& modules,
                                         const std::vector<ModuleAddress>& places,
                                         MemoryRoom& room) {
  ImportedProfile converted;
  converted.metric = metric_.metric;
  converted.raw.rate = metric_.amounts_a_unit;
  converted.raw.exact_costs = metric_.metric.kind == MetricKind::exact;
  converted.raw.dimension = metric_.metric.unit;
  converted.raw.dimension_abbreviation = metric_.metric.unit == "seconds" ? 's' : '#';
  Sidecar& sidecar = converted.sidecar.emplace();
  sidecar.modules = modules;
  take_threads(sidecar, room);
  std::vector<SidecarPart> parts = take_parts();
  set_samples(sidecar, parts, places);
  add_up_samples(sidecar);
  const bool has_callers = std::ranges::any_of(
      parts, [&](const SidecarPart& part) { return !stacks_.is_without_callers(part.whole); });
  if (has_callers) set_stacks(sidecar, std::move(parts), stacks_.table(), stacks_.truncated());
  const ProfileRun run = profile_.runs().empty() ? ProfileRun() : profile_.runs().front();
  sidecar.process.start_time = run.start;
  sidecar.slice_width = run.slice_width;
  sidecar.slices = run.slices;
  // Without threads and slices, the parts would repeat the wholes.
  if (sidecar.threads.empty() && run.slice_width == 0) {
    sidecar.sample_parts.clear();
    sidecar.stack_parts.clear();
  }
  set_histograms(converted);
  return converted;
}

void ConvertedMetric::set_waits(Sidecar& sidecar) {
  WaitList waits;
  for (Row row = 0; row < profile_.metrics().size(); ++row) {
    const auto metric = waits_of_metric(profile_.metrics()[row]);
    if (!metric) continue;
    const Costs& costs = profile_.costs(row);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto stack = stacks_.number(costs.stacks[i]);
      if (!stack) {
        ++left_out_;
        continue;
      }
      const std::uint32_t slice = costs.slices[i] == no_time_slice ? no_slice : costs.slices[i];
      waits.add(*metric, *stack, threads_[costs.threads[i]], slice, costs.amounts[i]);
    }
  }
  waits.give_to(sidecar, stacks_.table(), stacks_.truncated());
}

bool is_of_waits(const ProfileMetric& metric) { return waits_of_metric(metric).has_value(); }

// The share of the first metric's costs that are in the program but outside its functions.
double unplaced_share(const Profile& profile, const ConvertedStacks& stacks,
                      const std::vector<ModuleAddress>& places) {
  const Costs& costs = profile.costs(0);
  double all = 0;
  double unplaced = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto stack = stacks.number(costs.stacks[i]);
    if (!stack) continue;
    const auto amount = static_cast<double>(costs.amounts[i]);
    all += amount;
    if (places[*stack] != stacks.table()[*stack].front()) unplaced += amount;
  }
  return all > 0 ? unplaced / all : 0;
}

}  // namespace

Expected<ImportedProfile> converted_profile(const Profile& profile, const ImportTarget& target,
                                            const std::string& path, MemoryRoom& room,
                                            Warnings& warnings) {
  PlacedCode code(profile, target, room);
  const ConvertedStacks stacks(profile, code, room);
  const std::size_t all = stacks.table().size();
  const bool has_waits = std::ranges::any_of(profile.metrics(), is_of_waits);
  if (!stacks.have_program() && !has_waits) {
    return Error{ErrorCode::mismatch,
                 fmt::format("none of its {} stacks is of {}; name the program that was recorded",
                             all, target.path),
                 path, std::nullopt};
  }
  const auto modules = code.modules().take_modules();
  const auto names = code.modules().take_names();
  const std::vector<ModuleAddress> places = stacks.sampled_places(target.symbols);
  std::vector<ImportedProfile> converted;
  std::uint64_t left_out = profile.costs_left_out();
  for (Row row = 0; row < profile.metrics().size(); ++row) {
    if (is_of_waits(profile.metrics()[row])) continue;
    ConvertedMetric metric(profile, row, stacks);
    converted.push_back(metric.convert(modules, places, room));
    converted.back().external_names = names;
    if (has_waits && row == 0) metric.set_waits(*converted.back().sidecar);
    left_out += metric.left_out();
  }
  if (converted.empty()) {
    return Error{ErrorCode::no_profile_data, "it holds no samples", path, std::nullopt};
  }
  const auto warn = [&](std::string message) {
    warnings.push_back(Error{ErrorCode::mismatch, std::move(message), path, std::nullopt});
  };
  if (left_out > 0) {
    warn(fmt::format("{} values of samples are left out: the file {}", left_out,
                     short_of_room_text()));
  } else if (room.was_short()) {
    warn(short_of_room_text());
  }
  const double unplaced = unplaced_share(profile, stacks, places);
  if (unplaced > 0) warn(unplaced_samples_text(unplaced, target.path));
  ImportedProfile first = std::move(converted.front());
  first.others.assign(std::make_move_iterator(converted.begin() + 1),
                      std::make_move_iterator(converted.end()));
  return first;
}

Expected<ImportedProfile> read_converted(ProfileReader read, std::string_view bytes,
                                         const std::string& path, const ImportTarget& target,
                                         Warnings& warnings,
                                         std::optional<std::uint64_t> stored_size) {
  MemoryRoom room(stored_size.value_or(bytes.size()));
  TRY_ASSIGN(const auto profile, read(bytes, path, target, room, warnings));
  return converted_profile(profile, target, path, room, warnings);
}

}  // namespace gprof
