#include "server/cli/record/sampled_threads.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <elf.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

// Bytes that are copied of each stack: as many as perf copies by default.
constexpr std::uint32_t copied_stack_bytes = 8192;
// Sizes of a buffer, and of all together.
constexpr std::size_t largest_ring = std::size_t{4} << 20;
constexpr std::size_t least_wanted_ring = std::size_t{512} << 10;
constexpr std::size_t wanted_of_all_rings = std::size_t{64} << 20;
// Room for a few of the largest records.
constexpr std::size_t smallest_ring = std::size_t{128} << 10;
// If a process keeps starting threads while they are listed, the last ones are sampled by
// inheritance alone.
constexpr int max_listings = 16;
constexpr int max_cpus = 8192;

// The registers that unwinding may need, by perf's numbers.
#if defined(__x86_64__)
constexpr std::uint64_t copied_registers = 0xff0fff;  // all but those of segments
#elif defined(__aarch64__)
constexpr std::uint64_t copied_registers = (std::uint64_t{1} << 33) - 1;
#else
constexpr std::uint64_t copied_registers = 0;
#endif

int open_perf_event(perf_event_attr& attributes, std::uint32_t thread, int cpu) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, static_cast<pid_t>(thread), cpu,
                                  -1, PERF_FLAG_FD_CLOEXEC));
}

std::vector<int> online_cpus() {
  std::ifstream file("/sys/devices/system/cpu/online");
  std::string list;
  std::getline(file, list);
  std::vector<int> cpus = cpus_in(list);
  const long count = std::min<long>(sysconf(_SC_NPROCESSORS_ONLN), max_cpus);
  for (int i = 0; cpus.empty() && i < count; ++i) cpus.push_back(i);
  return cpus;
}

// There is an event for each thread on each CPU: raises the limit as far as this process may.
void raise_descriptor_limit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

std::size_t wanted_ring(std::size_t cpus) {
  const std::size_t share = wanted_of_all_rings / std::max<std::size_t>(cpus, 1);
  return std::clamp(std::bit_floor(share), least_wanted_ring, largest_ring);
}

Error refusal(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
}

Error no_descriptors(const AttachTarget& target, std::size_t threads, std::size_t cpus) {
  return refusal(
      fmt::format("process {} ({}) has {} threads or more, each of which needs an open file for "
                  "each of {} CPUs: raise the limit of open files (ulimit -Hn)",
                  target.process, target.name, threads, cpus));
}

}  // namespace

StackSource stack_source_for(std::uint16_t machine) {
#if defined(__x86_64__)
  return machine == EM_X86_64 ? StackSource::copies : StackSource::frame_pointers;
#elif defined(__aarch64__)
  return machine == EM_AARCH64 ? StackSource::copies : StackSource::frame_pointers;
#else
  static_cast<void>(machine);
  return StackSource::frame_pointers;
#endif
}

perf_event_attr sampled_cpu_time(const SamplingWishes& wishes) {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = wishes.period;
  attributes.sample_type =
      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD;
  if (wishes.stacks != StackSource::none) attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
  if (wishes.stacks == StackSource::copies) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = copied_registers;
    attributes.sample_stack_user = copied_stack_bytes;
    // The copy says more than frame pointers would.
    attributes.exclude_callchain_user = 1;
  }
  attributes.read_format = PERF_FORMAT_ID;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  // Processes that this one starts are not part of it.
  attributes.inherit_thread = 1;
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.sample_id_all = 1;
  return attributes;
}

Expected<SampledThreads> SampledThreads::open(const AttachTarget& target,
                                              const SamplingWishes& wishes) {
  raise_descriptor_limit();
  const std::vector<int> cpus = online_cpus();
  // A user may lock a limited amount of memory, which has to suffice for the buffers of all CPUs:
  // they are of one size, and all of them are halved until they fit.
  for (std::size_t size = wanted_ring(cpus.size());; size /= 2) {
    SampledThreads threads(sampled_cpu_time(wishes), cpus, size);
    const auto opened = threads.open_all(target);
    if (opened) return threads;
    if (!threads.lacks_memory_ || size / 2 < smallest_ring) return opened.error();
  }
}

SampledThreads::SampledThreads(const perf_event_attr& attributes, const std::vector<int>& cpus,
                               std::size_t ring_size)
    : attributes_(attributes), ring_size_(ring_size) {
  for (const int cpu : cpus) cpus_.push_back({cpu, -1});
}

SampledThreads::SampledThreads(SampledThreads&& other) noexcept
    : attributes_(other.attributes_),
      ring_size_(other.ring_size_),
      lacks_memory_(other.lacks_memory_),
      cpus_(std::move(other.cpus_)),
      events_(std::exchange(other.events_, {})),
      rings_(std::move(other.rings_)),
      opened_(std::move(other.opened_)),
      threads_by_event_(std::move(other.threads_by_event_)) {}

