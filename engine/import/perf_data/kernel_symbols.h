// The functions of the kernel that was recorded, by a text as /proc/kallsyms has it: perf's copy,
// or that of the kernel that runs if it is the same one.
//
// Units: addresses as in the recording. Ownership: owns its text. Thread contract: const members
// from any thread. Errors: none; what is not known has no name. Modules of the kernel are left out:
// they lie elsewhere each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprof::perf_data {

// A symbol of the kernel, and where it was when it was recorded.
struct KernelBase {
  std::string symbol;
  std::uint64_t address = 0;
};

// Of the kernel that runs, in hexadecimal digits; empty if it is not known.
[[nodiscard]] std::string running_kernel_build_id();

class KernelSymbols {
 public:
  struct Function {
    std::uint64_t address = 0;
    std::string_view name;
  };

  explicit KernelSymbols(std::string text);

  // `build_id`: of the recorded kernel, in hexadecimal digits. `folders`: perf's, as ~/.debug.
  // None if its symbols are nowhere, or hidden from this user.
  static std::optional<KernelSymbols> find(std::string_view build_id,
                                           const std::vector<std::filesystem::path>& folders);

  // Where they were if the kernel was loaded to another place.
  void move_to(const KernelBase& base);
  // None outside of the kernel's own code.
  [[nodiscard]] std::optional<Function> at(std::uint64_t address) const;

 private:
  struct Symbol {
    std::uint64_t address = 0;
    std::uint32_t name = 0;  // its place in the text
    std::uint32_t size = 0;
  };
  void add(std::string_view line, std::size_t place);
  [[nodiscard]] std::string_view name_of(const Symbol& symbol) const {
    return std::string_view(text_).substr(symbol.name, symbol.size);
  }

  std::string text_;
  std::vector<Symbol> symbols_;  // ascending
  std::uint64_t end_ = 0;        // of its code
  std::uint64_t bias_ = 0;
};

}  // namespace gprof::perf_data
