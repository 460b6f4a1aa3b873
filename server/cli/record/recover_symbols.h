// Names of functions that calls passed through, from the modules' files: only if a file is still
// the one that ran.
//
// Ownership: caches the images used. Thread contract: one thread.
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

  // The function that contains the address; empty if not known.
  [[nodiscard]] std::string name_at(const std::string& module_path, Address address);

 private:
  // Null if the file has changed since, or has no symbols.
  [[nodiscard]] const SymbolTable* symbols_of(const std::string& module_path);

  std::map<std::string, std::vector<std::byte>> build_ids_;  // by path
  std::map<std::string, std::unique_ptr<const SymbolTable>> tables_;
};

}  // namespace gprof::lsp
