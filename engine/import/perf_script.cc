#include "engine/import/perf_script.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "engine/import/perf_event.h"
#include "engine/import/perf_samples.h"
#include "engine/import/text_tokens.h"
#include "engine/import/thread_waits.h"
#include "engine/import/wait_cause.h"

namespace gprof {
namespace {

// Those that come later are left out.
constexpr std::size_t most_events = 64;
// Each event's profile lists all threads and modules: that many, and what the text has room for.
constexpr std::size_t most_threads = 4096;
constexpr std::size_t most_bytes_of_modules = std::size_t{1} << 20;
constexpr std::size_t longest_command = 64;
constexpr std::size_t lines_to_look_at = 50;

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

constexpr std::string_view kernel_file = "[kernel";

bool is_switch(std::string_view event) {
  return event == "sched:sched_switch" || event.starts_with("sched:sched_switch:");
}

bool is_of_scheduler(std::string_view event) { return event.starts_with("sched:"); }

struct EventCount {
  std::string_view name;
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
        module_numbers_{{std::string(target.path), 0}},
        room_(text.size()) {}

  Expected<ImportedProfile> read();

 private:
  // Finds events, when the first and last samples were taken, and the load bias, from frames with
  // known functions.
  void look_through();
  void find_events(const std::vector<EventCount>& counts);
  [[nodiscard]] bool is_of_program(const PerfFrame& frame) const;
  ModuleAddress address_of(const PerfFrame& frame);
  std::uint32_t module_of(std::string_view file);
  std::uint32_t thread_of(const PerfSample& sample);
  void take(const PerfSample& sample);
  void take_switch(const PerfSample& sample, const PerfEvent::Sample& taken);
  [[nodiscard]] WaitCause cause_of(const PerfSample& sample, bool is_for_disk) const;
  [[nodiscard]] Expected<void> check_program() const;
  void warn_of_events();
  [[nodiscard]] ImportedProfile take_profiles();
  void warn(std::string message) {
    warnings_.push_back(Error{ErrorCode::mismatch, std::move(message), path_, std::nullopt});
  }

