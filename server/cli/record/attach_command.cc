#include "server/cli/record/attach_command.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/import/perf_data/perf_format.h"
#include "engine/object/image.h"
#include "engine/support/input_file.h"
#include "server/cli/record/attach_summary.h"
#include "server/cli/record/attach_target.h"
#include "server/cli/record/perf_data_writer.h"
#include "server/cli/record/perf_intake.h"
#include "server/cli/record/record_files.h"
#include "server/cli/record/record_words.h"
#include "server/cli/record/recorded_process.h"
#include "server/cli/record/sampled_threads.h"
#include "server/loading/kept_executables.h"
#include "server/protocol/message_writer.h"
#include "server/protocol/run_summary.h"
#include "server/system/cache_directory.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr int no_profile_status = 125;
constexpr std::uint64_t one_second = 1'000'000'000;
// Not a multiple of what programs and the kernel do periodically.
constexpr std::uint32_t usual_rate = 997;
constexpr double usual_seconds = 10;
constexpr const char* recording_name = "perf.data";
constexpr const char* older_name = "perf.data.old";
// The largest recording: in bytes, and as a part (1/2) of the free space.
constexpr std::uint64_t largest_recording = std::uint64_t{1} << 30;
constexpr std::uint64_t part_of_free_space = 2;
// Bytes of a sample with a copied stack; which part (1/4) of a buffer may fill between two looks.
constexpr std::uint64_t sample_bytes = 8704;
constexpr std::uint64_t part_of_ring = 4;
constexpr std::uint64_t longest_pause = 50;  // milliseconds

std::uint64_t clock_time(clockid_t clock) {
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * one_second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~OwnedDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  [[nodiscard]] int number() const { return descriptor_; }

 private:
  const int descriptor_;
};

// A process's CPU clock, which any user may read while the process runs.
class CpuClock {
 public:
  explicit CpuClock(std::uint32_t process)
      : is_there_(clock_getcpuclockid(static_cast<pid_t>(process), &clock_) == 0) {}
  void start() { begin_ = last_ = is_there_ ? clock_time(clock_) : 0; }
  void look() {
    if (is_there_) last_ = std::max(last_, clock_time(clock_));
  }
  // From its start to the last look.
  [[nodiscard]] std::uint64_t elapsed() const { return last_ - begin_; }

 private:
  clockid_t clock_ = 0;
  const bool is_there_;
  std::uint64_t begin_ = 0;
  std::uint64_t last_ = 0;
};

// Blocks Ctrl-C and the like, so that they end the sampling instead of gprof-lsp.
class EndSignals {
 public:
  EndSignals() : descriptor_(blocked()) {}
  [[nodiscard]] int descriptor() const { return descriptor_.number(); }

 private:
  static int blocked() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  OwnedDescriptor descriptor_;
};

int process_handle(std::uint32_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
  static_cast<void>(process);
  return -1;
#endif
}

std::uint64_t size_limit(const fs::path& directory) {
  struct statvfs space = {};
  if (statvfs(directory.c_str(), &space) != 0) return largest_recording;
  return std::min<std::uint64_t>(
      largest_recording, std::uint64_t{space.f_bavail} * space.f_frsize / part_of_free_space);
}

StackSource wanted_stacks(const AttachTarget& target, const RecordOptions& options) {
  if (options.stacks == false) return StackSource::none;
  const auto image = Image::open(fmt::format("/proc/{}/exe", target.process));
  return image ? stack_source_for((*image)->machine()) : StackSource::frame_pointers;
}

// Milliseconds until a buffer may have filled to a part.
int pause_between_looks(std::size_t ring, std::uint32_t rate) {
  const std::uint64_t bytes_a_second = sample_bytes * rate;
  const std::uint64_t pause =
      1000 * (ring / part_of_ring) / std::max<std::uint64_t>(bytes_a_second, 1);
  return static_cast<int>(std::clamp<std::uint64_t>(pause, 1, longest_pause));
}

// An editor shows the outcome from the summary, if it has asked for one. Returns the status.
int finish(const RecordOptions& options, RunSummary& summary, int status) {
  summary.status = status;
  if (options.summary.empty()) return status;
  const auto written = write_whole_file(options.summary, written_text(summary));
  if (!written) tell(describe(written.error()));
  return status;
}

