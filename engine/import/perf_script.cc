#include "engine/import/perf_script.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/import/text_tokens.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Longer call chains are cut.
constexpr std::size_t most_frames = 4096;
constexpr std::size_t most_events = 64;
constexpr std::size_t lines_to_look_at = 50;

bool is_time(std::string_view word) {
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  return point != std::string_view::npos && parse_number(word.substr(0, point)) &&
         parse_number(word.substr(point + 1));
}

struct Header {
  std::string_view event;
  std::uint64_t period = 0;  // 0 if not given
  std::string_view frame;    // on the same line; may be empty
};

std::optional<Header> parse_header(std::string_view line) {
  if (line.empty() || line.front() == '\t' || line.front() == '#') return std::nullopt;
  std::string_view rest = line;
  bool has_time = false;
  for (int words = 0; !trim(rest).empty() && !has_time; ++words) {
    has_time = is_time(take_word(rest)) && words > 0;
  }
  if (!has_time) return std::nullopt;
  Header header;
  std::string_view word = take_word(rest);
  if (const auto period = parse_number(word)) {
    header.period = *period;
    word = take_word(rest);
  }
  if (word.size() < 2 || !word.ends_with(':')) return std::nullopt;
  header.event = word.substr(0, word.size() - 1);
  header.frame = trim(rest);
  return header;
}

struct Frame {
  std::uint64_t address = 0;
  std::string_view symbol;  // empty if unknown
  std::uint64_t offset = 0;
  bool has_offset = false;
  bool is_inlined = false;
  std::string_view file;
};

std::optional<Frame> parse_frame(std::string_view line) {
  std::string_view rest = trim(line);
  const auto address = parse_number(take_word(rest), 16);
  rest = trim(rest);
  const std::size_t open = rest.rfind(" (");
  if (!address || (open == std::string_view::npos && !rest.starts_with('('))) return std::nullopt;
  Frame frame;
  frame.address = *address;
  const std::size_t begin = open == std::string_view::npos ? 0 : open + 1;
  frame.file = rest.substr(begin + 1);
  if (frame.file.ends_with(')')) frame.file.remove_suffix(1);
  frame.is_inlined = frame.file == "inlined";
  frame.symbol = trim(rest.substr(0, begin));
  if (frame.symbol == "[unknown]") frame.symbol = {};
  const std::size_t plus = frame.symbol.rfind("+0x");
  if (plus == std::string_view::npos) return frame;
  if (const auto offset = parse_number(frame.symbol.substr(plus + 3), 16)) {
    frame.offset = *offset;
    frame.has_offset = true;
    frame.symbol = frame.symbol.substr(0, plus);
  }
  return frame;
}

// Whether complete call chains end at this function.
bool is_outermost(std::string_view symbol) {
  constexpr std::array<std::string_view, 10> names = {"_start",
                                                      "__libc_start_main",
                                                      "__libc_start_call_main",
                                                      "main",
                                                      "start_thread",
                                                      "__clone",
                                                      "__clone3",
                                                      "clone",
                                                      "clone3",
                                                      "ret_from_fork"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return symbol.starts_with(name); });
}

struct Event {
  std::string name;
  std::uint64_t samples = 0;
};

class PerfScript {
 public:
  PerfScript(std::string_view text, const std::string& path, const ImportTarget& target,
             Warnings& warnings)
      : text_(text),
        path_(path),
        target_(target),
        warnings_(warnings),
        names_(target.symbols),
        modules_{{std::string(target.path), 0}} {}

  Expected<ImportedProfile> read();

 private:
  template <typename Visit>
  void for_each_sample(const Visit& visit) const;
  void choose_event();
  // Finds the load bias from frames with known functions.
  void find_bias();
  [[nodiscard]] bool is_of_program(const Frame& frame) const;
  ModuleAddress address_of(const Frame& frame);
  std::uint32_t module_of(std::string_view file);
  void add_sample(const Header& header, const std::vector<Frame>& frames);
  void choose_unit(ImportedProfile& profile) const;
  void take_stacks(ImportedProfile& profile);
  void warn(std::string message) {
    warnings_.push_back(Error{ErrorCode::mismatch, std::move(message), path_, std::nullopt});
  }

