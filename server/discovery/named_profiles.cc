#include "server/discovery/named_profiles.h"

#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>

#include "engine/support/input_file.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

class NamedFiles {
 public:
  explicit NamedFiles(std::span<const std::string_view> words)
      : words_(words.begin(), words.end()) {}

  // callgrind leaves callgrind.out.PID empty if it writes files of parts or of threads.
  [[nodiscard]] bool is_empty_of_callgrind(const std::string& word, std::string_view name) const {
    const auto stamp = file_stamp(word);
    if (!stamp || stamp->size != 0 || callgrind_run(name).empty()) return false;
    const auto after = words_.upper_bound(word);
    return after != words_.end() && after->starts_with(word);
  }
  // Whether another one of the files is the profile that this one belongs to.
  [[nodiscard]] bool is_beside_profile(const std::string& word) const {
    const fs::path profile = profile_of_sidecar(word);
    if (!profile.empty()) return words_.contains(profile.string()) && begins_like_sidecar(word);
    const std::string name = fs::path(word).filename().string();
    if (is_empty_of_callgrind(word, name)) return true;
    // Both names may contain dots, so the profile's name may end at any of them.
    for (std::size_t end = name.find('.'); end != std::string::npos;
         end = name.find('.', end + 1)) {
      const std::string_view library = library_part(name, std::string_view(name).substr(0, end));
      if (library.find(".so") == std::string_view::npos) continue;
      const std::string other = word.substr(0, word.size() - name.size() + end);
      if (words_.contains(other)) return true;
    }
    return false;
  }

 private:
  std::set<std::string> words_;
};

}  // namespace

std::vector<std::string> named_profiles(std::span<const std::string_view> words) {
  const NamedFiles files(words);
  std::vector<std::string> profiles;
  for (const std::string_view word : words) {
    if (!files.is_beside_profile(std::string(word))) profiles.emplace_back(word);
  }
  return profiles;
}

}  // namespace gprof::lsp
