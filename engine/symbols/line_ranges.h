// What a program's debug information says about each range of its code, in GNU gprof's view: one
// file (its path as the compiler wrote it), one line, and the innermost function's name.
//
// Where units overlap, as they do for copies of a template that the linker merged, the first one in
// .debug_info wins. Of several rows at an address, the last one counts.
//
// Cost: decodes every unit once, on as many threads as there are processors, a few at a time; a
// unit's decoded data is dropped once its ranges are known. n log n in the rows and ranges.
// Units: link-time addresses. Ownership: names are views of bytes that `debug` and its image own.
// Thread contract: immutable once read; independent of the number of threads.
// Errors: none; DebugInformation::warnings() names units that cannot be read.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/dwarf/debug_information.h"
#include "engine/support/parallel.h"
#include "engine/support/units.h"

namespace gprof {

// Indices into LineRanges::paths() and LineRanges::functions().
using PathIndex = std::uint32_t;
inline constexpr PathIndex no_path = std::numeric_limits<PathIndex>::max();
using FunctionIndex = std::uint32_t;
inline constexpr FunctionIndex no_function = std::numeric_limits<FunctionIndex>::max();

struct LineRange {
  AddressRange code;
  PathIndex path = no_path;
  LineNumber line = 0;  // 0: code without a line
  FunctionIndex function = no_function;
};

// A function with code, or the inlined copies of one in a unit.
struct NamedFunction {
  std::string_view name;
  // Whether the linker knows it by `name`. Otherwise gprof takes the name of the symbol at `start`,
  // if there is one.
  bool is_linkage_name = false;
  Address start;  // of its first range
};

enum class FunctionNaming : std::uint8_t {
  none,
  // As GNU gprof 2.40 finds them: it does not read ranges by index (clang's DWARF 5).
  gnu,
  all,
};

class LineRanges {
 public:
  LineRanges() = default;
  // For all code.
  static LineRanges read(const DebugInformation& debug, FunctionNaming names,
                         std::size_t threads = processor_count());
  // Only ranges that contain one of the ascending addresses. Units without any are not decoded.
  static LineRanges read_around(const DebugInformation& debug, std::span<const Address> addresses);

  // Disjoint, by ascending address; adjacent ones differ.
  [[nodiscard]] std::span<const LineRange> ranges() const { return ranges_; }
  // Each path once.
  [[nodiscard]] std::span<const std::string> paths() const { return paths_; }
  // Empty if no names were requested.
  [[nodiscard]] std::span<const NamedFunction> functions() const { return functions_; }
  // Storage that names view, besides the bytes of the image.
  [[nodiscard]] std::vector<std::shared_ptr<const std::string>> take_names() {
    return std::move(names_);
  }

 private:
  friend class LineRangeCollector;

  std::vector<LineRange> ranges_;
  std::vector<std::string> paths_;
  std::vector<NamedFunction> functions_;
  std::vector<std::shared_ptr<const std::string>> names_;
};

// Finds ranges by address; fast if an address is shortly after the previous one.
class LineRangeFinder {
 public:
  explicit LineRangeFinder(const LineRanges& ranges) : ranges_(ranges.ranges()) {}
  // Null if nothing is known of the code there.
  [[nodiscard]] const LineRange* at(Address address);

 private:
  std::span<const LineRange> ranges_;
  std::size_t near_ = 0;
};

}  // namespace gprof
