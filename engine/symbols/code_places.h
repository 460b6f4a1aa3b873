// What a program's debug information says about each range of its code, in GNU gprof's view: one
// file (its path as the compiler wrote it), one line, and the innermost function's name.
//
// Where units overlap, as they do for copies of a template that the linker merged, the first one in
// .debug_info wins. Of several rows at an address, the last one counts.
//
// Cost: decodes every unit once, on as many threads as there are processors, a few at a time; a
// unit's decoded data is dropped once its places are known. n log n in the rows and ranges.
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

// Index into CodePlaces::paths() or CodePlaces::functions().
using PlaceIndex = std::uint32_t;
inline constexpr PlaceIndex no_place = std::numeric_limits<PlaceIndex>::max();

struct LineRange {
  AddressRange range;
  PlaceIndex path = no_place;
  LineNumber line = 0;  // 0: code without a line
  PlaceIndex function = no_place;
};

// A function with code, or the inlined copies of one in a unit.
struct PlacedFunction {
  std::string_view name;
  // Whether the linker knows it by `name`. Otherwise gprof takes the name of the symbol at `start`,
  // if there is one.
  bool is_linkage_name = false;
  Address start;  // of its first range
};

enum class PlaceNames : std::uint8_t {
  none,
  // As GNU gprof 2.40 finds them: it does not read ranges by index (clang's DWARF 5).
  gnu,
  all,
};

class CodePlaces {
 public:
  CodePlaces() = default;
  // For all code.
  static CodePlaces read(const DebugInformation& debug, PlaceNames names,
                         std::size_t threads = processor_count());
  // Only places that contain one of the ascending addresses. Units without any are not decoded.
  static CodePlaces read_around(const DebugInformation& debug, std::span<const Address> addresses);

  // Disjoint, by ascending address; adjacent ones differ.
  [[nodiscard]] std::span<const LineRange> places() const { return places_; }
  // Each path once.
  [[nodiscard]] std::span<const std::string> paths() const { return paths_; }
  // Empty if no names were requested.
  [[nodiscard]] std::span<const PlacedFunction> functions() const { return functions_; }
  // Storage that names view, besides the bytes of the image.
  [[nodiscard]] std::vector<std::shared_ptr<const std::string>> take_names() {
    return std::move(names_);
  }

 private:
  friend class PlaceCollector;

  std::vector<LineRange> places_;
  std::vector<std::string> paths_;
  std::vector<PlacedFunction> functions_;
  std::vector<std::shared_ptr<const std::string>> names_;
};

// Finds places by address; fast if an address is shortly after the previous one.
class PlaceFinder {
 public:
  explicit PlaceFinder(const CodePlaces& places) : places_(places.places()) {}
  // Null if nothing is known of the code there.
  [[nodiscard]] const LineRange* at(Address address);

 private:
  std::span<const LineRange> places_;
  std::size_t near_ = 0;
};

}  // namespace gprof
