// Where the collector is, and the environment that makes a program load it.
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

// libgprof_runtime.so of this installation or build tree, by the place of this program's file.
// Errors: not_found, whose message names the places; invalid_argument, where its path has a letter
// that LD_PRELOAD cannot hold.
[[nodiscard]] Expected<std::filesystem::path> find_runtime();

// What `gprof-lsp record` asks of the collector.
struct CollectorSettings {
  std::optional<std::uint32_t> rate;  // none: GPROF_RATE of this process, else by the clock
  bool stacks = false;
  bool live = false;
  std::filesystem::path output;  // absolute
};

// This process's environment with the collector's variables: "NAME=VALUE", each name once. All but
// GPROF_RECORD, which only the process to be recorded can know.
[[nodiscard]] std::vector<std::string> recording_environment(const std::filesystem::path& runtime,
                                                             const CollectorSettings& settings);

}  // namespace gprof::lsp
