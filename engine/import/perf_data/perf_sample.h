// What the kernel's records say: samples, and whose and when the others are.
//
// Ownership: samples refer to the record's bytes. Thread contract: pure functions. Errors: none is
// returned for a record that is shorter than its event says: the result is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/import/perf_data/perf_attr.h"
#include "engine/import/perf_data/perf_data_file.h"
#include "engine/support/byte_reader.h"
#include "engine/support/units.h"

namespace gprof::perf_data {

// Numbers of 8 bytes in a record.
class StoredWords {
 public:
  StoredWords() = default;
  StoredWords(std::span<const std::byte> bytes, ByteOrder order) : bytes_(bytes), order_(order) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size() / 8; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return stored_integer<std::uint64_t>(bytes_.data() + 8 * i, order_);
  }

 private:
  std::span<const std::byte> bytes_;
  ByteOrder order_ = ByteOrder::little;
};

// The counters of a sample's group, or the one of its event: values since they were opened, and the
// kernel's ids for them.
class PerfCounters {
 public:
  PerfCounters() = default;
  PerfCounters(StoredWords words, std::size_t count, std::size_t distance, std::size_t place_of_id)
      : words_(words), count_(count), distance_(distance), place_of_id_(place_of_id) {}

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::uint64_t value(std::size_t i) const { return words_[distance_ * i]; }
  [[nodiscard]] std::uint64_t id(std::size_t i) const {
    return words_[distance_ * i + place_of_id_];
  }

 private:
  StoredWords words_;
  std::size_t count_ = 0;
  std::size_t distance_ = 0;
  std::size_t place_of_id_ = 0;
};

struct PerfSampleRecord {
  std::uint64_t ip = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
  std::uint64_t period = 0;  // 0 if not given
  std::uint64_t weight = 0;
  bool has_chain = false;
  PerfCounters counters;             // none unless the event reads counters and their ids
  StoredWords chain;                 // addresses and marks, the innermost first
  StoredWords branches;              // three words each: from, to, flags; the last one first
  std::span<const std::byte> raw;    // the fields of a tracepoint
  std::uint64_t registers_abi = 0;   // 0: the sample has none; 1: of 32 bits; 2: of 64
  StoredWords registers;             // those that the event has stored, ascending by number
  std::span<const std::byte> stack;  // the copy of the stack from its pointer on
  bool is_stack_cut = false;         // whether there was no room for more of it
};

// Times alone are read many times faster.
[[nodiscard]] std::optional<std::uint64_t> time_of_sample(const PerfRecord& record,
                                                          const PerfAttr& attr, ByteOrder order);
[[nodiscard]] std::optional<PerfSampleRecord> parse_sample(const PerfRecord& record,
                                                           const PerfAttr& attr, ByteOrder order);

// Whose and when another record is; none if it does not say.
struct PerfRecordOrigin {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
};
[[nodiscard]] std::optional<PerfRecordOrigin> origin_of_other(const PerfRecord& record,
                                                              const PerfAttr& attr,
                                                              ByteOrder order);

// When another record was written; 0 if it does not say.
[[nodiscard]] std::uint64_t time_of_other(const PerfRecord& record, const PerfAttr& attr,
                                          ByteOrder order);

}  // namespace gprof::perf_data
