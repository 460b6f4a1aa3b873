// Builds the bytes of gmon files, of any format, byte order and pointer width, from a description.
// Shares no code with the engine's writer, so that each can be checked against the other.
//
// Nothing is checked: contradictory descriptions produce damaged files.
// Thread contract: value types and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"

namespace gprof::test {

// Integers, in one byte order and pointer width, one after the other.
class GmonBytes {
 public:
  explicit GmonBytes(GmonLayout layout) : layout_(layout) {}

  GmonBytes& u8(std::uint64_t value) { return integer(value, 1); }
  GmonBytes& u16(std::uint64_t value) { return integer(value, 2); }
  GmonBytes& u32(std::uint64_t value) { return integer(value, 4); }
  GmonBytes& word(std::uint64_t value);
  // Of `size` bytes.
  GmonBytes& integer(std::uint64_t value, std::size_t size);
  // The characters, padded with zero bytes or truncated to `size`.
  GmonBytes& text(std::string_view characters, std::size_t size);
  GmonBytes& zero_terminated(std::string_view characters);

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  GmonLayout layout_;
  std::vector<std::byte> bytes_;
};

struct HistogramRecord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::vector<std::uint16_t> bins;
  std::uint32_t rate = 100;
  std::string dimension = "seconds";
  char abbreviation = 's';
  // The length field, if it is not bins.size() (BSD: the size of header and bins).
  std::optional<std::uint32_t> announced_length;
};

struct ArcRecord {
  std::uint64_t from = 0;
  std::uint64_t self = 0;
  std::uint64_t count = 0;
};

struct BlockRecord {
  struct Block {
    std::uint64_t address = 0;
    std::uint64_t count = 0;
  };
  std::vector<Block> blocks;
  std::optional<std::uint32_t> announced_length;
};

struct GmonDescription {
  GmonFormat format = GmonFormat::gnu;
  GmonLayout layout;
  std::uint32_t version = 1;                                // GNU only
  std::optional<std::array<std::byte, 8>> build_id_prefix;  // GNU only
  // BSD formats hold only the first histogram; only 4.4BSD writes its rate.
  std::vector<HistogramRecord> histograms;
  std::vector<ArcRecord> arcs;
  std::vector<BlockRecord> blocks;  // GNU only
};

// Histograms, then arcs, then block counts.
[[nodiscard]] std::vector<std::byte> build_gmon(const GmonDescription& description);

// The pieces, for files with records in another order.
void append_gnu_header(GmonBytes& bytes, std::uint32_t version,
                       const std::optional<std::array<std::byte, 8>>& build_id_prefix);
void append_gnu_histogram(GmonBytes& bytes, const HistogramRecord& record);
void append_gnu_arc(GmonBytes& bytes, const ArcRecord& record);
void append_gnu_blocks(GmonBytes& bytes, std::uint32_t version, const BlockRecord& record);

}  // namespace gprof::test
