#include "engine/thread_use.h"

#include <algorithm>
#include <array>

#include <elf.h>

#include "engine/object/raw_symbols.h"

namespace gprof {
namespace {

struct ThreadStart {
  std::string_view symbol;  // how its name begins
  std::string_view name;
};

constexpr std::array<ThreadStart, 6> thread_starts = {{
    {"pthread_create", "pthread_create"},
    {"thrd_create", "thrd_create"},
    {"_ZNSt6thread15_M_start_thread", "std::thread"},
    {"GOMP_parallel", "OpenMP"},
    {"__kmpc_fork_call", "OpenMP"},
    {"system__tasking__stages__create_task", "Ada tasks"},
}};

std::optional<std::string_view> imported_start(const Image& image) {
  const Section* section = find_symbol_section(image, SHT_DYNSYM);
  if (section == nullptr) return std::nullopt;
  const auto symbols = read_raw_symbols(image, *section);
  if (!symbols) return std::nullopt;
  for (const RawSymbol& symbol : *symbols) {
    if (symbol.section != SHN_UNDEF || symbol.reserved_section) continue;
    for (const ThreadStart& start : thread_starts) {
      if (symbol.name.starts_with(start.symbol)) return start.name;
    }
  }
  return std::nullopt;
}

// In a static program, which has only the parts of libraries that it uses.
std::optional<std::string_view> contained_start(const SymbolTable& symbols) {
  const auto found = std::find_if(
      thread_starts.begin(), thread_starts.end(),
      [&](const ThreadStart& start) { return symbols.find_by_name(start.symbol).has_value(); });
  return found == thread_starts.end() ? std::nullopt : std::optional(found->name);
}

}  // namespace

std::optional<std::string_view> thread_start_of(const Image& image, const SymbolTable& symbols) {
  if (const auto imported = imported_start(image)) return imported;
  return contained_start(symbols);
}

}  // namespace gprof
