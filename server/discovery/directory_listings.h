// Caches the names in directories, each read once for many lookups.
//
// Thread contract: one thread.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/discovery/live_files.h"

namespace gprof::lsp {

class DirectoryListings {
 public:
  // Sorted. At most a hundred thousand per directory, plus all live files.
  const std::vector<std::string>& of(const std::filesystem::path& directory) {
    constexpr std::size_t most_entries = 100'000;
    const auto [entry, is_new] = listings_.try_emplace(directory);
    std::vector<std::string>& names = entry->second;
    if (!is_new) return names;
    std::error_code error;
    std::filesystem::directory_iterator file(directory.empty() ? "." : directory, error);
    for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
      std::string_view name = file->path().native();
      name.remove_prefix(name.rfind('/') + 1);
      if (names.size() < most_entries || live_file_process(name) != 0) names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::map<std::filesystem::path, std::vector<std::string>> listings_;
};

}  // namespace gprof::lsp
