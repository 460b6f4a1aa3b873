#include "engine/import/perf_script.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "engine/import/function_names.h"
#include "engine/import/perf_recording.h"
#include "engine/import/perf_samples.h"
#include "engine/import/text_tokens.h"
#include "engine/import/thread_waits.h"
#include "engine/import/wait_cause.h"

namespace gprof {
namespace {

// Those that come later are left out.
constexpr std::size_t most_events = 64;
constexpr std::size_t lines_to_look_at = 50;

// Whether a frame is in the kernel or in one of its modules.
bool is_of_kernel(const PerfFrame& frame) {
  constexpr std::uint64_t first_address = std::uint64_t{1} << 63U;
  return frame.file.starts_with("[kernel") ||
         (frame.file.starts_with('[') && frame.address >= first_address);
}

// perf prints names of modules without a file in brackets: `[vdso]`, `[nf_tables]`.
std::string_view without_brackets(std::string_view file) {
  const bool has_brackets = file.size() > 2 && file.front() == '[' && file.back() == ']';
  return has_brackets ? file.substr(1, file.size() - 2) : file;
}

// A frame is a sampled instruction, an interrupted one or a call; the other kinds of places do not
// occur in texts.
constexpr std::size_t place_kinds = 3;

// What is known of a frame, whatever sample it is in.
struct FrameFacts {
  bool is_known = false;
  bool is_of_kernel = false;
  bool is_of_program = false;
  bool is_entry_of_system_calls = false;
  bool returns_from_handler = false;  // of a signal
  // Handlers return to a function that has no name where the C library is stripped.
  bool is_unnamed_in_c_library = false;
  std::array<Row, place_kinds> places = {no_row, no_row, no_row};  // by PlaceKind
};

bool is_switch(std::string_view event) {
  return event == "sched:sched_switch" || event.starts_with("sched:sched_switch:");
}

bool is_of_scheduler(std::string_view event) { return event.starts_with("sched:"); }

struct EventCount {
  std::string name;
  std::uint64_t samples = 0;
};

class PerfScript {
 public:
  PerfScript(const TextBlocks& text, const std::string& path, const ImportTarget& target,
             MemoryRoom& room, Warnings& warnings)
      : text_(text),
        path_(path),
        target_(target),
        warnings_(warnings),
        names_(target.symbols),
        recording_(path, text.size(), target.symbols, room) {}

  Expected<Profile> read();

 private:
  // Finds events, when the first and last samples were taken, and the load bias, from frames with
  // known functions.
  [[nodiscard]] Expected<void> look_through();
  void find_events(const std::vector<EventCount>& counts);
  [[nodiscard]] bool is_of_program(const PerfFrame& frame);
  // Valid until the next call.
  [[nodiscard]] FrameFacts& facts_of(const PerfFrame& frame);
  [[nodiscard]] Place find(const PerfFrame& frame, PlaceKind kind);
  [[nodiscard]] Row module_of(const PerfFrame& frame);
  [[nodiscard]] bool has_called_nothing(const PerfFrame& frame);
  void take_frames(const PerfSample& sample, RecordedSample& taken);
  void take(const PerfSample& sample);
  void take_switch(const PerfSample& sample, const RecordedSample& taken);
  [[nodiscard]] WaitCause cause_of(const PerfSample& sample, bool is_for_disk);
  [[nodiscard]] Expected<void> check_program() const;
  void warn_of_events();
  void warn(std::string message) {
    warnings_.push_back(Error{ErrorCode::mismatch, std::move(message), path_, std::nullopt});
  }

