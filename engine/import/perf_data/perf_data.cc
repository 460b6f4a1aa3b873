#include "engine/import/perf_data/perf_data.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/import/perf_data/perf_chain.h"
#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_recording_reader.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/import/perf_data/perf_unwinder.h"
#include "engine/import/perf_data/perf_waits.h"
#include "engine/import/perf_event.h"

namespace gprof {
namespace {

using perf_data::PerfAttr;
using perf_data::PerfDataFile;
using perf_data::PerfRecord;
using perf_data::PerfSampleRecord;

// Those that come later are left out.
constexpr std::size_t most_events = 64;
// Each event's profile lists all threads: that many, and what the file has room for.
constexpr std::size_t most_threads = 4096;
constexpr std::size_t longest_chain = 4096;
// What is read of a file to find its program.
constexpr std::uint64_t looked_at = std::uint64_t{32} << 20;

class PerfDataReader {
 public:
  PerfDataReader(PerfDataFile file, const ImportTarget& target, const Image& program,
                 Warnings& warnings)
      : file_(std::move(file)),
        target_(target),
        warnings_(warnings),
        seen_(perf_data::look_through(file_, false)),
        room_(file_.size()),
        modules_(seen_.processes.files(), file_.build_ids(), program, file_.modified(), room_,
                 std::min(2 * file_.attrs().size(), most_events)),
        unwinder_(seen_.processes, modules_, program, file_.order()),
        chains_(seen_.processes, modules_, target.symbols, &unwinder_),
        waits_(file_, seen_.processes, modules_) {}

  Expected<ImportedProfile> read() {
    TRY(check_program());
    find_kernel();
    recording_.timeline =
        PerfTimeline(std::min(seen_.first_time, seen_.last_time), seen_.last_time);
    // Samples weigh their periods, as perf has it.
    recording_.has_several_events = true;
    make_events();
    const auto places = [&](std::uint32_t process, std::uint32_t thread, std::uint64_t time) {
      return thread_of(process, thread, time);
    };
    const auto walked = file_.for_each_record([&](const PerfRecord& record) {
      if (record.type == perf_data::record::sample) {
        take(record);
      } else {
        waits_.take_other(record, places);
      }
      return true;
    });
    if (!walked) seen_.damage = walked.error();
    waits_.finish(recording_.timeline, seen_.last_time);
    TRY(check_samples());
    warn_of_file();
    warn_of_events();
    return take_profiles();
  }

 private:
  [[nodiscard]] Error mismatch(std::string message) const {
    return Error{ErrorCode::mismatch, std::move(message), file_.path(), std::nullopt};
  }
  void warn(std::string message) { warnings_.push_back(mismatch(std::move(message))); }
  [[nodiscard]] std::string programs() const;
  [[nodiscard]] Expected<void> check_program() const;
  [[nodiscard]] Expected<void> check_samples() const;
  void find_kernel();
  void make_events();
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t process, std::uint32_t thread,
                                        std::uint64_t time);
  void take(const PerfRecord& record);
  void warn_of_file();
  void warn_of_events();
  [[nodiscard]] ImportedProfile take_profiles();

  PerfDataFile file_;
  const ImportTarget& target_;
  Warnings& warnings_;
  perf_data::PerfOverview seen_;
  ImportRoom room_;
  perf_data::PerfModules modules_;
  perf_data::PerfUnwinder unwinder_;
  perf_data::PerfChains chains_;
  perf_data::PerfWaits waits_;
  PerfRecording recording_;
  // Places of an attribute's metrics among the events; none of those that are left out.
  struct Metrics {
    std::optional<std::size_t> periods;
    std::optional<std::size_t> weights;
  };
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& name);
  std::vector<Metrics> metrics_;  // by attribute
  std::vector<PerfEvent> events_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> threads_;
  std::uint64_t left_out_ = 0;  // samples of further events
  std::uint64_t damaged_ = 0;   // samples that are shorter than their event says
  std::uint64_t first_damaged_ = 0;
};

bool has_weights(const PerfAttr& attr) {
  return (attr.sample_type &
          (perf_data::sample_bit::weight | perf_data::sample_bit::weight_struct)) != 0;
}

