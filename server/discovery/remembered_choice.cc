#include "server/discovery/remembered_choice.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/support/digest.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/input_file.h"
#include "server/discovery/program_planner.h"
#include "server/protocol/uri.h"
#include "server/system/cache_directory.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "gprof-lsp choice 2";
constexpr std::uint64_t largest_file = 256 << 10;
constexpr std::size_t most_files = 256;
constexpr std::size_t most_lines = 2000;
constexpr std::size_t most_loaded = 32;

std::vector<fs::path> sorted(std::vector<fs::path> folders) {
  std::sort(folders.begin(), folders.end());
  return folders;
}

fs::path file_name(const std::vector<fs::path>& folders) {
  std::string key;
  for (const fs::path& folder : sorted(folders)) key += folder.string() + '\0';
  return hexadecimal(md5(std::as_bytes(std::span(key))));
}

// One word and path per line; as URIs, so that a path may contain any character.
void add_line(std::string_view word, const std::string& value, std::string& text) {
  text += fmt::format("{} {}\n", word, value);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

std::optional<fs::path> choices_directory() {
  const auto directory =
      user_directory(environment("XDG_STATE_HOME"), environment("HOME"), ".local/state");
  if (!directory) return std::nullopt;
  return *directory / "gprof-lsp" / "choices";
}

ProgramChoices choices_of(const RememberedChoice& remembered,
                          const std::vector<ProgramSettings>& settings,
                          const std::vector<fs::path>& folders) {
  ProgramChoices choices;
  choices.selection = remembered.selection;
  const fs::path& executable = remembered.selection.executable;
  if (settings.empty()) {
    choices.loaded = remembered.loaded;
    return choices;
  }
  const bool named = std::ranges::any_of(settings, [&](const ProgramSettings& program) {
    return find_in_workspace(program.executable, folders) == executable;
  });
  if (!named) return {};
  if (!remembered.selection.pinned) choices.selection->profiles.clear();
  return choices;
}

std::string write_choice(const std::vector<fs::path>& folders, const RememberedChoice& choice) {
  std::string text(first_line);
  text += "\n";
  for (const fs::path& folder : sorted(folders)) add_line("folder", uri_from_path(folder), text);
  add_line("executable", uri_from_path(choice.selection.executable), text);
  for (const fs::path& profile : choice.selection.profiles) {
    add_line("profile", uri_from_path(profile), text);
  }
  add_line(choice.selection.pinned ? "pinned" : "chosen",
           std::to_string(choice.selection.newest_known.value_or(0)), text);
  for (std::size_t i = 0; i < std::min(choice.loaded.size(), most_loaded); ++i) {
    const ProgramSettings& loaded = choice.loaded[i];
    add_line("loaded", uri_from_path(loaded.executable), text);
    // A leading slash makes any text a path.
    for (const std::string& pattern : loaded.profiles) {
      add_line(loaded.newest ? "newest" : "pattern", uri_from_path("/" + pattern), text);
    }
  }
  return text;
}

std::optional<RememberedChoice> read_choice(std::string_view text,
                                            const std::vector<fs::path>& folders) {
  if (take_line(text) != first_line) return std::nullopt;
  RememberedChoice choice;
  std::vector<fs::path> written_for;
  for (std::size_t lines = 0; !text.empty(); ++lines) {
    const std::string_view line = take_line(text);
    const std::size_t space = line.find(' ');
    if (lines >= most_lines || space == std::string_view::npos) return std::nullopt;
    const std::string_view word = line.substr(0, space);
    if (word == "pinned" || word == "chosen") {
      const std::string_view number = line.substr(space + 1);
      FileTime& newest_known = choice.selection.newest_known.emplace(0);
      std::from_chars(number.data(), number.data() + number.size(), newest_known);
      choice.selection.pinned = word == "pinned";
      continue;
    }
    auto path = path_from_uri(line.substr(space + 1));
    if (!path) return std::nullopt;
    if (word == "folder") {
      written_for.push_back(std::move(*path));
    } else if (word == "executable") {
      choice.selection.executable = std::move(*path);
    } else if (word == "profile") {
      choice.selection.profiles.push_back(std::move(*path));
    } else if (word == "loaded") {
      if (choice.loaded.size() == most_loaded) return std::nullopt;
      choice.loaded.push_back({path->string(), {}, {}, {}});
    } else if (word == "pattern" || word == "newest") {
      if (choice.loaded.empty()) return std::nullopt;
      choice.loaded.back().newest = word == "newest";
      choice.loaded.back().profiles.push_back(path->string().substr(1));
    }
  }
  if (written_for != sorted(folders) || choice.selection.executable.empty()) return std::nullopt;
  return choice;
}

std::optional<RememberedChoice> ChoiceMemory::recall(const std::vector<fs::path>& folders) const {
  if (!directory_ || folders.empty()) return std::nullopt;
  const auto file = InputFile::open(*directory_ / file_name(folders), FileUse::own);
  if (!file || file->size() > largest_file) return std::nullopt;
  const auto bytes = file->read_all();
  if (!bytes) return std::nullopt;
  return read_choice({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, folders);
}

void ChoiceMemory::remember(const std::vector<fs::path>& folders,
                            const RememberedChoice& choice) const {
  const bool absolute =
      choice.selection.executable.is_absolute() &&
      std::all_of(choice.selection.profiles.begin(), choice.selection.profiles.end(),
                  [](const fs::path& path) { return path.is_absolute(); });
  if (!directory_ || folders.empty() || !absolute) return;
  const std::string text = write_choice(folders, choice);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (text.size() > largest_file || lines > most_lines) return;
  std::error_code error;
  fs::create_directories(*directory_, error);
  const fs::path file = *directory_ / file_name(folders);
  // What cannot be remembered is chosen again.
  (void)write_whole_file(file, text);
  prune(file);
}

void ChoiceMemory::forget(const std::vector<fs::path>& folders) const {
  if (!directory_ || folders.empty()) return;
  std::error_code ignored;
  fs::remove(*directory_ / file_name(folders), ignored);
}

// Files written at the same moment have equal times: the one just written is kept.
void ChoiceMemory::prune(const fs::path& newest) const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  fs::directory_iterator entry(*directory_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path() == newest) continue;
    files.emplace_back(entry->last_write_time(ignored), entry->path());
  }
  if (files.size() < most_files) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() + 1 - most_files);
  for (const auto& [time, path] : files) fs::remove(path, error);
}

}  // namespace gprof::lsp
