// Functions that several of the loaded programs have: from a source file compiled into more than
// one, a header, or a library's source that is also in an executable.
//
// Ownership: borrows the views. Thread contract: immutable once made; one thread makes it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// The same function in another program's view of the file.
struct OtherUse {
  const FileView* view = nullptr;
  const FunctionCost* function = nullptr;
};

class OtherPrograms {
 public:
  // `others` are views of one file, in the display order of their programs.
  explicit OtherPrograms(std::span<const FileView> others);

  // By its linkage name, else by its line and name: the programs may be builds of different days.
  [[nodiscard]] std::vector<OtherUse> uses_of(const FileView& view,
                                              const FunctionCost& function) const;

 private:
  struct Functions {
    const FileView* view = nullptr;
    std::unordered_map<std::string_view, const FunctionCost*> by_symbol;
    std::map<std::pair<LineNumber, std::string_view>, const FunctionCost*> by_place;
  };
  std::vector<Functions> programs_;
};

// "prog", and "libwork.so in prog" for a library.
[[nodiscard]] std::string program_title(const LoadedProgram& program);
// "also in prog", "also in 3 programs"; empty for none.
[[nodiscard]] std::string also_in_text(const std::vector<OtherUse>& uses);

}  // namespace gprof::lsp
