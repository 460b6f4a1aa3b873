// Where an image has code, and which part of it the reports of GNU gprof are about.
//
// Units: link-time addresses. Ownership: none. Thread contract: pure functions; ReportedCode is
// immutable.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof {

// The executable, allocated sections with bytes in the file; ascending. If sections overlap (no
// linker makes such) the later one starts at the earlier one's end.
[[nodiscard]] std::vector<AddressRange> code_ranges(const Image& image);

// `.text`. Firmware may have no such section: Zephyr calls it `text`, the ESP32 has `.flash.text`
// and `.iram0.text`. All code is reported then.
class ReportedCode {
 public:
  explicit ReportedCode(const Image& image);

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  // Ascending and disjoint.
  [[nodiscard]] std::span<const AddressRange> ranges() const { return ranges_; }
  // Whether symbols of the section, by its index, name reported code.
  [[nodiscard]] bool has_section(std::size_t index) const;
  // Where the last symbol ends if it starts at `start`: with `.text`, wherever that is; else with
  // its section, or at once if it is in none.
  [[nodiscard]] Address end_after(Address start) const;

 private:
  bool is_text_ = false;
  std::vector<AddressRange> ranges_;
  std::vector<bool> sections_;  // by index
};

}  // namespace gprof
