#include "runtime/output/name_claim.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "formats/sidecar.h"
#include "runtime/output/output_names.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

#if defined(__NR_newfstatat)
constexpr long status_at_call = __NR_newfstatat;
#else
constexpr long status_at_call = __NR3264_fstatat;
#endif

// False if there is no such file, or the kernel refuses to say.
bool find_status(const OutputDirectory& directory, const char* name, struct stat* status) {
  return !sys::failed(sys::call(status_at_call, directory.descriptor(), sys::word(name),
                                sys::word(status), AT_SYMLINK_NOFOLLOW));
}

std::uint64_t time_of_writing(const struct stat& status) {
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(status.st_mtim.tv_sec) * nanoseconds_a_second +
         static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
}

bool read_header(const OutputDirectory& directory, const char* name, SidecarHeader* header) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  const sys::Result file =
      sys::call(__NR_openat, directory.descriptor(), sys::word(name), flags, 0);
  if (sys::failed(file)) return false;
  const sys::Result size = sys::call(__NR_read, file, sys::word(header), sizeof *header);
  sys::call(__NR_close, file);
  return size == sizeof *header &&
         std::strncmp(header->magic, sidecar_magic, sizeof sidecar_magic) == 0 &&
         is_known_sidecar(header->version);
}

// Whether the process still runs after writing this profile, in the same image or another one.
bool goes_on(const SidecarHeader& header) {
  const auto ending = static_cast<Ending>(header.ending);
  if (ending != Ending::dumped && ending != Ending::executed) return false;
  return header.process_start != 0 && process_start_ticks(header.process) == header.process_start;
}

bool is_own(const SidecarHeader& header, const LiveHeader& own) {
  return header.process == own.process && header.process_start == own.process_start &&
         header.start_time == own.start_time;
}

NameUse use_by(const SidecarHeader& header, const LiveHeader& own) {
  if (header.end_time > own.start_time || goes_on(header)) return NameUse::taken;
  return NameUse::outdated;
}

// Whether the name ends with ".PROCESS", or ".PROCESS.N" as for later images of a process.
bool names_process(const char* name, std::uint32_t process) {
  Text<32> number;
  number.add(".").add(process);
  for (const char* at = name; *at != '\0'; ++at) {
    if (std::strncmp(at, number.c_str(), number.size()) != 0) continue;
    const char* rest = at + number.size();
    if (*rest == '.') ++rest;
    while (*rest >= '0' && *rest <= '9') ++rest;
    if (*rest == '\0') return true;
  }
  return false;
}

}  // namespace

NamesLock::NamesLock(const OutputDirectory& directory) {
  const sys::Result opened = sys::call(__NR_openat, directory.descriptor(), sys::word("."),
                                       O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (sys::failed(opened)) return;
  descriptor_ = static_cast<int>(opened);
  constexpr int patience = 2000;
  struct {
    std::int64_t seconds;
    std::int64_t nanoseconds;
  } const millisecond = {0, 1000000};
  sys::Result result = 0;
  for (int attempt = 0; attempt < patience; ++attempt) {
    result = sys::call(__NR_flock, descriptor_, LOCK_EX | LOCK_NB);
    if (result != -EWOULDBLOCK && result != -EINTR) break;
    sys::call(__NR_nanosleep, sys::word(&millisecond), 0);
  }
  held_ = !sys::failed(result);
  busy_ = result == -EWOULDBLOCK;
}

NamesLock::~NamesLock() {
  if (descriptor_ < 0) return;
  // Unlock explicitly: a child just forked by another thread shares the lock.
  if (held_) sys::call(__NR_flock, descriptor_, LOCK_UN);
  sys::call(__NR_close, descriptor_);
}

NameUse use_of_name(const OutputDirectory& directory, const char* name, const LiveHeader& own) {
  FileName sidecar;
  add_sidecar_name(sidecar, name);
  SidecarHeader header = {};
  const bool has_header = read_header(directory, sidecar.c_str(), &header);
  if (has_header && is_own(header, own)) return NameUse::outdated;
  // If the header does not say when it was written, use the file's time.
  if (has_header && header.end_time != 0) return use_by(header, own);
  NameUse use = NameUse::unused;
  const char* const files[] = {sidecar.c_str(), name};
  for (const char* file : files) {
    struct stat status;
    if (!find_status(directory, file, &status)) continue;
    if (time_of_writing(status) > own.start_time) return NameUse::taken;
    use = NameUse::outdated;
  }
  return use;
}

void NameChoice::begin(const char* name, std::uint32_t process) {
  first_ = name;
  process_ = process;
  attempt_ = 0;
  has_process_ = names_process(name, process);
  text_.clear();
  text_.add(name);
}

bool NameChoice::next() {
  constexpr std::uint32_t most_attempts = 1000;
  ++attempt_;
  text_.clear();
  text_.add(first_);
  if (!has_process_) text_.add(".").add(process_);
  const std::uint32_t number = has_process_ ? attempt_ + 1 : attempt_;
  if (number > 1) text_.add(".").add(number);
  return !text_.cut() && attempt_ < most_attempts;
}

}  // namespace gprof_runtime
