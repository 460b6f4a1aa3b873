// The program's entry point.
#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "server/cli/command_list.h"
#include "server/system/memory_reserve.h"
#include "server/system/out_of_memory.h"

int main(int argument_count, char** arguments) {
  constexpr int out_of_memory_exit_code = 1;
  gprof::lsp::keep_memory_reserve();
  try {
    const std::vector<std::string_view> words(arguments + std::min(argument_count, 1),
                                              arguments + argument_count);
    return gprof::lsp::run_command_line(words);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "gprof-lsp: {}\n", gprof::lsp::no_memory_for_program);
    return out_of_memory_exit_code;
  }
}
