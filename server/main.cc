// The program's front door: the words of the command line to the part that does the work.
#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "server/check_command.h"
#include "server/cli/run_command.h"
#include "server/command_line.h"
#include "server/diff/diff_command.h"
#include "server/export/export_command.h"
#include "server/memory_limit.h"
#include "server/memory_reserve.h"
#include "server/out_of_memory.h"
#include "server/profile_service.h"
#include "server/programs/cache_directory.h"
#include "server/programs/remembered_choice.h"
#include "server/record/record_command.h"
#include "server/record/recover_command.h"
#include "server/report/report_command.h"
#include "server/serve.h"

namespace {

constexpr int out_of_memory_exit_code = 1;

struct Subcommand {
  std::string_view name;
  // Returns the exit status.
  int (*run)(std::span<const std::string_view> words);
  // Reads profiles and prints, and starts no program, which would inherit a limit of memory.
  bool is_reader = false;
};
constexpr std::array<Subcommand, 6> subcommands = {{
    {"report", gprof::lsp::run_report, true},
    {"record", gprof::lsp::run_record},
    {"recover", gprof::lsp::run_recover},
    {"check", gprof::lsp::run_check, true},
    {"export", gprof::lsp::run_export, true},
    {"diff", gprof::lsp::run_diff, true},
}};

int run_subcommand(const Subcommand& command, std::span<const std::string_view> words) {
  if (command.is_reader) {
    gprof::lsp::heed_group_memory_limit();
    gprof::lsp::return_freed_memory();
  }
  return command.run(words);
}

int run_server(const gprof::lsp::ServeOptions& options) {
  gprof::lsp::keep_large_blocks_apart();
  // Requests are short; more threads than this would only keep each other waiting.
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const auto indexes = gprof::lsp::index_cache_directory();
  const gprof::lsp::SharedPrograms shared = {
      std::make_shared<gprof::lsp::SnapshotCache>(
          indexes ? std::make_shared<gprof::lsp::IndexCache>(*indexes) : nullptr),
      std::make_shared<gprof::lsp::LineCache>(gprof::lsp::line_cache_directory()),
      gprof::lsp::choices_directory()};
  return gprof::lsp::serve(options,
                           [&] { return gprof::lsp::make_profile_service(threads, shared); });
}

int run(std::span<const std::string_view> words) {
  for (const Subcommand& command : subcommands) {
    if (words.empty() || words.front() != command.name) continue;
    return run_subcommand(command, words.subspan(1));
  }
  return gprof::lsp::run_command(gprof::lsp::serve_syntax, run_server, words);
}

}  // namespace

int main(int argument_count, char** arguments) {
  gprof::lsp::keep_memory_reserve();
  try {
    const std::vector<std::string_view> words(arguments + std::min(argument_count, 1),
                                              arguments + argument_count);
    return run(words);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "gprof-lsp: {}\n", gprof::lsp::no_memory_for_program);
    return out_of_memory_exit_code;
  }
}
