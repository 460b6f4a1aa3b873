// The layout of a recording of perf: perf.data as `perf record` writes it into a file or a pipe, of
// machines of either byte order, compressed or not. Its records in the order of the file, and what
// is said of the recording as a whole: events, names, build-ids.
//
// Ownership: borrows the bytes. Thread contract: one thread. Errors: wrong_format, truncated,
// corrupt, unsupported; each with its offset. Damage after the header ends for_each_record(), which
// says so: what came before it is sound. Memory: a window of the file and the lists, which are
// bounded by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/import/perf_data/perf_attr.h"
#include "engine/import/perf_data/perf_bytes.h"
#include "engine/import/perf_data/tracepoint_formats.h"
#include "engine/support/expected.h"
#include "engine/support/hash_seed.h"
#include "engine/support/units.h"

namespace gprof::perf_data {

// Whether a file that starts like this is one.
[[nodiscard]] bool is_perf_data(std::string_view start);

struct PerfRecord {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  std::uint64_t offset = 0;         // in the file; if compressed, of the piece that it ends in
  std::span<const std::byte> body;  // without its header
};

class PerfDataFile {
 public:
  static Expected<PerfDataFile> open(PerfBytes bytes);

  [[nodiscard]] ByteOrder order() const { return order_; }
  [[nodiscard]] const std::string& path() const { return bytes_.path(); }
  [[nodiscard]] FileTime modified() const { return bytes_.modified(); }
  [[nodiscard]] std::uint64_t size() const { return bytes_.total_size(); }
  // Of a pipe, those that came so far.
  [[nodiscard]] const std::vector<PerfAttr>& attrs() const { return attrs_; }
  // Of the files in which samples are, in hexadecimal digits, by path.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& build_ids() const {
    return build_ids_;
  }
  // Of the scheduler's tracepoints. Of a pipe, those that came so far.
  [[nodiscard]] const std::vector<TracepointFormat>& scheduler_formats() const {
    return scheduler_formats_;
  }
  // As uname has it: "x86_64"; empty if it is not known.
  [[nodiscard]] const std::string& machine() const { return machine_; }
  // Of a sample or another record of the kernel; none if it is of no event of this file.
  [[nodiscard]] std::optional<std::uint32_t> event_of(const PerfRecord& record) const;
  // The event of a counter; none if the file does not list the counter.
  [[nodiscard]] std::optional<std::uint32_t> event_of_counter(std::uint64_t id) const;
  // What was damaged in the header without making it useless.
  [[nodiscard]] const Warnings& warnings() const { return warnings_; }
  // Whether the header tells of more records than there are, which warnings() say.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

  // Whether to go on. Records about the recording itself are noted and not shown.
  using Visitor = std::function<bool(const PerfRecord& record)>;
  // `most_bytes`: of the file's, after which it ends without an error.
  [[nodiscard]] Expected<void> for_each_record(const Visitor& visit,
                                               std::uint64_t most_bytes = ~std::uint64_t{0});

 private:
  class Walk;

  explicit PerfDataFile(PerfBytes bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const;
  [[nodiscard]] Expected<void> read_header();
  [[nodiscard]] Expected<void> read_attrs(std::uint64_t offset, std::uint64_t size,
                                          std::uint64_t entry_size);
  void read_features(std::span<const std::uint64_t> bits);
  void note_feature(unsigned feature, std::span<const std::byte> bytes);
  void note_events(std::span<const std::byte> bytes);
  void note_build_ids(std::span<const std::byte> bytes);
  void note_build_id(std::span<const std::byte> body, std::uint16_t misc);
  void note_attr(std::span<const std::byte> body);
  void note_update(std::span<const std::byte> body);
  void note_ids(std::uint32_t event);
  void note_tracing_data(std::span<const std::byte> bytes);
  // Whether the record was about the recording as a whole.
  [[nodiscard]] bool note(const PerfRecord& record);

  PerfBytes bytes_;
  ByteOrder order_ = ByteOrder::little;
  bool is_pipe_ = false;
  bool is_cut_ = false;
  bool is_noted_ = false;  // a walk has noted all there is in the records
  std::uint64_t data_begin_ = 0;
  std::uint64_t data_end_ = 0;
  std::vector<PerfAttr> attrs_;
  std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> events_;  // by id
  std::map<std::string, std::string, std::less<>> build_ids_;
  std::vector<TracepointFormat> scheduler_formats_;
  std::string machine_;
  Warnings warnings_;
};

}  // namespace gprof::perf_data