SampledThreads::~SampledThreads() {
  for (const int event : events_) close(event);
}

Expected<void> SampledThreads::open_all(const AttachTarget& target) {
  // A thread that was started before its parent's event was opened is in the next list. One that
  // was started after that is in the list as well, and has two events: PerfIntake drops the samples
  // of the inherited one.
  for (int i = 0; i < max_listings; ++i) {
    const std::size_t before = opened_.size();
    for (const std::uint32_t thread : threads_of(target.process)) {
      if (opened_.insert(thread).second) TRY(open_thread(target, thread));
    }
    if (opened_.size() == before) break;
  }
  if (rings_.empty()) return refusal(why_not_sampled(target, sampling_permission(target, ESRCH)));
  return {};
}

Expected<void> SampledThreads::open_thread(const AttachTarget& target, std::uint32_t thread) {
  for (Cpu& cpu : cpus_) {
    TRY_ASSIGN(const int event, open_event(target, thread, cpu));
    if (event < 0) continue;
    events_.push_back(event);
    std::uint64_t number = 0;
    if (ioctl(event, PERF_EVENT_IOC_ID, &number) == 0) threads_by_event_[number] = thread;
    TRY(connect(target, event, cpu));
  }
  return {};
}

Expected<int> SampledThreads::open_event(const AttachTarget& target, std::uint32_t thread,
                                         const Cpu& cpu) {
  for (;;) {
    const int event = open_perf_event(attributes_, thread, cpu.number);
    if (event >= 0) return event;
    const int error = errno;
    const bool is_first = events_.empty();
    if (error == EACCES && is_first && attributes_.exclude_kernel == 0) {
      // With kernel.perf_event_paranoid at 2, users may not sample the kernel.
      attributes_.exclude_kernel = 1;
    } else if (error == EINVAL && is_first && attributes_.inherit_thread == 1) {
      // Linux before 5.13: processes that this one starts are sampled as well, as processes.
      attributes_.inherit_thread = 0;
    } else if ((error == ENOSYS || error == EINVAL) && is_first &&
               (attributes_.sample_type & PERF_SAMPLE_STACK_USER) != 0) {
      // This kernel cannot copy stacks on this processor.
      const std::uint32_t kernel = attributes_.exclude_kernel;
      attributes_ = sampled_cpu_time({attributes_.sample_period, StackSource::frame_pointers});
      attributes_.exclude_kernel = kernel & 1;
      attributes_.inherit_thread = 0;
    } else if (error == ESRCH || error == ENODEV) {
      // The thread has ended, or the CPU was taken offline.
      return -1;
    } else if (error == EMFILE || error == ENFILE) {
      return no_descriptors(target, opened_.size(), cpus_.size());
    } else {
      return refusal(why_not_sampled(target, sampling_permission(target, error)));
    }
  }
}

// The first event of a CPU gets a buffer, and the others write to it.
Expected<void> SampledThreads::connect(const AttachTarget& target, int event, Cpu& cpu) {
  if (cpu.first_event >= 0) {
    if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, cpu.first_event) == 0) return {};
    return refusal(why_not_sampled(target, sampling_permission(target, errno)));
  }
  PerfRing ring(event, ring_size_);
  if (ring.error() == EPERM || ring.error() == ENOMEM) {
    lacks_memory_ = true;
    return refusal(fmt::format(
        "process {} ({}) cannot be sampled: this user may not lock enough memory for {} CPUs; "
        "raise kernel.perf_event_mlock_kb, or the limit of locked memory (ulimit -l)",
        target.process, target.name, cpus_.size()));
  }
  if (ring.error() != 0) {
    return refusal(why_not_sampled(target, sampling_permission(target, ring.error())));
  }
  rings_.push_back(std::move(ring));
  cpu.first_event = event;
  return {};
}

void SampledThreads::take_records(const PerfRing::Visitor& visit) {
  for (PerfRing& ring : rings_) ring.take_records(visit);
}

std::vector<int> cpus_in(std::string_view list) {
  std::vector<int> cpus;
  const char* at = list.data();
  const char* const end = list.data() + list.size();
  const auto take_number = [&](int& number) {
    const auto [rest, error] = std::from_chars(at, end, number);
    at = rest;
    return error == std::errc();
  };
  for (;;) {
    int first = 0;
    if (!take_number(first)) return {};
    int last = first;
    if (at != end && *at == '-' && (++at, !take_number(last))) return {};
    if (first < 0 || last < first || last >= max_cpus) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end) return cpus;
    if (*at++ != ',') return {};
  }
}

}  // namespace gprof::lsp
