// The state of a process when its recording begins: which files are mapped where, the names of its
// threads, and where the kernel's code is. Written as perf's records, with the time 0.
//
// Ownership: value types. Thread contract: functions read /proc, unless they are documented as
// pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/cli/record/perf_data_writer.h"

namespace gprof::lsp {

// A mapping, as a line of /proc/PID/maps has it.
struct RecordedMapping {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t offset = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint64_t inode = 0;
  std::uint32_t protection = 0;  // PROT_*
  std::uint32_t flags = 0;       // MAP_*
  std::string path;              // "//anon" if no file is mapped
};

// The mappings in the text of /proc/PID/maps that hold code, and those of files that are only read,
// among which perf looks for the beginning of a library. Mappings of `executable` come first, as
// readers take the first file of a process for its program. Pure.
[[nodiscard]] std::vector<RecordedMapping> recorded_mappings(std::string_view maps,
                                                             std::string_view executable);

using PerfRecordBytes = std::vector<std::byte>;

// `number`: the kernel's number of an event of the recording. Pure.
[[nodiscard]] PerfRecordBytes mapping_record(std::uint32_t process, const RecordedMapping& mapping,
                                             std::uint64_t number);
[[nodiscard]] PerfRecordBytes thread_name_record(std::uint32_t process, std::uint32_t thread,
                                                 std::string_view name, std::uint64_t number);

// Where the kernel's own code is.
struct KernelCode {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
// None if this user may not see it. Slow, as it reads all of /proc/kallsyms: call it before
// sampling begins.
[[nodiscard]] std::optional<KernelCode> kernel_code();

struct RecordedProcess {
  std::vector<PerfRecordBytes> records;
  std::set<std::string> code_files;
};
// Describes the process as it is now. `executable`: the path of its program. `number`: as above.
// `kernel`: none if time in the kernel is not sampled.
[[nodiscard]] RecordedProcess describe_process(std::uint32_t process, std::string_view executable,
                                               std::uint64_t number,
                                               const std::optional<KernelCode>& kernel);

// The build-ids of files as the process sees them. Files without one, and those that this user may
// not read, are left out. `held`: a path that leads to the running program even if `executable` now
// names another file; may be empty.
[[nodiscard]] std::map<std::string, RecordedBuild> builds_of(std::uint32_t process,
                                                             std::string_view executable,
                                                             const std::filesystem::path& held,
                                                             const std::set<std::string>& files);
// The running kernel's build-id; none if it is unknown.
[[nodiscard]] std::optional<RecordedBuild> kernel_build();

}  // namespace gprof::lsp
