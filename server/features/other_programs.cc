#include "server/features/other_programs.h"

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

std::string name_of(const LoadedProgram& program) {
  if (!program.name.empty()) return program.name;
  return std::filesystem::path(program.snapshot->image().path()).filename().string();
}

}  // namespace

OtherPrograms::OtherPrograms(std::span<const FileView> others) {
  for (const FileView& view : others) {
    Functions& functions = programs_.emplace_back();
    functions.view = &view;
    for (const FunctionCost& function : view.costs->functions) {
      functions.by_place.try_emplace({function.declaration.line, function.name}, &function);
      for (const SymbolIndex symbol : function.symbols) {
        functions.by_symbol.try_emplace(view.snapshot().symbols()[symbol].name, &function);
      }
    }
  }
}

std::vector<OtherUse> OtherPrograms::uses_of(const FileView& view,
                                             const FunctionCost& function) const {
  std::vector<OtherUse> uses;
  for (const Functions& other : programs_) {
    const FunctionCost* found = nullptr;
    for (const SymbolIndex symbol : function.symbols) {
      const auto same = other.by_symbol.find(view.snapshot().symbols()[symbol].name);
      if (same == other.by_symbol.end()) continue;
      found = same->second;
      break;
    }
    if (found == nullptr) {
      const auto same = other.by_place.find({function.declaration.line, function.name});
      if (same != other.by_place.end()) found = same->second;
    }
    if (found != nullptr) uses.push_back({other.view, found});
  }
  return uses;
}

std::string program_title(const LoadedProgram& program) {
  if (program.part_of.empty()) return name_of(program);
  return fmt::format("{} in {}", name_of(program), program.part_of.filename().string());
}

std::string also_in_text(const std::vector<OtherUse>& uses) {
  if (uses.empty()) return {};
  if (uses.size() == 1) return "also in " + name_of(uses.front().view->program);
  return fmt::format("also in {} programs", uses.size());
}

}  // namespace gprof::lsp