std::string PerfDataReader::programs() const {
  constexpr std::size_t most_named = 5;
  std::set<std::string> names;
  for (const auto& file : seen_.processes.files()) {
    const bool is_library = file.path.find(".so") != std::string::npos;
    if (file.path.starts_with('/') && !file.path.starts_with("//") && !is_library) {
      names.insert(file.path);
    }
  }
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == most_named) break;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text + (names.size() > most_named ? ", …" : "");
}

Expected<void> PerfDataReader::check_program() const {
  if (seen_.samples == 0) {
    if (seen_.damage) return *seen_.damage;
    return Error{ErrorCode::no_profile_data, "it holds no samples", file_.path(), std::nullopt};
  }
  if (modules_.has_program() || modules_.other_build().empty()) return {};
  return mismatch(fmt::format(
      "was recorded of another build of {}, with the build-id {}; record it again, or name the "
      "executable that was recorded",
      target_.path, modules_.other_build()));
}

Expected<void> PerfDataReader::check_samples() const {
  std::uint64_t samples = 0;
  for (const PerfEvent& event : events_) {
    if (event.is_of_program()) return {};
    samples += event.samples();
  }
  // Switches without stacks are of the program as well.
  if (samples > 0 && !waits_.empty()) return {};
  const std::string recorded = programs();
  return mismatch(
      fmt::format("none of its {} samples is of {}; name the program that was recorded{}", samples,
                  target_.path, recorded.empty() ? "" : " (it ran " + recorded + ")"));
}

void PerfDataReader::find_kernel() {
  const auto build = file_.build_ids().find(perf_data::kernel_path);
  if (build == file_.build_ids().end()) return;
  auto symbols = perf_data::KernelSymbols::find(build->second, target_.perf_caches);
  if (symbols && seen_.kernel) symbols->move_to(*seen_.kernel);
  modules_.set_kernel(std::move(symbols));
}

// Two events of one name are two counters of the same.
std::optional<std::size_t> PerfDataReader::place_of(const std::string& name) {
  const auto known = std::ranges::find(events_, name, &PerfEvent::name);
  if (known != events_.end()) return static_cast<std::size_t>(known - events_.begin());
  if (events_.size() == most_events) return std::nullopt;
  events_.emplace_back(name);
  return events_.size() - 1;
}

void PerfDataReader::make_events() {
  for (const PerfAttr& attr : file_.attrs()) {
    Metrics& metrics = metrics_.emplace_back();
    metrics.periods = place_of(attr.name);
    if (has_weights(attr)) metrics.weights = place_of(attr.name + " weight");
  }
}

std::uint32_t PerfDataReader::thread_of(std::uint32_t process, std::uint32_t number,
                                        std::uint64_t time) {
  const auto next = static_cast<std::uint32_t>(recording_.threads.size());
  const auto known = threads_.find({process, number});
  if (known != threads_.end()) {
    SidecarThread& thread = recording_.threads[known->second];
    thread.start_time = std::min(thread.start_time, time);
    return known->second;
  }
  const std::uint64_t most = most_threads + file_.size() / sizeof(SidecarThread) /
                                                std::max<std::size_t>(1, events_.size());
  if (next >= most) {
    recording_.threads_left_out = true;
    return no_thread;
  }
  threads_.emplace(std::pair(process, number), next);
  SidecarThread& thread = recording_.threads.emplace_back();
  thread.process = process;
  thread.thread = number;
  thread.start_time = time;
  thread.name = seen_.processes.name_of(process, number);
  return next;
}

void PerfDataReader::take(const PerfRecord& record) {
  const auto number = file_.event_of(record);
  if (!number || *number >= metrics_.size()) return;
  const PerfAttr& attr = file_.attrs()[*number];
  const Metrics& metrics = metrics_[*number];
  if (!metrics.periods) {
    ++left_out_;
    return;
  }
  const auto sample = perf_data::parse_sample(record, attr, file_.order());
  if (!sample) {
    if (damaged_++ == 0) first_damaged_ = record.offset;
    return;
  }
  PerfEvent::Sample taken;
  chains_.take(*sample, record.misc, attr, taken);
  if (taken.frames.size() > longest_chain) taken.frames.resize(longest_chain);
  taken.period = sample->period;
  taken.thread = thread_of(sample->process, sample->thread, sample->time);
  taken.slice = recording_.timeline.slice_at(sample->time);
  waits_.take(*number, *sample, taken);
  if (metrics.weights && sample->weight > 0) {
    PerfEvent::Sample weight = taken;
    weight.period = sample->weight;
    events_[*metrics.weights].add(std::move(weight), room_);
  }
  events_[*metrics.periods].add(std::move(taken), room_);
}

