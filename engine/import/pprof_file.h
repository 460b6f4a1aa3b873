// The messages of a pprof profile (profile.proto), as far as they are of use here.
//
// Messages may come in any order and refer to later ones. References to nothing are kept: what is
// made of them is the reader's affair. Fields that are not known are skipped.
//
// Units: as in the file. Ownership: views are of the given bytes. Thread contract: one thread.
// Errors: corrupt, with the offset of the message that cannot be read;
// unsupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/profile/memory_room.h"
#include "engine/support/expected.h"

namespace gprof {

struct PprofType {
  std::string_view type;
  std::string_view unit;
};

struct PprofMapping {
  std::uint64_t id = 0;
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
  std::uint64_t offset = 0;
  std::string_view file;
  std::string_view build_id;
};

struct PprofFunction {
  std::uint64_t id = 0;
  std::string_view name;
  std::string_view system_name;
  std::string_view file;
  std::uint64_t start_line = 0;  // of its definition; 0: unknown
};

struct PprofLine {
  std::uint64_t function = 0;  // id
  std::uint64_t line = 0;
};

struct PprofLocation {
  std::uint64_t id = 0;
  std::uint64_t mapping = 0;   // id; 0: none
  std::uint64_t address = 0;   // of a caller: within the call instruction
  std::size_t first_line = 0;  // in lines(), that of the innermost inlined function first
  std::size_t line_count = 0;
};

struct PprofLabel {
  std::string_view key;
  std::string_view text;
  std::int64_t number = 0;
};

struct PprofSample {
  std::vector<std::uint64_t> locations;  // ids, the innermost first; very deep stacks are cut
  std::vector<std::int64_t> values;      // by type
  std::vector<PprofLabel> labels;
};

class PprofFile {
 public:
  // Unsupported: what it holds takes more than the room that there is.
  static Expected<PprofFile> parse(std::string_view data, const std::string& path,
                                   MemoryRoom& room);

  // Whether a file that starts like this may be one.
  [[nodiscard]] static bool begins(std::string_view start);

  // Those that come later are left out.
  static constexpr std::size_t most_types = 64;

  [[nodiscard]] const std::vector<PprofType>& types() const { return types_; }
  [[nodiscard]] std::size_t types_left_out() const { return types_left_out_; }
  // The one that is shown if none is asked for: an index into types().
  [[nodiscard]] std::size_t default_type() const;
  [[nodiscard]] const PprofType& period_type() const { return period_type_; }
  [[nodiscard]] std::int64_t period() const { return period_; }
  // Whether one of its comments starts like this.
  [[nodiscard]] bool has_comment(std::string_view start) const;
  // In the file's order: the program's is the first.
  [[nodiscard]] const std::vector<PprofMapping>& mappings() const { return mappings_; }
  // Ascending by id.
  [[nodiscard]] const std::vector<PprofLocation>& locations() const { return locations_; }
  [[nodiscard]] const std::vector<PprofLine>& lines() const { return lines_; }
  // Null if there is none of the id.
  [[nodiscard]] const PprofLocation* location(std::uint64_t id) const;
  [[nodiscard]] const PprofFunction* function(std::uint64_t id) const;
  // Null if there is none of the id.
  [[nodiscard]] const PprofMapping* mapping(std::uint64_t id) const;

  void for_each_sample(const std::function<void(const PprofSample&)>& visit) const;

 private:
  class Reader;

  void take_sample(std::string_view sample_bytes, PprofSample& sample) const;
  void take_label(std::string_view label_bytes, PprofSample& sample) const;
  [[nodiscard]] std::string_view string(std::uint64_t number) const {
    return number < strings_.size() ? strings_[number] : std::string_view();
  }

  std::vector<PprofType> types_;
  std::size_t types_left_out_ = 0;
  std::string_view default_type_;
  PprofType period_type_;
  std::int64_t period_ = 0;
  std::vector<std::uint64_t> comments_;  // numbers of strings
  std::vector<std::string_view> strings_;
  std::vector<std::string_view> samples_;
  std::vector<PprofMapping> mappings_;
  std::vector<std::size_t> mapping_order_;  // ascending by id
  std::vector<PprofLocation> locations_;
  std::vector<PprofLine> lines_;
  std::vector<PprofFunction> functions_;  // ascending by id
};

}  // namespace gprof
