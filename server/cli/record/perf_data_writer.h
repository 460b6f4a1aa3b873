// Writes a recording in the format of perf.data, as `perf record` does: for perf_data/perf_data.h,
// and for perf itself.
//
// The file is for its owner alone, as it may hold copies of the process's memory.
//
// Ownership: owns the file until finish(), which puts it under its name; without that, nothing
// stays. Thread contract: one thread. Errors: unreadable, with the path and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <linux/perf_event.h>

#include "engine/support/expected.h"
#include "server/system/new_file.h"

namespace gprof::lsp {

// What a recording says of a file whose code was sampled.
struct RecordedBuild {
  std::vector<std::byte> build_id;
  bool is_kernel = false;
};

// What follows the records.
struct PerfDataFeatures {
  std::string event_name;                       // as perf calls it: "cpu-clock:u"
  std::string kernel_release;                   // as uname has it
  std::string machine;                          // as uname has it: "x86_64"
  std::map<std::string, RecordedBuild> builds;  // by path
};

class PerfDataWriter {
 public:
  // A recording of one event. `numbers`: the kernel's numbers of it, one for each descriptor.
  static Expected<PerfDataWriter> create(const std::filesystem::path& path,
                                         const perf_event_attr& event,
                                         std::vector<std::uint64_t> numbers);

  // Adds a record with its header. If it cannot be written, failed() says so, and the file stays
  // sound up to there.
  void add(std::span<const std::byte> record);
  // Ends a round of looks at all buffers. Its records are older than those of the round after the
  // next: perf sorts by rounds.
  void end_round();

  // Bytes of the file so far.
  [[nodiscard]] std::uint64_t size() const { return begin_ + written_ + pending_.size(); }
  // Whether a write has failed: further records are left out.
  [[nodiscard]] bool failed() const { return failed_; }

  // Completes the file and puts it under its name.
  [[nodiscard]] Expected<void> finish(const PerfDataFeatures& features);

 private:
  PerfDataWriter(NewFile file, std::string path, const perf_event_attr& event,
                 std::vector<std::uint64_t> numbers);
  void flush();
  [[nodiscard]] bool write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> event_and_numbers() const;
  [[nodiscard]] std::vector<std::byte> header(std::uint64_t features) const;
  [[nodiscard]] bool write_features(const PerfDataFeatures& features);

  NewFile file_;
  std::string path_;
  perf_event_attr event_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t begin_ = 0;    // of the records in the file
  std::uint64_t written_ = 0;  // bytes of records
  std::vector<std::byte> pending_;
  bool failed_ = false;
  int error_ = 0;
};

}  // namespace gprof::lsp
