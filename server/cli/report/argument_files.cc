#include "server/cli/report/argument_files.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

// libiberty.h declares its own basename() unless told that the C library has one.
#define HAVE_DECL_BASENAME 1
#include <libiberty.h>

#include "engine/support/input_file.h"

namespace gprof::lsp {
namespace {

// The bounds of what @FILE words may add: GNU gprof's number of files, and far more text than the
// system takes as arguments.
constexpr int most_files = 2000;
constexpr std::uint64_t most_text = std::uint64_t{16} << 20U;

Error expansion_error(std::string_view word, std::string_view message) {
  return {ErrorCode::invalid_argument, fmt::format("{}: {}", word, message), "", std::nullopt};
}

std::vector<std::string> words_in(const std::string& text) {
  // It takes blank text for one empty word.
  if (text.c_str()[std::strspn(text.c_str(), " \t\n\v\f\r")] == '\0') return {};
  const std::unique_ptr<char*, void (*)(char**)> list(buildargv(text.c_str()), &freeargv);
  std::vector<std::string> words;
  for (char** word = list.get(); word != nullptr && *word != nullptr; ++word) {
    words.emplace_back(*word);
  }
  return words;
}

}  // namespace

Expected<std::vector<std::string>> expand_files(std::span<const std::string_view> words) {
  std::deque<std::string> waiting(words.begin(), words.end());
  std::vector<std::string> expanded;
  int files = 0;
  std::uint64_t text_size = 0;
  while (!waiting.empty()) {
    const std::string word = std::move(waiting.front());
    waiting.pop_front();
    std::error_code ignored;
    if (word.starts_with('@') && std::filesystem::is_directory(word.substr(1), ignored)) {
      return expansion_error(word, "expected a file of arguments, not a directory");
    }
    auto file =
        word.starts_with('@') ? InputFile::open(word.substr(1)) : Expected<InputFile>(Error{});
    if (!file) {
      expanded.push_back(word);
      continue;
    }
    text_size += file->size();
    if (++files >= most_files || text_size > most_text) {
      return expansion_error(word, "too many arguments in files; does one name itself?");
    }
    const auto bytes = file->read_all();
    if (!bytes) return expansion_error(word, bytes.error().message);
    const auto more = words_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    waiting.insert(waiting.begin(), more.begin(), more.end());
  }
  return expanded;
}

}  // namespace gprof::lsp