class Attachment {
 public:
  Attachment(const RecordOptions& options, AttachTarget target)
      : options_(options),
        target_(std::move(target)),
        handle_(process_handle(target_.process)),
        rate_(options.rate.value_or(usual_rate)) {
    summary_.program = target_.executable.empty() ? target_.name : target_.executable;
  }

  int run();

 private:
  [[nodiscard]] Expected<void> record();
  [[nodiscard]] Expected<void> check_place(const fs::path& directory);
  [[nodiscard]] AttachEnd sample(SampledThreads& threads, PerfIntake& intake,
                                 PerfDataWriter& writer, std::uint64_t limit);
  [[nodiscard]] bool has_process_ended() const;
  [[nodiscard]] Expected<void> keep_file(PerfDataWriter& writer, const PerfDataFeatures& features);
  [[nodiscard]] PerfDataFeatures features_of(const std::set<std::string>& files,
                                             bool has_kernel) const;
  [[nodiscard]] fs::path held_executable() const;
  void keep_executable();
  void tell_of(const AttachResult& result);
  void tell_of_problem(const std::string& problem);

  const RecordOptions& options_;
  const AttachTarget target_;
  const OwnedDescriptor handle_;
  const std::uint32_t rate_;
  const EndSignals signals_;
  CpuClock cpu_clock_{target_.process};
  fs::path path_;  // of the recording, as it is shown
  std::optional<InputFile> executable_;
  RunSummary summary_;
};

int Attachment::run() {
  if (const auto recorded = record(); !recorded) {
    tell_of_problem(describe(recorded.error()));
  }
  return finish(options_, summary_, summary_.profile ? 0 : no_profile_status);
}

Expected<void> Attachment::record() {
  TRY_ASSIGN(const auto directory, prepare_directory(options_.output));
  path_ = fs::path(options_.output) / recording_name;
  TRY(check_place(directory));
  // Opened now, as a linker may replace it while the process runs.
  if (auto file = InputFile::open(fmt::format("/proc/{}/exe", target_.process))) {
    executable_.emplace(*std::move(file));
  }
  const auto kernel = kernel_code();
  const SamplingWishes wishes{one_second / rate_, wanted_stacks(target_, options_)};
  TRY_ASSIGN(auto threads, SampledThreads::open(target_, wishes));
  cpu_clock_.start();
  AttachResult result;
  result.observed.begin = clock_time(CLOCK_REALTIME);

  std::vector<std::uint64_t> numbers;
  for (const auto& [event, thread] : threads.threads_by_event()) numbers.push_back(event);
  const std::uint64_t number = numbers.front();
  TRY_ASSIGN(auto writer, PerfDataWriter::create(path_, threads.attributes(), std::move(numbers)));
  PerfIntake intake(target_.process, threads.attributes(), threads.threads_by_event(),
                    [&](std::span<const std::byte> record) { writer.add(record); });
  // The kernel records what is mapped from now on: nothing is missed between the two.
  const RecordedProcess described = describe_process(target_.process, target_.executable, number,
                                                     threads.has_kernel() ? kernel : std::nullopt);
  for (const PerfRecordBytes& record : described.records) writer.add(record);
  result.end = sample(threads, intake, writer, size_limit(directory));

  result.observed.end = clock_time(CLOCK_REALTIME);
  const IntakeCounts& counts = intake.counts();
  result.samples = counts.samples;
  result.lost = counts.lost;
  result.threads = counts.threads.size();
  result.rate = rate_;
  // The clock of a process that has ended may not have been read at its last instant.
  result.cpu_time = std::max(cpu_clock_.elapsed(), counts.samples * wishes.period);
  result.has_kernel = threads.has_kernel();
  result.paranoid = perf_event_paranoid();
  if (result.samples == 0) {
    tell_of_problem(why_no_samples(target_, result));
    return {};
  }
  std::set<std::string> files = described.code_files;
  files.insert(counts.code_files.begin(), counts.code_files.end());
  TRY(keep_file(writer, features_of(files, threads.has_kernel())));
  keep_executable();
  tell_of(result);
  return {};
}

