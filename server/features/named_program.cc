#include "server/features/named_program.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gprof::lsp {
namespace {

std::string file_name(const LoadedProgram& program) {
  return std::filesystem::path(program.snapshot->image().path()).filename().string();
}

}  // namespace

Expected<const LoadedProgram*> named_program(const std::vector<LoadedProgram>& programs,
                                             const std::optional<std::string>& name) {
  const LoadedProgram* none = nullptr;
  if (!name || name->empty()) return programs.empty() ? none : &programs.front();
  for (const LoadedProgram& program : programs) {
    if (program.name == *name || program.snapshot->image().path() == *name) return &program;
  }
  const auto is_named = [&](const LoadedProgram& program) { return file_name(program) == *name; };
  if (std::count_if(programs.begin(), programs.end(), is_named) == 1) {
    return &*std::find_if(programs.begin(), programs.end(), is_named);
  }
  std::vector<std::string_view> names;
  for (const LoadedProgram& program : programs) names.push_back(program.name);
  return Error{ErrorCode::invalid_argument,
               programs.empty()
                   ? fmt::format("the program {} is not loaded, and no other is", *name)
                   : fmt::format("the program {} is not loaded; expected one of {}", *name,
                                 fmt::join(names, ", ")),
               {},
               std::nullopt};
}

Expected<const LoadedProgram*> required_program(const std::vector<LoadedProgram>& programs,
                                                const std::optional<std::string>& name) {
  auto program = named_program(programs, name);
  if (!program || *program != nullptr) return program;
  return Error{ErrorCode::no_profile_data,
               "no profile is loaded; run a program under gprof-lsp record, or name one with "
               "gprof.load",
               {},
               std::nullopt};
}

}  // namespace gprof::lsp
