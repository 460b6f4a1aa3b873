// Locates the collector, and builds the environment that makes a program load it.
//
// Ownership: results own their texts. Thread contract: reads the process's environment; no other
// thread may change it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// libgprof_runtime.so of this installation or build tree, located relative to this program's file.
// Errors: not_found, whose message lists the places tried; invalid_argument if its path has a
// character that LD_PRELOAD cannot contain.
[[nodiscard]] Expected<std::filesystem::path> find_runtime();

// How `gprof-lsp record` configures the collector.
struct CollectorSettings {
  std::optional<std::uint32_t> rate;  // none: GPROF_RATE of this process, else by the clock
  std::optional<bool> stacks;         // none: GPROF_STACKS if it is set, else kept
  bool preload = true;                // false: the program could not start with it
  bool waits = false;                 // true: even if GPROF_WAIT says otherwise
  bool live = false;
  std::optional<std::uint32_t> sample_price;  // nanoseconds; none: not known
  std::filesystem::path output;               // absolute
  std::string notes;                          // of NotesPage::number()
};

// This process's environment with the collector's variables: "NAME=VALUE", each name once. Without
// GPROF_RECORD, which only the recorded process can know.
[[nodiscard]] std::vector<std::string> recording_environment(const std::filesystem::path& runtime,
                                                             const CollectorSettings& settings);

}  // namespace gprof::lsp