PerfDataFeatures Attachment::features_of(const std::set<std::string>& files,
                                         bool has_kernel) const {
  PerfDataFeatures features;
  features.event_name = has_kernel ? "cpu-clock" : "cpu-clock:u";
  features.builds = builds_of(target_.process, target_.executable, held_executable(), files);
  if (const auto kernel = has_kernel ? kernel_build() : std::nullopt) {
    features.builds[std::string(perf_data::kernel_path)] = *kernel;
  }
  utsname system = {};
  if (uname(&system) == 0) {
    features.kernel_release = system.release;
    features.machine = system.machine;
  }
  return features;
}

// Empty if this user may not read it.
fs::path Attachment::held_executable() const {
  if (!executable_) return {};
  return fmt::format("/proc/self/fd/{}", executable_->descriptor());
}

// Checks, before anything is sampled, that the recording can get its name.
Expected<void> Attachment::check_place(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory / recording_name, error) &&
      fs::is_directory(directory / older_name, error)) {
    return Error{
        ErrorCode::unreadable,
        "a directory has this name, to which the recording that is there would be renamed; "
        "move it, or choose another directory by --output",
        (fs::path(options_.output) / older_name).string(), std::nullopt};
  }
  return {};
}

AttachEnd Attachment::sample(SampledThreads& threads, PerfIntake& intake, PerfDataWriter& writer,
                             std::uint64_t limit) {
  const double seconds = options_.seconds.value_or(usual_seconds);
  const std::uint64_t end =
      clock_time(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(seconds * one_second);
  const int pause = pause_between_looks(threads.ring_size(), rate_);
  const auto take = [&] {
    threads.take_records([&](std::span<const std::byte> record) { intake.take(record); });
    writer.end_round();
    cpu_clock_.look();
  };
  for (;;) {
    pollfd waited[] = {{signals_.descriptor(), POLLIN, 0}, {handle_.number(), POLLIN, 0}};
    static_cast<void>(poll(waited, std::size(waited), pause));
    const bool has_ended = has_process_ended();
    take();
    if (writer.failed()) return AttachEnd::disk;
    if (has_ended) return AttachEnd::process;
    if ((waited[0].revents & POLLIN) != 0) return AttachEnd::interrupted;
    if (writer.size() >= limit) return AttachEnd::size;
    if (seconds > 0 && clock_time(CLOCK_MONOTONIC) >= end) return AttachEnd::time;
  }
}

bool Attachment::has_process_ended() const {
  if (handle_.number() < 0) {
    return kill(static_cast<pid_t>(target_.process), 0) != 0 && errno == ESRCH;
  }
  // A process handle is readable once its process has ended.
  pollfd ended = {handle_.number(), POLLIN, 0};
  return poll(&ended, 1, 0) > 0 && (ended.revents & POLLIN) != 0;
}

// An older recording becomes perf.data.old, as with perf.
Expected<void> Attachment::keep_file(PerfDataWriter& writer, const PerfDataFeatures& features) {
  std::error_code error;
  const NamesLock lock(path_.parent_path());
  if (fs::is_regular_file(path_, error)) {
    fs::rename(path_, fs::path(options_.output) / older_name, error);
    if (error) {
      return Error{ErrorCode::unreadable,
                   fmt::format("cannot be renamed to {}: {}", older_name, error.message()),
                   path_.string(), std::nullopt};
    }
  }
  return writer.finish(features);
}

void Attachment::keep_executable() {
  if (!options_.keep_executable || !executable_) return;
  const auto directory = kept_executables_directory();
  if (!directory) return;
  KeptExecutables kept(*directory);
  const auto done = kept.keep(held_executable(), path_);
  if (!done) tell(describe(done.error()));
}

void Attachment::tell_of(const AttachResult& result) {
  DescribedFigures described = describe_attach(result);
  tell(describe_recording(path_.string(), described));
  summary_.profile = path_.string();
  summary_.figures = std::move(described.figures);
  if (!described.times.empty()) summary_.times = std::move(described.times);
  if (!described.headline.empty()) summary_.headline = std::move(described.headline);
  summary_.remarks = std::move(described.remarks);
}

void Attachment::tell_of_problem(const std::string& problem) {
  tell(problem);
  summary_.problem = problem;
}

}  // namespace

int run_attach(const RecordOptions& options) {
  auto target = find_attach_target(*options.process);
  if (target) return Attachment(options, *std::move(target)).run();
  RunSummary summary;
  summary.program = fmt::format("process {}", *options.process);
  summary.problem = target.error().message;
  tell(target.error().message);
  return finish(options, summary, no_profile_status);
}

}  // namespace gprof::lsp
