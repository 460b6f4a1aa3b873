// Programs and profiles whose functions are nothing but addresses, for the tests of this folder.
//
// The functions are contiguous, `function_size` bytes each, starting at `code_start`.
// Ownership: symbols view the names they are given, which must be literals or outlive them.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/report/name_order.h"
#include "engine/report/names.h"
#include "engine/report/report.h"
#include "engine/report/report_data.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/process.h"
#include "tests/support/source_function.h"

namespace gprof::test {

inline constexpr std::uint64_t code_start = 0x1000;
inline constexpr std::uint64_t function_size = 0x40;

// Where the code of a function begins.
constexpr std::uint64_t at(std::uint64_t function) { return code_start + function * function_size; }

inline Address entry_of(SymbolIndex function) {
  return Address{code_start + function_size * function};
}

inline SourceSymbolTable functions_named(const std::vector<std::string_view>& names) {
  SourceSymbolTable::Parts parts;
  for (const std::string_view name : names) {
    const auto index = static_cast<SymbolIndex>(parts.symbols.size());
    parts.symbols.push_back(source_function(entry_of(index), function_size, name));
  }
  return SourceSymbolTable(std::move(parts));
}

inline SourceSymbolTable functions_numbered(std::size_t count) {
  SourceSymbolTable::Parts parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.symbols.push_back(
        source_function(entry_of(static_cast<SymbolIndex>(i)), function_size,
                        parts.owned_names.emplace_back("f" + std::to_string(i))));
  }
  return SourceSymbolTable(std::move(parts));
}

// Report data at a rate of 100; `sites` newest first.
inline ReportData data_of(SourceSymbolTable symbols, std::vector<Ticks> self,
                          const std::vector<SiteArc>& sites, const PropagationRules& rules = {}) {
  ReportData data;
  data.symbols = std::move(symbols);
  data.by_name = symbols_by_name(data.symbols);
  data.samples.self = std::move(self);
  for (const Ticks ticks : data.samples.self) data.samples.total += ticks;
  data.samples.rate = 100;
  data.samples.scale = 1;
  data.graph = CallGraph::build(data.samples.self, sites, rules);
  data.has_samples = data.has_arcs = true;
  return data;
}

inline ReportNames names_of(const ReportRequest& request, const ReportData& data) {
  return {request, data, std::vector<std::uint8_t>(data.symbols.size(), 1)};
}

// An executable and its profiles in a directory of its own, for make_report().
class ProgramOnDisk {
 public:
  struct Symbol {
    std::string_view name;
    std::uint64_t address = 0;
    unsigned binding = STB_GLOBAL;
    std::uint64_t size = function_size;
  };

  ProgramOnDisk(const std::string& name, const std::vector<Symbol>& symbols,
                std::uint64_t text_size)
      : directory_(work_directory() / name) {
    std::filesystem::create_directories(directory_);
    ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
    const std::uint32_t text =
        elf.add_text(code_start, std::vector<std::byte>(text_size, std::byte{0x90}));
    for (const Symbol& symbol : symbols) {
      elf.add_symbol(symbol.name, symbol.address, symbol.size, symbol.binding, STT_FUNC, text);
    }
    request.executable = write("program", elf.build());
    request.profiles.clear();
    request.brief = true;
  }

  // Adds another profile to the request.
  void add_profile(const GmonDescription& description) {
    const std::string name = "gmon." + std::to_string(request.profiles.size());
    request.profiles.push_back(write(name, build_gmon(description)));
  }
  [[nodiscard]] ReportOutput report() const {
    auto output = make_report(request);
    if (!output) FAIL(describe(output.error()));
    return std::move(*output);
  }

  ReportRequest request;

 private:
  std::string write(const std::string& name, const std::vector<std::byte>& bytes) {
    const std::filesystem::path path = directory_ / name;
    write_file(path, bytes);
    return path.string();
  }

  std::filesystem::path directory_;
};

}  // namespace gprof::test
