// Names of functions that calls passed through, from the files of the modules: only where a file
// is still the one that ran.
//
// Ownership: keeps the images that were asked about. Thread contract: one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "engine/support/units.h"

namespace gprof::lsp {

class ModuleSymbols {
 public:
  explicit ModuleSymbols(const std::vector<LiveModule>& modules);

  // The function that holds the address; empty where that is not known.
  [[nodiscard]] std::string name_at(const std::string& module_path, Address address);

 private:
  // Null where the file is another one by now, or has no symbols.
  [[nodiscard]] const SymbolTable* symbols_of(const std::string& module_path);

  std::map<std::string, std::vector<std::byte>> build_ids_;  // by path
  std::map<std::string, std::unique_ptr<const SymbolTable>> tables_;
};

}  // namespace gprof::lsp
