// Unpacks the records of a recording that perf compressed with zstd: one stream in many pieces,
// whose ends fall anywhere in a record.
//
// Thread contract: one thread. Errors: corrupt; the caller fills in path and offset. Memory: a part
// of what is unpacked at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::perf_data {

class PerfUnpacker {
 public:
  // `most_bytes`: that all pieces together may unpack to.
  explicit PerfUnpacker(std::uint64_t most_bytes);
  ~PerfUnpacker();
  PerfUnpacker(const PerfUnpacker&) = delete;
  PerfUnpacker& operator=(const PerfUnpacker&) = delete;

  // Takes whole records off the front of what it is given and returns how many bytes they take.
  using Consumer = std::function<Expected<std::size_t>(std::span<const std::byte>)>;
  [[nodiscard]] Expected<void> unpack(std::span<const std::byte> piece, const Consumer& consume);
  // Bytes of a record whose rest never came.
  [[nodiscard]] std::size_t rest() const { return unpacked_.size(); }

 private:
  struct State;

  std::unique_ptr<State> state_;
  std::vector<std::byte> unpacked_;
  std::uint64_t room_;
};

}  // namespace gprof::perf_data