  const std::string_view text_;
  const std::string& path_;
  const ImportTarget& target_;
  Warnings& warnings_;
  NamedFunctions names_;
  std::string event_;
  std::optional<std::uint64_t> bias_;
  std::map<std::string, std::uint32_t, std::less<>> modules_;
  std::vector<SidecarModule> sidecar_modules_;
  std::map<Address, std::uint64_t> ticks_;
  std::map<std::vector<ModuleAddress>, std::uint64_t> stacks_;
  std::uint64_t period_ = 0;
  bool one_period_ = true;
  bool has_chains_ = false;
  std::uint64_t samples_ = 0;
  std::uint64_t own_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t unplaced_ = 0;
};

template <typename Visit>
void PerfScript::for_each_sample(const Visit& visit) const {
  std::string_view rest = text_;
  std::optional<Header> header;
  std::vector<Frame> frames;
  const auto end_sample = [&] {
    if (header) visit(*header, frames);
    header.reset();
    frames.clear();
  };
  while (const auto line = take_line(rest)) {
    if (trim(*line).empty()) {
      end_sample();
    } else if (auto next = parse_header(*line)) {
      end_sample();
      header = next;
      if (const auto frame = parse_frame(next->frame)) frames.push_back(*frame);
    } else if (header && frames.size() < most_frames) {
      if (const auto frame = parse_frame(*line)) frames.push_back(*frame);
    }
  }
  end_sample();
}

void PerfScript::choose_event() {
  std::vector<Event> events;
  for_each_sample([&](const Header& header, const std::vector<Frame>&) {
    const auto known = std::find_if(events.begin(), events.end(),
                                    [&](const Event& e) { return e.name == header.event; });
    if (known != events.end()) {
      ++known->samples;
    } else if (events.size() < most_events) {
      events.push_back({std::string(header.event), 1});
    }
  });
  const auto most =
      std::max_element(events.begin(), events.end(),
                       [](const Event& a, const Event& b) { return a.samples < b.samples; });
  if (most == events.end()) return;
  event_ = most->name;
  if (events.size() < 2) return;
  std::string others;
  for (const Event& event : events) {
    if (event.name != event_) others += (others.empty() ? "" : ", ") + event.name;
  }
  warn(
      fmt::format("holds samples of several events: those of {} are shown, not those of {}; "
                  "print one with `perf script --event`",
                  event_, others));
}

bool PerfScript::is_of_program(const Frame& frame) const {
  return frame.file == target_.path || last_part(frame.file) == last_part(target_.path);
}

void PerfScript::find_bias() {
  std::map<std::uint64_t, std::uint64_t> found;
  for_each_sample([&](const Header&, const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
      if (!is_of_program(frame) || !frame.has_offset) continue;
      const auto& symbols = names_.find(frame.symbol);
      if (symbols.size() != 1) continue;
      ++found[frame.address - frame.offset - target_.symbols[symbols[0]].address.value];
    }
  });
  const auto most = std::max_element(
      found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != found.end()) bias_ = most->first;
}