  const std::string_view text_;
  const std::string& path_;
  const ImportTarget& target_;
  Warnings& warnings_;
  NamedFunctions names_;
  std::vector<PerfEvent> events_;  // the one with most samples first, then in the file's order
  std::map<std::string, std::size_t, std::less<>> event_places_;
  std::uint64_t left_out_ = 0;  // samples of further events
  std::optional<std::uint64_t> bias_;
  std::map<std::string, std::uint32_t, std::less<>> module_numbers_;
  std::size_t bytes_of_modules_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> thread_places_;
  PerfRecording recording_;
  ImportRoom room_;
  bool has_switches_ = false;
  std::uint64_t last_time_ = 0;
  ThreadWaits waits_;
};

void PerfScript::look_through() {
  std::vector<EventCount> counts;
  std::map<std::string_view, std::size_t> places;
  std::map<std::uint64_t, std::uint64_t> biases;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  for_each_perf_sample(text_, [&](const PerfSample& sample) {
    const auto known = places.find(sample.event);
    if (known != places.end()) {
      ++counts[known->second].samples;
    } else if (counts.size() < most_events) {
      places.emplace(sample.event, counts.size());
      counts.push_back({sample.event, 1});
    } else {
      ++left_out_;
    }
    first = std::min(first, sample.time);
    last = std::max(last, sample.time);
    for (const PerfFrame& frame : sample.frames) {
      if (!is_of_program(frame) || !frame.has_offset) continue;
      const auto& symbols = names_.find(frame.symbol);
      if (symbols.size() != 1) continue;
      ++biases[frame.address - frame.offset - target_.symbols[symbols[0]].address.value];
    }
  });
  if (counts.empty()) return;
  last_time_ = last;
  recording_.timeline = PerfTimeline(first, last);
  find_events(counts);
  const auto most =
      std::max_element(biases.begin(), biases.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != biases.end()) bias_ = most->first;
}

void PerfScript::find_events(const std::vector<EventCount>& counts) {
  // Events of the scheduler say when threads run, and nothing of what they do then.
  const auto most = std::ranges::max_element(counts, {}, [](const EventCount& event) {
    return std::pair(!is_of_scheduler(event.name), event.samples);
  });
  has_switches_ =
      std::ranges::any_of(counts, [](const EventCount& event) { return is_switch(event.name); });
  events_.emplace_back(std::string(most->name));
  for (const EventCount& event : counts) {
    if (event.name != most->name) events_.emplace_back(std::string(event.name));
  }
  for (const PerfEvent& event : events_) event_places_.emplace(event.name(), event_places_.size());
  recording_.has_several_events = events_.size() > 1;
}

bool PerfScript::is_of_program(const PerfFrame& frame) const {
  return frame.file == target_.path || last_part(frame.file) == last_part(target_.path);
}

std::uint32_t PerfScript::module_of(std::string_view file) {
  const auto known = module_numbers_.find(file);
  if (known != module_numbers_.end()) return known->second;
  const std::size_t most = most_bytes_of_modules + text_.size() / events_.size();
  const std::size_t bytes = sizeof(SidecarModule) + file.size();
  if (bytes_of_modules_ + bytes > most) return no_module;
  bytes_of_modules_ += bytes;
  const auto number = static_cast<std::uint32_t>(recording_.modules.size());
  module_numbers_.emplace(file, number);
  recording_.modules.emplace_back().path = file;
  return number;
}

std::uint32_t PerfScript::thread_of(const PerfSample& sample) {
  const auto next = static_cast<std::uint32_t>(recording_.threads.size());
  const std::size_t most = most_threads + text_.size() / sizeof(SidecarThread) / events_.size();
  const std::pair key(sample.process, sample.thread);
  auto known = thread_places_.find(key);
  if (known == thread_places_.end()) {
    if (next >= most) {
      recording_.threads_left_out = true;
      return no_thread;
    }
    known = thread_places_.emplace(key, next).first;
    SidecarThread& thread = recording_.threads.emplace_back();
    thread.process = sample.process;
    thread.thread = sample.thread;
    thread.start_time = sample.time;
  }
  SidecarThread& thread = recording_.threads[known->second];
  // The last one that it had.
  if (!sample.command.empty()) thread.name = sample.command.substr(0, longest_command);
  return known->second;
}

ModuleAddress PerfScript::address_of(const PerfFrame& frame) {
  if (!is_of_program(frame)) return {module_of(frame.file), {frame.address}};
  const auto& symbols = names_.find(frame.symbol);
  if (symbols.size() == 1) {
    const Symbol& function = target_.symbols[symbols.front()];
    if (frame.offset <= function.end - function.address) {
      return {0, function.address + frame.offset};
    }
  }
  // Several functions have the name: the address decides.
  if (!bias_) return {0, {}};
  return {0, {frame.address - *bias_}};
}

void PerfScript::take(const PerfSample& sample) {
  const auto event = event_places_.find(sample.event);
  if (event == event_places_.end()) return;
  PerfEvent::Sample taken;
  std::string_view outermost;
  for (const PerfFrame& frame : sample.frames) {
    // The frame it was inlined into comes next, at the same address.
    if (frame.is_inlined) continue;
    taken.frames.push_back(address_of(frame));
    outermost = frame.symbol;
  }
  taken.period = sample.period;
  taken.thread = thread_of(sample);
  taken.slice = recording_.timeline.slice_at(sample.time);
  taken.is_chain = !sample.has_frame;
  taken.is_complete = is_outermost(outermost);
  if (is_switch(sample.event)) {
    take_switch(sample, taken);
  } else if (has_switches_) {
    waits_.note(ThreadWaits::Sign::ran, sample.thread, sample.time);
  }
  events_[event->second].add(std::move(taken), room_);
}

WaitCause PerfScript::cause_of(const PerfSample& sample, bool is_for_disk) const {
  using Code = WaitingFrame::Code;
  std::vector<WaitingFrame> frames;
  // From the outermost in: what was inlined is of the file of the frame that it is in.
  Code code = Code::library;
  std::uint64_t address = 0;
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    if (!frame->is_inlined) {
      code = is_of_program(*frame)                  ? Code::program
             : frame->file.starts_with(kernel_file) ? Code::kernel
             : is_c_library_file(frame->file)       ? Code::c_library
                                                    : Code::library;
    } else if (frame->address != address) {
      // perf does not always print that frame of the C library.
      code = Code::c_library;
    }
    address = frame->address;
    frames.push_back({code, frame->symbol});
  }
  std::ranges::reverse(frames);
  const auto cause = cause_of_wait(frames);
  return cause ? *cause : WaitCause{is_for_disk ? WaitKind::io : WaitKind::other, {}};
}

// Without a call chain it is not known whose it is: commands of threads are any.
void PerfScript::take_switch(const PerfSample& sample, const PerfEvent::Sample& taken) {
  const auto change = parse_perf_switch(sample.fields);
  if (!change) return;
  if (sample.thread != 0) waits_.note_number(change->previous, sample.thread);
  if (change->next != 0) {
    waits_.note_numbered(ThreadWaits::Sign::switched_in, change->next, sample.time);
  }
  if (sample.thread == 0 ||
      std::ranges::find(taken.frames, 0U, &ModuleAddress::module) == taken.frames.end()) {
    return waits_.note(ThreadWaits::Sign::ran, sample.thread, sample.time);
  }
  waits_.switch_out({sample.thread, taken.thread, sample.time, change->waits, taken.is_complete,
                     cause_of(sample, change->is_for_disk), taken.frames});
}

Expected<void> PerfScript::check_program() const {
  std::uint64_t samples = 0;
  for (const PerfEvent& event : events_) {
    if (event.is_of_program()) return {};
    samples += event.samples();
  }
  return Error{ErrorCode::mismatch,
               fmt::format("none of its {} samples is of {}; name the program that was recorded",
                           samples, target_.path),
               path_, std::nullopt};
}

void PerfScript::warn_of_events() {
  if (left_out_ > 0) {
    warn(
        fmt::format("holds more than {} events: {} samples of the others are not shown; print "
                    "some with `perf script --event`",
                    most_events, left_out_));
  }
  for (std::string& message : what_is_not_shown(events_, recording_, target_)) {
    warn(std::move(message));
  }
  if (auto message = waits_.message()) warn(*std::move(message));
}

ImportedProfile PerfScript::take_profiles() {
  ImportedProfile first = events_.front().take_profile(recording_, target_.symbols);
  for (std::size_t i = 1; i < events_.size(); ++i) {
    first.others.push_back(events_[i].take_profile(recording_, target_.symbols));
  }
  waits_.give_to(*first.sidecar);
  return first;
}

Expected<ImportedProfile> PerfScript::read() {
  SidecarModule& own = recording_.modules.emplace_back();
  own.path = target_.path;
  own.flags = module_flags::main;
  look_through();
  if (events_.empty()) {
    return Error{ErrorCode::wrong_format,
                 "samples as `perf script` prints them expected, none found; print them without "
                 "--fields",
                 path_, std::nullopt};
  }
  for_each_perf_sample(text_, [&](const PerfSample& sample) { take(sample); });
  waits_.finish(recording_.timeline, last_time_, false);
  TRY(check_program());
  warn_of_events();
  return take_profiles();
}

}  // namespace

bool is_perf_script(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  for (std::size_t i = 0; i < lines_to_look_at; ++i) {
    const auto line = take_line(start);
    if (!line) return false;
    if (trim(*line).empty() || line->starts_with('#')) continue;
    return parse_perf_header(*line).has_value();
  }
  return false;
}

Expected<ImportedProfile> read_perf_script(std::string_view text, const std::string& path,
                                           const ImportTarget& target, Warnings& warnings) {
  return PerfScript(text, path, target, warnings).read();
}

}  // namespace gprof
