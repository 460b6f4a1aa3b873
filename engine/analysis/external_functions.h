// The names of functions of other modules that a sidecar has samples in, or on its stacks: read
// from the modules' own files, of the build that was loaded, and from their debug files.
//
// Where its file is gone or of another build (by its build-id; without one, if it was written
// since), a module has the names of a copy of that build that a cache or the source of debug files
// has, else none. It has none either if nothing of it was sampled, and if it is the collector. What
// was read for it is let go at once: only names are kept, and those of sampled functions alone.
//
// Ownership: owns the names. Thread contract: immutable. Errors: none; code without a name is that
// of its module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gmon/external_names.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/debug_file.h"
#include "engine/object/names_at_addresses.h"

namespace gprof {

// The address of the code of a frame: the sampled instruction in the innermost one, the last byte
// of the call in the others, as a return address may be the first byte of the next function.
[[nodiscard]] Address code_address(Address place, bool innermost);

class ExternalFunctions {
 public:
  // Without names.
  ExternalFunctions() = default;
  // `own_modules`: which of the sidecar's modules the profile's symbols belong to. `told`: names
  // that the profile gives; may be null.
  ExternalFunctions(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                    const DebugFileSearch& debug_files,
                    std::shared_ptr<const ExternalNames> told = nullptr);
  // The same for several sidecars that list the same modules: each file is read once for all.
  ExternalFunctions(std::span<const Sidecar* const> sidecars, const std::vector<bool>& own_modules,
                    const DebugFileSearch& debug_files,
                    std::shared_ptr<const ExternalNames> told = nullptr);

  // The linkage name of the function that holds the code; empty if it is not known.
  [[nodiscard]] std::string_view name_at(std::uint32_t module, Address code) const;
  // Where names were looked for, whether or not there is such a file.
  [[nodiscard]] const std::vector<std::string>& places_of_files() const { return looked_in_; }

 private:
  // Whatever names the modules that are it have.
  struct File {
    std::vector<Address> places;  // ascending
    NamesAtAddresses names;       // of the places
  };

  std::vector<std::shared_ptr<const File>> modules_;  // null: without names
  std::shared_ptr<const ExternalNames> told_;
  std::vector<std::string> looked_in_;
};

}  // namespace gprof
