#include "engine/import/perf_data/perf_data.h"

#include <algorithm>
#include <map>
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
#include "engine/import/perf_recording.h"

namespace gprof {
namespace {

using perf_data::PerfAttr;
using perf_data::PerfDataFile;
using perf_data::PerfRecord;

// Those that come later are left out.
constexpr std::size_t most_events = 64;
// What is read of a file to find its program.
constexpr std::uint64_t looked_at = std::uint64_t{32} << 20;

class PerfDataReader {
 public:
  PerfDataReader(PerfDataFile file, const ImportTarget& target, const Image& program,
                 MemoryRoom& room, Warnings& warnings)
      : file_(std::move(file)),
        target_(target),
        warnings_(warnings),
        seen_(perf_data::look_through(file_, false)),
        recording_(file_.path(), file_.size(), target.symbols, room),
        modules_(seen_.processes.files(), file_.build_ids(), program, file_.modified(),
                 recording_.builder()),
        unwinder_(seen_.processes, modules_, program, file_.order()),
        chains_(seen_.processes, modules_, &unwinder_, recording_),
        waits_(file_, seen_.processes, modules_, recording_) {}

  Expected<Profile> read() {
    TRY(check_program());
    find_kernel();
    recording_.set_timeline(
        PerfTimeline(std::min(seen_.first_time, seen_.last_time), seen_.last_time));
    make_events();
    const auto walked = file_.for_each_record([&](const PerfRecord& record) {
      if (record.type == perf_data::record::sample) {
        take(record);
      } else {
        waits_.take_other(record);
      }
      return true;
    });
    if (!walked) seen_.damage = walked.error();
    waits_.finish(seen_.last_time);
    recording_.end_samples();
    TRY(check_samples());
    warn_of_file();
    warn_of_events();
    add_costs();
    return recording_.builder().finish();
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
  void take(const PerfRecord& record);
  // Adds a sample of each event whose counter was read with the sample.
  void add_counters(const perf_data::PerfSampleRecord& sample, const RecordedSample& taken);
  void warn_of_file();
  void warn_of_events();
  void add_costs();

  PerfDataFile file_;
  const ImportTarget& target_;
  Warnings& warnings_;
  perf_data::PerfOverview seen_;
  PerfRecording recording_;
  perf_data::PerfModules modules_;
  perf_data::PerfUnwinder unwinder_;
  perf_data::PerfChains chains_;
  perf_data::PerfWaits waits_;
  // Places of an attribute's metrics among the events; none of those that are left out.
  struct Metrics {
    std::optional<std::size_t> periods;
    std::optional<std::size_t> weights;
  };
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& name);
  std::vector<Metrics> metrics_;  // by attribute
  // The last value of each counter, by its id, and by thread where each thread has its own.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> counters_;
  std::uint64_t unknown_counters_ = 0;
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
  for (const PerfEvent& event : recording_.events()) {
    if (event.is_of_program()) return {};
    samples += event.samples();
  }
  // Switches without stacks are of the program as well.
  if (samples > 0 && !waits_.empty()) return {};
  const std::string recorded = programs();
  if (modules_.has_program()) {
    return mismatch(fmt::format(
        "none of its {} samples is of {}, which ran code of libraries alone; record it with `perf "
        "record -g`, to see what called them",
        samples, target_.path));
  }
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
  std::vector<PerfEvent>& events = recording_.events();
  const auto known = std::ranges::find(events, name, &PerfEvent::name);
  if (known != events.end()) return static_cast<std::size_t>(known - events.begin());
  if (events.size() == most_events) return std::nullopt;
  events.emplace_back(name);
  return events.size() - 1;
}

void PerfDataReader::make_events() {
  for (const PerfAttr& attr : file_.attrs()) {
    Metrics& metrics = metrics_.emplace_back();
    metrics.periods = place_of(attr.name);
    if (has_weights(attr)) metrics.weights = place_of(attr.name + " weight");
  }
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
  RecordedSample taken;
  chains_.take(*sample, record.misc, attr, taken);
  taken.period = sample->period;
  taken.thread = recording_.thread_at(sample->process, sample->thread, sample->time);
  taken.slice = recording_.timeline().slice_at(sample->time);
  waits_.take(*number, *sample, taken);
  if (sample->counters.size() > 0) {
    add_counters(*sample, taken);
  } else {
    recording_.add(*metrics.periods, taken);
  }
  if (metrics.weights && sample->weight > 0) {
    taken.period = sample->weight;
    recording_.add(*metrics.weights, taken);
  }
}

// The increase of a counter since its last sample is the period of a sample of that event. Only the
// leader of a group is sampled.
void PerfDataReader::add_counters(const perf_data::PerfSampleRecord& sample,
                                  const RecordedSample& taken) {
  for (std::size_t i = 0; i < sample.counters.size(); ++i) {
    const std::uint64_t id = sample.counters.id(i);
    const auto event = file_.event_of_counter(id);
    if (!event || *event >= metrics_.size()) {
      ++unknown_counters_;
      continue;
    }
    const bool is_by_thread = file_.attrs()[*event].inherit;
    std::uint64_t& last = counters_[{id, is_by_thread ? sample.thread : 0}];
    const std::uint64_t value = sample.counters.value(i);
    RecordedSample counted = taken;
    counted.period = value > last ? value - last : 0;
    last = value;
    if (counted.period == 0) continue;
    if (const auto place = metrics_[*event].periods) {
      recording_.add(*place, counted);
    } else {
      ++left_out_;
    }
  }
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
  if (unknown_counters_ > 0) {
    warn(fmt::format("{} values of counters belong to no event of the file and are left out",
                     unknown_counters_));
  }
  for (std::string& message : recording_.what_is_not_shown()) warn(std::move(message));
  if (auto message = waits_.message()) warn(*std::move(message));
}

void PerfDataReader::add_costs() {
  const std::vector<PerfEvent>& events = recording_.events();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].samples() > 0) order.push_back(i);
  }
  // The one with most samples comes first, the others as perf has them. Those of the scheduler say
  // when threads run, and nothing of what they do then.
  const auto rank = [&](std::size_t event) {
    return std::pair(!events[event].name().starts_with("sched:"), events[event].samples());
  };
  const auto most = std::ranges::max_element(order, {}, rank);
  std::rotate(order.begin(), most, most + 1);
  recording_.name_threads([&](std::uint32_t process, std::uint32_t thread) {
    return seen_.processes.name_of(process, thread);
  });
  // Samples weigh their periods, as perf has it.
  const std::vector<Row> threads = recording_.add_events(order, true);
  waits_.add_costs(threads);
}

}  // namespace

Expected<Profile> read_perf_data(perf_data::PerfBytes bytes, const ImportTarget& target,
                                 const Image& program, MemoryRoom& room, Warnings& warnings) {
  TRY_ASSIGN(auto file, PerfDataFile::open(std::move(bytes)));
  return PerfDataReader(std::move(file), target, program, room, warnings).read();
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