void PerfDataReader::warn_of_file() {
  for (const Error& warning : file_.warnings()) warnings_.push_back(warning);
  // That it ends within a record is no news then.
  const bool is_told = file_.is_cut() && seen_.damage && seen_.damage->code == ErrorCode::truncated;
  if (seen_.damage && !is_told) {
    Error damage = *seen_.damage;
    damage.message += "; what comes before is shown";
    warnings_.push_back(std::move(damage));
  }
  if (damaged_ > 0) {
    warnings_.push_back(Error{ErrorCode::corrupt,
                              fmt::format("{} samples are shorter than their events say, and are "
                                          "left out",
                                          damaged_),
                              file_.path(), first_damaged_});
  }
  if (seen_.unknown > 0) {
    warnings_.push_back(
        Error{ErrorCode::unsupported,
              fmt::format("{} records of unknown types or events are left out", seen_.unknown),
              file_.path(), seen_.first_unknown});
  }
  if (seen_.is_full) warn("some of its mappings are left out: there are too many");
  if (seen_.lost > 0) {
    warn(fmt::format("the kernel lost {} events while perf recorded {} samples", seen_.lost,
                     seen_.samples));
  }
}

void PerfDataReader::warn_of_events() {
  if (left_out_ > 0) {
    warn(fmt::format("holds more than {} events: {} samples of the others are not shown",
                     most_events, left_out_));
  }
  for (std::string& message : what_is_not_shown(events_, recording_, target_)) {
    warn(std::move(message));
  }
  const bool tells_of_room = std::ranges::any_of(
      events_, [](const PerfEvent& event) { return event.left_out_samples() > 0; });
  if (room_.was_short() && !tells_of_room) warn(short_of_room_text());
  if (auto message = waits_.message()) warn(*std::move(message));
}

ImportedProfile PerfDataReader::take_profiles() {
  recording_.modules = std::move(modules_.modules());
  const auto names = modules_.take_names();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].samples() > 0) order.push_back(i);
  }
  // The one with most samples comes first, the others as perf has them. Those of the scheduler say
  // when threads run, and nothing of what they do then.
  const auto rank = [&](std::size_t event) {
    return std::pair(!events_[event].name().starts_with("sched:"), events_[event].samples());
  };
  const auto most = std::ranges::max_element(order, {}, rank);
  std::rotate(order.begin(), most, most + 1);
  std::vector<ImportedProfile> profiles;
  for (const std::size_t i : order) {
    ImportedProfile profile = events_[i].take_profile(recording_, target_.symbols);
    profile.external_names = names;
    profiles.push_back(std::move(profile));
  }
  ImportedProfile first = std::move(profiles.front());
  waits_.give_to(*first.sidecar);
  first.others.assign(std::make_move_iterator(profiles.begin() + 1),
                      std::make_move_iterator(profiles.end()));
  return first;
}

}  // namespace

Expected<ImportedProfile> read_perf_data(perf_data::PerfBytes bytes, const ImportTarget& target,
                                         const Image& program, Warnings& warnings) {
  TRY_ASSIGN(auto file, PerfDataFile::open(std::move(bytes)));
  return PerfDataReader(std::move(file), target, program, warnings).read();
}

Expected<std::optional<RecordedProgram>> program_of_perf_data(perf_data::PerfBytes bytes) {
  TRY_ASSIGN(auto file, PerfDataFile::open(std::move(bytes)));
  const auto seen = perf_data::look_through(file, true, looked_at);
  std::map<std::uint32_t, std::uint64_t> samples;  // by file
  for (const auto& [process, count] : seen.samples_of) {
    const auto program = seen.processes.program_of(process, seen.last_time);
    if (program) samples[*program] += count;
  }
  const auto most =
      std::max_element(samples.begin(), samples.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == samples.end()) return std::optional<RecordedProgram>();
  const auto& found = seen.processes.files()[most->first];
  RecordedProgram program{found.path, found.build_id};
  const auto build = file.build_ids().find(found.path);
  if (program.build_id.empty() && build != file.build_ids().end()) program.build_id = build->second;
  return std::optional(std::move(program));
}

}  // namespace gprof
