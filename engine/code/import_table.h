// Finds the imported function for an address: a slot of the global offset table, or a stub of the
// procedure linkage table that jumps through one.
//
// Units: link-time addresses. Ownership: owns the names. Thread contract: immutable.
// Errors: none; damaged tables cost only the names in them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "engine/code/branch_reader.h"
#include "engine/object/image.h"

namespace gprof {

class ImportTable {
 public:
  ImportTable(const Image& image, const CodeFormat& format);

  // The function whose address the dynamic linker writes to the slot; empty if unknown.
  [[nodiscard]] std::string_view name_of_slot(Address slot) const;
  // The function of this image that a slot is set to without a name.
  [[nodiscard]] std::optional<Address> target_of_slot(Address slot) const;
  // The function that the stub at that address leads to; empty if it is not a stub.
  [[nodiscard]] std::string_view name_of_stub(Address stub) const;

 private:
  struct Reader;
  std::unordered_map<std::uint64_t, std::string> slot_names_;
  std::unordered_map<std::uint64_t, Address> slot_targets_;
  std::unordered_map<std::uint64_t, std::string> stub_names_;
};

// Where position-independent code finds its data: see CodeFormat::data_base.
[[nodiscard]] std::optional<Address> data_base_of(const Image& image, Architecture architecture);

}  // namespace gprof
