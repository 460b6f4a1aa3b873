// What a recording says of a process before its first sample: where files with code are mapped, how
// its threads are called, where the kernel is. As records of perf's, with the time 0.
//
// Ownership: values. Thread contract: reads /proc; pure where documented.
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
  std::string path;              // "//anon" if it is no file's
};

// The mappings with code in a text as /proc/PID/maps has it, and those of files that are only read,
// among which perf looks for the beginning of a library. Those of `executable` first: readers take
// the first file of a process for its program. Pure.
[[nodiscard]] std::vector<RecordedMapping> recorded_mappings(std::string_view maps,
                                                             std::string_view executable);

using PerfRecordBytes = std::vector<std::byte>;

// `number`: of an event of the recording. Pure.
[[nodiscard]] PerfRecordBytes mapping_record(std::uint32_t process, const RecordedMapping& mapping,
                                             std::uint64_t number);
[[nodiscard]] PerfRecordBytes thread_name_record(std::uint32_t process, std::uint32_t thread,
                                                 std::string_view name, std::uint64_t number);

// Where the kernel's own code is.
struct KernelCode {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
// None if that is hidden from this user. Reads a long text: before there are records to take.
[[nodiscard]] std::optional<KernelCode> kernel_code();

struct RecordedProcess {
  std::vector<PerfRecordBytes> records;
  std::set<std::string> code_files;
};
// Of the process as it is now. `executable`: its program's path. `kernel`: if that is sampled, too.
[[nodiscard]] RecordedProcess describe_process(std::uint32_t process, std::string_view executable,
                                               std::uint64_t number,
                                               const std::optional<KernelCode>& kernel);

// The build-ids of files as the process sees them. Those that have none, or that this user cannot
// read, are left out. `held`: names the program that it runs even if its path leads to another
// file.
[[nodiscard]] std::map<std::string, RecordedBuild> builds_of(std::uint32_t process,
                                                             std::string_view executable,
                                                             const std::filesystem::path& held,
                                                             const std::set<std::string>& files);
// Of the kernel that runs; none if it is not known.
[[nodiscard]] std::optional<RecordedBuild> kernel_build();

}  // namespace gprof::lsp
