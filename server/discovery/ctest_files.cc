#include "server/discovery/ctest_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "engine/object/image.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_ctest_files = 2'000;
constexpr std::uint64_t max_ctest_file_size = std::uint64_t{8} << 20;
constexpr std::uint64_t max_ctest_bytes = std::uint64_t{64} << 20;
constexpr std::size_t max_ctest_tests = 20'000;
constexpr std::size_t max_kept_bytes = std::size_t{64} << 20;  // of all tests and their programs
constexpr int max_ctest_depth = 32;                            // of files that name others
// Limits for one test: a lens repeats its environment and folder for every test of the same
// program.
constexpr std::size_t max_environment_bytes = std::size_t{64} << 10;
constexpr std::size_t max_folder_bytes = 4096;

constexpr const char* ctest_file_name = "CTestTestfile.cmake";

bool is_cmake_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char in_small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

class CMakeReader {
 public:
  explicit CMakeReader(std::string_view text) : text_(text) {}

  // The next command; none at the end of the text.
  std::optional<CMakeCommand> next() {
    while (skip_to_command()) {
      CMakeCommand command;
      while (at_ < text_.size() && is_cmake_letter(text_[at_])) {
        command.name += in_small(text_[at_++]);
      }
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != '(') continue;
      ++at_;
      read_arguments(command.arguments);
      return command;
    }
    return std::nullopt;
  }

 private:
  bool skip_to_command() {
    for (; at_ < text_.size() && !is_cmake_letter(text_[at_]); ++at_) {
      if (text_[at_] == '#') skip_comment();
      if (at_ >= text_.size()) return false;
    }
    return at_ < text_.size();
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  // From a # on. Stops at the end of the line, or at the last letter of a bracket comment.
  void skip_comment() {
    CMakeArgument ignored;
    ++at_;
    if (read_bracket(ignored)) {
      --at_;
      return;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void read_arguments(std::vector<CMakeArgument>& arguments) {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ')' && depth == 0) {
        ++at_;
        return;
      }
      CMakeArgument argument;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';') {
        ++at_;
      } else if (c == '#') {
        skip_comment();
        ++at_;
      } else if (c == '(' || c == ')') {
        depth = c == '(' ? depth + 1 : depth - 1;
        ++at_;
      } else {
        if (c == '"') {
          read_quoted(argument);
        } else if (c != '[' || !read_bracket(argument)) {
          read_unquoted(argument);
        }
        arguments.push_back(std::move(argument));
      }
    }
  }

  // [==[ … ]==], without escapes or references. Reads nothing if there is none.
  bool read_bracket(CMakeArgument& argument) {
    if (at_ >= text_.size() || text_[at_] != '[') return false;
    std::size_t open = at_ + 1;
    while (open < text_.size() && text_[open] == '=') ++open;
    if (open >= text_.size() || text_[open] != '[') return false;
    const std::string closing = ']' + std::string(open - at_ - 1, '=') + ']';
    std::size_t begin = open + 1;
    const std::size_t end = text_.find(closing, begin);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      return true;
    }
    if (text_.substr(begin).starts_with('\n')) ++begin;
    if (begin < end) argument.text = std::string(text_.substr(begin, end - begin));
    at_ = end + closing.size();
    return true;
  }

  void read_quoted(CMakeArgument& argument) {
    for (++at_; at_ < text_.size() && text_[at_] != '"';) read_letter(argument);
    if (at_ < text_.size()) ++at_;
  }

  void read_unquoted(CMakeArgument& argument) {
    constexpr std::string_view closing = " \t\r\n;()#\"";
    while (at_ < text_.size() && closing.find(text_[at_]) == std::string_view::npos) {
      read_letter(argument);
    }
  }

  // One letter, or what an escape means. An escaped semicolon stays escaped, for lists.
  void read_letter(CMakeArgument& argument) {
    const char c = text_[at_++];
    if (c == '$' && at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      argument.has_reference =
          argument.has_reference || rest.starts_with('{') || rest.starts_with("ENV{");
    }
    if (c != '\\' || at_ >= text_.size()) {
      argument.text += c;
      return;
    }
    const char escaped = text_[at_++];
    if (escaped == '\n') return;
    if (escaped == ';') {
      argument.text += "\\;";
    } else {
      argument.text += escaped == 'n'   ? '\n'
                       : escaped == 't' ? '\t'
                       : escaped == 'r' ? '\r'
                                        : escaped;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_program_file(const fs::path& path) {
  constexpr std::uint64_t mark_size = 8;
  std::error_code error;
  const auto permissions = fs::status(path, error).permissions();
  if (error || (permissions & fs::perms::owner_exec) == fs::perms::none) return false;
  const auto file = InputFile::open(path);
  if (!file || file->size() < 64) return false;
  const auto bytes = file->read_at(0, mark_size);
  return bytes && may_be_image({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// The text of an argument that is not a list: escaped semicolons are plain ones.
std::string plain_text(const CMakeArgument& argument) {
  std::string text;
  for (std::size_t i = 0; i < argument.text.size(); ++i) {
    const bool is_escape =
        argument.text[i] == '\\' && i + 1 < argument.text.size() && argument.text[i + 1] == ';';
    if (!is_escape) text += argument.text[i];
  }
  return text;
}

bool is_true(std::string_view value) {
  std::string small;
  for (const char c : value) small += in_small(c);
  return small == "true" || small == "on" || small == "yes" || small == "y" || small == "1";
}

// In memory, about: a path holds each of its components as a path.
std::size_t kept_bytes(const fs::path& path) {
  return path.native().size() +
         sizeof(fs::path) * static_cast<std::size_t>(std::distance(path.begin(), path.end()));
}

std::size_t kept_bytes(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + sizeof(std::string);
  return bytes;
}

// What one set_tests_properties() sets, for each test that it names.
struct TestProperties {
  std::optional<fs::path> folder;
  std::optional<std::vector<std::string>> environment;
  bool is_disabled = false;
};

class CTestReader {
 public:
  explicit CTestReader(const Bounds& bounds) : bounds_(bounds) {}

  CTestFiles read(const fs::path& folder) {
    read_folder(folder, 0);
    for (const std::string& name : disabled_) tests_.erase(name);
    for (const std::string& name : order_) {
      const auto test = tests_.find(name);
      if (test != tests_.end()) result_.tests.push_back(std::move(test->second));
    }
    return std::move(result_);
  }

 private:
  // Normal, so that no name is longer than what the system opens: each test of the file keeps it.
  void read_folder(const fs::path& path, int depth) {
    const fs::path folder = path.lexically_normal();
    read_file(folder / ctest_file_name, folder, depth);
  }

  // `folder`: what relative paths in the file begin at.
  void read_file(const fs::path& path, const fs::path& folder, int depth) {
    const fs::path file = path.lexically_normal();
    if (depth > max_ctest_depth || result_.files.size() >= max_ctest_files) return;
    if (!is_within(bounds_, file) || result_.files.contains(file)) return;
    result_.files[file] = std::nullopt;
    const auto input = InputFile::open(file);
    if (!input) return;
    result_.files[file] = input->stamp();
    bytes_ += input->size();
    if (input->size() > max_ctest_file_size || bytes_ > max_ctest_bytes) return;
    const auto bytes = input->read_all();
    if (!bytes) return;
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    CMakeReader commands(text);
    while (const auto command = commands.next()) take(*command, folder, depth);
  }

  void take(const CMakeCommand& command, const fs::path& folder, int depth) {
    const auto& arguments = command.arguments;
    if (arguments.empty()) return;
    if (command.name == "add_test") {
      add_test(arguments, folder);
    } else if (command.name == "set_tests_properties") {
      set_properties(arguments, folder);
    } else if (command.name == "include" && !arguments.front().has_reference) {
      read_file(folder / plain_text(arguments.front()), folder, depth + 1);
    } else if (command.name == "subdirs") {
      for (const CMakeArgument& argument : arguments) {
        if (!argument.has_reference) read_folder(folder / plain_text(argument), depth + 1);
      }
    } else if (command.name == "add_subdirectory" && !arguments.front().has_reference) {
      read_folder(folder / plain_text(arguments.front()), depth + 1);
    }
  }

  // NAME COMMAND [ARGUMENT…]. Of several configurations, the one that was built counts.
  void add_test(const std::vector<CMakeArgument>& arguments, const fs::path& folder) {
    if (arguments.size() < 2 || order_.size() >= max_ctest_tests) return;
    if (std::ranges::any_of(arguments, &CMakeArgument::has_reference)) return;
    CTestTest test;
    test.name = plain_text(arguments[0]);
    test.program = (folder / plain_text(arguments[1])).lexically_normal();
    test.folder = folder;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
      test.arguments.push_back(plain_text(arguments[i]));
    }
    if (tests_.contains(test.name) || !is_runnable(test.program)) return;
    const bool has_room = keep(test.name.size() + kept_bytes(test.program) +
                               kept_bytes(test.folder) + kept_bytes(test.arguments));
    if (!has_room) return;
    order_.push_back(test.name);
    tests_.emplace(order_.back(), std::move(test));
  }

  bool is_runnable(const fs::path& program) {
    if (const auto known = programs_.find(program); known != programs_.end()) return known->second;
    if (!keep(kept_bytes(program))) return false;
    bool& is_there = programs_[program];
    if (!is_within(bounds_, program)) return false;
    const auto stamp = file_stamp(program);
    is_there = is_program_file(program);
    if (!is_there) result_.left_out.emplace(program, stamp);
    return is_there;
  }

  // NAME… PROPERTIES [KEY VALUE]…
  void set_properties(const std::vector<CMakeArgument>& arguments, const fs::path& folder) {
    const auto keys = std::ranges::find(arguments, "PROPERTIES", &CMakeArgument::text);
    TestProperties properties;
    for (auto key = keys; arguments.end() - key > 2; key += 2) {
      if (!key[2].has_reference) set_property(properties, key[1].text, key[2], folder);
    }
    for (auto name = arguments.begin(); name != keys; ++name) {
      const auto test = tests_.find(plain_text(*name));
      if (test != tests_.end()) apply(properties, test->second);
    }
  }

  static void set_property(TestProperties& properties, std::string_view key,
                           const CMakeArgument& value, const fs::path& folder) {
    if (key == "WORKING_DIRECTORY" && value.text.size() <= max_folder_bytes) {
      properties.folder = (folder / plain_text(value)).lexically_normal();
    }
    if (key == "ENVIRONMENT" && value.text.size() <= max_environment_bytes) {
      properties.environment = cmake_list(value.text);
    }
    if (key == "DISABLED" && is_true(value.text)) properties.is_disabled = true;
  }

  void apply(const TestProperties& properties, CTestTest& test) {
    if (properties.is_disabled) disabled_.insert(test.name);
    if (properties.folder && keep(kept_bytes(*properties.folder))) test.folder = *properties.folder;
    if (properties.environment && keep(kept_bytes(*properties.environment))) {
      test.environment = *properties.environment;
    }
  }

  // Whether there is room for as many bytes more: a short file may set much for each of many tests.
  bool keep(std::size_t bytes) {
    if (bytes > max_kept_bytes - kept_bytes_) return false;
    kept_bytes_ += bytes;
    return true;
  }

  Bounds bounds_;
  CTestFiles result_;
  std::uint64_t bytes_ = 0;     // of the files
  std::size_t kept_bytes_ = 0;  // of what is made of them
  std::vector<std::string> order_;
  std::map<std::string, CTestTest> tests_;
  std::set<std::string> disabled_;
  std::map<fs::path, bool> programs_;  // whether a test may run them
};

}  // namespace

std::vector<CMakeCommand> cmake_commands(std::string_view text) {
  std::vector<CMakeCommand> commands;
  CMakeReader reader(text);
  while (auto command = reader.next()) commands.push_back(std::move(*command));
  return commands;
}

std::vector<std::string> cmake_list(std::string_view text) {
  std::vector<std::string> elements;
  std::string element;
  const auto end_element = [&] {
    if (!element.empty()) elements.push_back(std::exchange(element, {}));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ';') {
      element += text[++i];
    } else if (text[i] == ';') {
      end_element();
    } else {
      element += text[i];
    }
  }
  end_element();
  return elements;
}

std::optional<fs::path> ctest_folder(const fs::path& program,
                                     const std::vector<fs::path>& folders) {
  std::optional<fs::path> outermost;
  std::optional<fs::path> found;  // within a folder
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (file_stamp(folder / ctest_file_name)) outermost = folder;
    if (std::ranges::find(folders, folder) != folders.end()) found = outermost;
  }
  return found;
}

CTestFiles read_ctest_files(const fs::path& folder, const Bounds& bounds) {
  return CTestReader(bounds).read(folder);
}

bool are_current(const CTestFiles& files) {
  const auto is_current = [](const auto& file) { return file_stamp(file.first) == file.second; };
  return std::ranges::all_of(files.files, is_current) &&
         std::ranges::all_of(files.left_out, is_current);
}

}  // namespace gprof::lsp