std::uint32_t PerfScript::module_of(std::string_view file) {
  const auto known = modules_.find(file);
  if (known != modules_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(sidecar_modules_.size());
  modules_.emplace(file, number);
  SidecarModule module;
  module.path = file;
  sidecar_modules_.push_back(std::move(module));
  return number;
}

ModuleAddress PerfScript::address_of(const Frame& frame) {
  if (!is_of_program(frame)) return {module_of(frame.file), {frame.address}};
  const auto& symbols = names_.find(frame.symbol);
  for (const SymbolIndex symbol : symbols) {
    const Symbol& function = target_.symbols[symbol];
    const Address address = function.address + frame.offset;
    // Of several functions with that name, the one at the frame's address.
    const bool fits = symbols.size() == 1 || (bias_ && address.value + *bias_ == frame.address);
    if (fits && frame.offset <= function.end - function.address) return {0, address};
  }
  if (!bias_) return {0, {}};
  return {0, {frame.address - *bias_}};
}

void PerfScript::add_sample(const Header& header, const std::vector<Frame>& frames) {
  if (header.event != event_) return;
  ++samples_;
  if (period_ == 0) period_ = header.period;
  one_period_ = one_period_ && header.period == period_;
  std::vector<ModuleAddress> stack;
  std::string_view outermost;
  for (const Frame& frame : frames) {
    // The frame it was inlined into comes next, at the same address.
    if (frame.is_inlined) continue;
    stack.push_back(address_of(frame));
    outermost = frame.symbol;
  }
  if (stack.empty()) return;
  if (stack.front().module == 0) {
    ++own_;
    if (target_.symbols.find(stack.front().address)) {
      std::uint64_t& ticks = ticks_[stack.front().address];
      ticks = saturating_add(ticks, 1);
    } else {
      ++unplaced_;
    }
  }
  has_chains_ = has_chains_ || header.frame.empty();
  if (!is_outermost(outermost)) ++cut_;
  ++stacks_[std::move(stack)];
}

// Ticks are samples. The time between samples is known if it is the same for all and the event is a
// clock.
void PerfScript::choose_unit(ImportedProfile& profile) const {
  constexpr std::uint64_t nanoseconds = 1'000'000'000;
  const std::string_view event = std::string_view(event_).substr(0, event_.find(':'));
  const bool is_clock = event == "cpu-clock" || event == "task-clock";
  if (is_clock && one_period_ && period_ > 0 && period_ <= nanoseconds) {
    profile.raw.rate = static_cast<std::uint32_t>((nanoseconds + period_ / 2) / period_);
    return;
  }
  profile.raw.rate = 1;
  profile.raw.dimension = "samples";
  profile.raw.dimension_abbreviation = '#';
}

void PerfScript::take_stacks(ImportedProfile& profile) {
  if (!has_chains_) return;
  constexpr std::uint64_t tolerated_part = 20;
  if (cut_ * tolerated_part > samples_) {
    warn(
        fmt::format("{} of {} call chains do not reach the function that began the thread: "
                    "callers are not measured; record with `perf record --call-graph dwarf`, or "
                    "build with -fno-omit-frame-pointer",
                    cut_, samples_));
    return;
  }
  Sidecar& sidecar = profile.sidecar.emplace();
  sidecar.process.flags = process_flags::with_stacks;
  sidecar.process.samples = samples_;
  sidecar.modules = sidecar_modules_;
  for (auto& [frames, count] : stacks_) sidecar.stacks.push_back({count, false, frames});
  std::stable_sort(sidecar.stacks.begin(), sidecar.stacks.end(),
                   [](const SidecarStack& a, const SidecarStack& b) { return a.count > b.count; });
  profile.own_modules.resize(sidecar.modules.size());
  profile.own_modules[0] = true;
}

Expected<ImportedProfile> PerfScript::read() {
  SidecarModule own;
  own.path = target_.path;
  own.flags = module_flags::main;
  sidecar_modules_.push_back(std::move(own));
  choose_event();
  if (event_.empty()) {
    return Error{ErrorCode::wrong_format,
                 "samples as `perf script` prints them expected, none found; print them without "
                 "--fields",
                 path_, std::nullopt};
  }
  find_bias();
  for_each_sample(
      [&](const Header& header, const std::vector<Frame>& frames) { add_sample(header, frames); });
  if (own_ == 0 && ticks_.empty()) {
    const bool elsewhere = std::any_of(stacks_.begin(), stacks_.end(), [](const auto& stack) {
      return std::any_of(stack.first.begin(), stack.first.end(),
                         [](const ModuleAddress& place) { return place.module == 0; });
    });
    if (!elsewhere) {
      return Error{
          ErrorCode::mismatch,
          fmt::format("none of its {} samples is of {}; name the program that was recorded",
                      samples_, target_.path),
          path_, std::nullopt};
    }
  }
  if (unplaced_ > 0) {
    warn(
        fmt::format("{} of {} samples are in no function of {}: they are not shown; it may have "
                    "been rebuilt since",
                    unplaced_, samples_, target_.path));
  }
  ImportedProfile profile;
  choose_unit(profile);
  profile.raw.histograms = histograms_of(ticks_);
  profile.raw.histogram_records = profile.raw.histograms.size();
  take_stacks(profile);
  return profile;
}

}  // namespace

bool is_perf_script(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  for (std::size_t i = 0; i < lines_to_look_at; ++i) {
    const auto line = take_line(start);
    if (!line) return false;
    if (trim(*line).empty() || line->starts_with('#')) continue;
    return parse_header(*line).has_value();
  }
  return false;
}

Expected<ImportedProfile> read_perf_script(std::string_view text, const std::string& path,
                                           const ImportTarget& target, Warnings& warnings) {
  return PerfScript(text, path, target, warnings).read();
}

}  // namespace gprof
