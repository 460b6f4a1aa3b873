// Places of code that other tools tell by names: of a function, with a line of a source file or
// without, and of a module. Functions of the program get addresses of their code; those of other
// modules are given addresses of their own, with their names.
//
// Units: link-time addresses of the program's code, within the call instruction in callers.
// Ownership: borrows the target. Thread contract: one thread. Errors: none; what is not known is
// somewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/gmon/external_names.h"
#include "engine/gmon/sidecar.h"
#include "engine/import/function_names.h"
#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"

namespace gprof {

struct NamedPlace {
  std::string_view name;
  std::string_view linkage_name;  // empty if it is not known
  std::string_view file;
  LineNumber line = 0;
  LineNumber start_line = 0;  // of the function's definition
};

class NamedPlaces {
 public:
  // `metrics`: the number of lists of modules that will be made. `build_id`: the recorded
  // program's. Borrows the room.
  NamedPlaces(const ImportTarget& target, std::string_view build_id, MemoryRoom& room,
              std::size_t metrics);

  // The program's function of that name; none if it has none. Of several, the one that is defined
  // in the file, on the start line, and has the line.
  [[nodiscard]] std::optional<SymbolIndex> find(const NamedPlace& place);
  // Whether one of the program's functions at the address has the name.
  [[nodiscard]] bool is_at(const NamedPlace& place, Address address);
  // The code of a line in the function; none if it has no such line.
  [[nodiscard]] std::optional<Address> line_in(SymbolIndex function, std::string_view file,
                                               LineNumber line);
  // Within the only call instruction with which one function calls the other.
  [[nodiscard]] std::optional<Address> call_in(SymbolIndex caller, SymbolIndex callee);
  // Code of another module, whose path may be empty; somewhere, if there are too many names.
  [[nodiscard]] ModuleAddress external(std::string_view module, std::string_view build_id,
                                       std::string_view function);
  // The number of another module; no_module if there are too many.
  [[nodiscard]] std::uint32_t module_of(std::string_view path, std::string_view build_id);

  // The program's comes first.
  [[nodiscard]] std::vector<SidecarModule> take_modules() { return std::move(modules_); }
  // Null if there are none.
  [[nodiscard]] std::shared_ptr<const ExternalNames> take_names();

 private:
  struct Function {
    std::map<std::pair<std::string, LineNumber>, Address> lines;
    std::optional<std::map<Address, std::optional<Address>>> calls;  // by target
    unsigned times_asked = 0;
  };
  // The functions among those with one name that fit where the place's function is defined.
  [[nodiscard]] const std::vector<SymbolIndex>& defined(const std::vector<SymbolIndex>& functions,
                                                        const NamedPlace& place);

  const ImportTarget& target_;
  NamedFunctions names_;
  MemoryRoom& room_;
  std::size_t metrics_;
  std::map<SymbolIndex, Function> functions_;
  // By the first function of the name, and where it is defined.
  std::map<std::tuple<SymbolIndex, std::string, LineNumber>, std::vector<SymbolIndex>> defined_;
  std::map<SymbolIndex, std::size_t> compared_;  // by the first function of a name
  std::vector<SidecarModule> modules_;
  using ModuleKey = std::pair<std::string, std::string>;  // path and build-id
  std::map<ModuleKey, std::uint32_t> module_numbers_;
  std::map<std::pair<std::uint32_t, std::string>, Address> externals_;
  ExternalNames external_names_;
};

}  // namespace gprof