  const TextBlocks& text_;
  const std::string& path_;
  const ImportTarget& target_;
  Warnings& warnings_;
  NamedFunctions names_;
  // The event with most samples comes first, the others in the file's order.
  PerfRecording recording_;
  std::map<std::string, std::size_t, std::less<>> event_places_;
  std::uint64_t left_out_ = 0;  // samples of further events
  std::optional<std::uint64_t> bias_;
  PerfFrameLines lines_;
  std::vector<FrameFacts> facts_;  // by PerfFrame::line
  FrameFacts other_facts_;         // of a frame whose line is not kept
  std::map<SymbolIndex, std::vector<Address>>
      returns_;              // the return addresses of a function's calls
  std::vector<Row> places_;  // scratch of take_frames()
  bool has_switches_ = false;
  std::uint64_t last_time_ = 0;
  ThreadWaits waits_;
};

Expected<void> PerfScript::look_through() {
  std::vector<EventCount> counts;
  std::map<std::string, std::size_t, std::less<>> places;
  std::map<std::uint64_t, std::uint64_t> biases;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  // Where the program was loaded is clear after that many frames, some of them its own.
  constexpr std::uint64_t max_compared_frames = 250'000;
  constexpr std::size_t max_candidates = 64;
  constexpr std::size_t max_biases = 65'536;
  constexpr std::uint64_t page_size = 4096;
  std::uint64_t compared = 0;
  std::uint32_t lines_seen = 0;
  TRY(for_each_perf_sample(text_, lines_, [&](const PerfSample& sample) {
    const auto known = places.find(sample.event);
    if (known != places.end()) {
      ++counts[known->second].samples;
    } else if (counts.size() < most_events) {
      places.emplace(sample.event, counts.size());
      counts.push_back({std::string(sample.event), 1});
    } else {
      ++left_out_;
    }
    first = std::min(first, sample.time);
    last = std::max(last, sample.time);
    for (const PerfFrame& frame : sample.frames) {
      ++compared;
      // Equal lines say the same.
      if (frame.line < lines_seen) continue;
      if (frame.line != PerfFrame::no_line) lines_seen = frame.line + 1;
      if (!is_of_program(frame) || !frame.has_offset) continue;
      const auto& symbols = names_.find(frame.symbol);
      if (symbols.empty() || symbols.size() > max_candidates) continue;
      // Each function of the name stands for a bias. The true one is common to all frames, and a
      // multiple of the page size.
      for (const SymbolIndex symbol : symbols) {
        const std::uint64_t bias =
            frame.address - frame.offset - target_.symbols[symbol].address.value;
        if (symbols.size() > 1 && bias % page_size != 0) continue;
        if (biases.size() < max_biases || biases.contains(bias)) ++biases[bias];
      }
    }
    return compared < max_compared_frames || biases.empty();
  }));
  if (counts.empty()) return {};
  last_time_ = last;
  recording_.set_timeline(PerfTimeline(first, last));
  find_events(counts);
  const auto most =
      std::max_element(biases.begin(), biases.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != biases.end()) bias_ = most->first;
  return {};
}

void PerfScript::find_events(const std::vector<EventCount>& counts) {
  // Events of the scheduler say when threads run, and nothing of what they do then.
  const auto most = std::ranges::max_element(counts, {}, [](const EventCount& event) {
    return std::pair(!is_of_scheduler(event.name), event.samples);
  });
  has_switches_ =
      std::ranges::any_of(counts, [](const EventCount& event) { return is_switch(event.name); });
  std::vector<PerfEvent>& events = recording_.events();
  events.emplace_back(most->name);
  for (const EventCount& event : counts) {
    if (event.name != most->name) events.emplace_back(event.name);
  }
  for (const PerfEvent& event : events) event_places_.emplace(event.name(), event_places_.size());
}

bool PerfScript::is_of_program(const PerfFrame& frame) {
  // Without a file, a function's name decides.
  if (frame.file.empty()) return !names_.find(frame.symbol).empty();
  return frame.file == target_.path || last_part(frame.file) == last_part(target_.path);
}

Row PerfScript::module_of(const PerfFrame& frame) {
  if (is_of_program(frame)) {
    return recording_.builder().module({ModuleKind::program, target_.path});
  }
  const std::string_view name = without_brackets(frame.file);
  if (name.empty() || name == "unknown") return no_row;
  ProfileModule module = {ModuleKind::library, std::string(name)};
  if (is_of_kernel(frame)) {
    // perf names the source of the kernel's symbols: `[kernel.kallsyms]`, `[kernel.vmlinux]`.
    const bool is_own = name.starts_with("kernel");
    module = {ModuleKind::kernel, is_own ? "kernel" : std::string(name)};
  }
  return recording_.builder().module(std::move(module));
}

Place PerfScript::find(const PerfFrame& frame, PlaceKind kind) {
  Place place = {.kind = kind, .module = module_of(frame)};
  if (is_of_program(frame)) {
    const auto& symbols = names_.find(frame.symbol);
    if (symbols.size() == 1 && frame.has_offset) {
      const Symbol& function = target_.symbols[symbols.front()];
      if (frame.offset <= function.end - function.address) {
        place.address = function.address + frame.offset;
        return place;
      }
    }
    // Several functions have the name: the address decides.
    if (bias_) {
      place.address = {frame.address - *bias_};
      return place;
    }
  }
  // The load biases of other modules are unknown, so their run-time addresses are dropped.
  if (!frame.symbol.empty()) place.function = recording_.builder().text(frame.symbol);
  return place;
}

// Whether a frame is in the program, and no call instruction returns to it. perf prints the address
// behind the call, or subtracts 1 if it walked a copy of the stack.
bool PerfScript::has_called_nothing(const PerfFrame& frame) {
  const Address address = is_of_program(frame) ? find(frame, PlaceKind::call).address : Address();
  const auto symbol = target_.symbols.find(address);
  if (address.value == 0 || !symbol) return false;
  // Finding a function's calls takes much longer than reading a frame, and samples repeat.
  const auto [returns, is_new] = returns_.try_emplace(*symbol);
  if (is_new) {
    const Symbol& function = target_.symbols[*symbol];
    for (const CallInstruction& call : target_.code.calls_in({function.address, function.end})) {
      returns->second.push_back(call.return_address);
    }
    std::ranges::sort(returns->second);
  }
  return !std::ranges::binary_search(returns->second, address) &&
         !std::ranges::binary_search(returns->second, address + 1);
}

FrameFacts& PerfScript::facts_of(const PerfFrame& frame) {
  const bool is_kept = frame.line != PerfFrame::no_line;
  if (is_kept && frame.line >= facts_.size()) facts_.resize(lines_.size());
  FrameFacts& facts = is_kept ? facts_[frame.line] : other_facts_;
  if (is_kept && facts.is_known) return facts;
  facts = {};
  facts.is_known = true;
  facts.is_of_kernel = is_of_kernel(frame);
  facts.is_of_program = is_of_program(frame);
  facts.is_entry_of_system_calls = facts.is_of_kernel && is_entry_of_system_calls(frame.symbol);
  facts.returns_from_handler = frame.symbol == "__restore_rt";
  facts.is_unnamed_in_c_library = frame.symbol.empty() && is_c_library_file(frame.file);
  return facts;
}

void PerfScript::take_frames(const PerfSample& sample, RecordedSample& taken) {
  places_.clear();
  bool is_below_kernel = false;
  bool is_in_system_call = false;
  bool is_below_handler = false;  // of a signal
  bool is_below_unnamed = false;
  for (const PerfFrame& frame : sample.frames) {
    // The frame it was inlined into comes next, at the same address.
    if (frame.is_inlined) continue;
    FrameFacts& facts = facts_of(frame);
    const bool is_interrupted = is_below_handler ||
                                (is_below_kernel && !facts.is_of_kernel && !is_in_system_call) ||
                                (is_below_unnamed && has_called_nothing(frame));
    const PlaceKind kind = places_.empty()  ? PlaceKind::sampled
                           : is_interrupted ? PlaceKind::interrupted
                                            : PlaceKind::call;
    // A place that found no room is tried again.
    Row& place = facts.places[static_cast<std::size_t>(kind)];
    if (place == no_row) place = recording_.builder().place(find(frame, kind));
    places_.push_back(place);
    taken.is_of_program = taken.is_of_program || facts.is_of_program;
    is_below_kernel = facts.is_of_kernel;
    is_in_system_call = facts.is_of_kernel && (is_in_system_call || facts.is_entry_of_system_calls);
    is_below_handler = facts.returns_from_handler;
    is_below_unnamed = facts.is_unnamed_in_c_library;
  }
  taken.has_places = !places_.empty();
  taken.stack = recording_.add_stack(places_, ChainEnd::open);
}

void PerfScript::take(const PerfSample& sample) {
  const auto event = event_places_.find(sample.event);
  if (event == event_places_.end()) return;
  RecordedSample taken;
  take_frames(sample, taken);
  taken.period = sample.period;
  taken.thread = recording_.thread_at(sample.process, sample.thread, sample.time);
  // The last name that it had.
  if (!sample.command.empty()) recording_.name_thread(taken.thread, sample.command);
  taken.slice = recording_.timeline().slice_at(sample.time);
  taken.is_chain = !sample.has_frame;
  if (is_switch(sample.event)) {
    take_switch(sample, taken);
  } else if (has_switches_) {
    waits_.note(ThreadWaits::Sign::ran, sample.thread, sample.time);
  }
  recording_.add(event->second, taken);
}

WaitCause PerfScript::cause_of(const PerfSample& sample, bool is_for_disk) {
  using Code = WaitingFrame::Code;
  std::vector<WaitingFrame> frames;
  // From the outermost in: what was inlined is of the file of the frame that it is in.
  Code code = Code::library;
  std::uint64_t address = 0;
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    if (!frame->is_inlined) {
      code = is_of_program(*frame)            ? Code::program
             : is_of_kernel(*frame)           ? Code::kernel
             : is_c_library_file(frame->file) ? Code::c_library
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
void PerfScript::take_switch(const PerfSample& sample, const RecordedSample& taken) {
  const auto change = parse_perf_switch(sample.fields);
  if (!change) return;
  if (sample.thread != 0) waits_.note_number(change->previous, sample.thread);
  if (change->next != 0) {
    waits_.note_numbered(ThreadWaits::Sign::switched_in, change->next, sample.time);
  }
  if (sample.thread == 0 || !taken.is_of_program) {
    return waits_.note(ThreadWaits::Sign::ran, sample.thread, sample.time);
  }
  waits_.switch_out({sample.thread, taken.thread, sample.time, change->waits,
                     cause_of(sample, change->is_for_disk), taken.stack});
}

Expected<void> PerfScript::check_program() const {
  std::uint64_t samples = 0;
  for (const PerfEvent& event : recording_.events()) {
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
  for (std::string& message : recording_.what_is_not_shown()) warn(std::move(message));
  if (auto message = waits_.message()) warn(*std::move(message));
}

Expected<Profile> PerfScript::read() {
  TRY(look_through());
  const std::size_t events = recording_.events().size();
  if (events == 0) {
    return Error{ErrorCode::wrong_format,
                 "samples as `perf script` prints them expected, none found; print them without "
                 "--fields",
                 path_, std::nullopt};
  }
  TRY(for_each_perf_sample(text_, lines_, [&](const PerfSample& sample) {
    take(sample);
    return true;
  }));
  waits_.finish(recording_.timeline(), last_time_, false);
  recording_.end_samples();
  TRY(check_program());
  warn_of_events();
  std::vector<std::size_t> order(events);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<Row> threads = recording_.add_events(order, events > 1);
  waits_.add_to(recording_.builder(), threads,
                [this](Row stack) { return recording_.stack_of_costs(stack); });
  return recording_.builder().finish();
}

}  // namespace

// Messages of perf and other records may precede the first sample.
bool is_perf_script(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  // Other texts may have lines like a header without a time: a frame must follow it.
  bool is_behind_header = false;
  for (std::size_t i = 0; i < lines_to_look_at; ++i) {
    const auto line = take_line(start);
    if (!line) return false;
    if (is_behind_header && parse_perf_frame(*line)) return true;
    const auto header = parse_perf_header(*line);
    if (header && header->has_time) return true;
    is_behind_header = header.has_value();
  }
  return false;
}

Expected<Profile> read_perf_script(const TextBlocks& text, const std::string& path,
                                   const ImportTarget& target, MemoryRoom& room,
                                   Warnings& warnings) {
  return PerfScript(text, path, target, room, warnings).read();
}

Expected<Profile> read_perf_script(std::string_view text, const std::string& path,
                                   const ImportTarget& target, MemoryRoom& room,
                                   Warnings& warnings) {
  return read_perf_script(TextBlocks(text), path, target, room, warnings);
}

}  // namespace gprof
