// The tests that CTest would run in a build folder, read from the files that CMake generates for
// it: CTestTestfile.cmake, and what it includes. Nothing is executed, and no condition is
// evaluated: tests whose program is not there are left out, which leaves those that were built.
//
// Errors: none; what cannot be read or understood is left out. Bounded in files, tests, and in the
// bytes that are read and kept.
// Thread contract: pure, except for reading the files; any thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/folder_bounds.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

struct CTestTest {
  std::string name;
  std::filesystem::path program;  // an executable that is there
  std::vector<std::string> arguments;
  std::filesystem::path folder;          // where CTest would run it
  std::vector<std::string> environment;  // NAME=VALUE, added to what is inherited

  friend bool operator==(const CTestTest&, const CTestTest&) = default;
};

struct CTestFiles {
  std::vector<CTestTest> tests;  // in the order of the files; names are unique
  // All files that were read; none for those that are not there.
  std::map<std::filesystem::path, std::optional<FileStamp>> files;
  // What tests that were left out would run, as it was: not there, not built, or a script.
  std::map<std::filesystem::path, std::optional<FileStamp>> left_out;
};

// The outermost build folder that contains the program and is within one of the folders: it has a
// CTestTestfile.cmake.
[[nodiscard]] std::optional<std::filesystem::path> ctest_folder(
    const std::filesystem::path& program, const std::vector<std::filesystem::path>& folders);

// Of the build folder and those below it that it names; files outside of `bounds` are not read.
[[nodiscard]] CTestFiles read_ctest_files(const std::filesystem::path& folder,
                                          const Bounds& bounds = nullptr);

// Whether reading them again would give the same, unless a program was deleted.
[[nodiscard]] bool are_current(const CTestFiles& files);

// A command of CMake's language with its arguments. Arguments that refer to variables are marked:
// their values are not known.
struct CMakeArgument {
  std::string text;
  bool has_reference = false;

  friend bool operator==(const CMakeArgument&, const CMakeArgument&) = default;
};
struct CMakeCommand {
  std::string name;  // in small letters
  std::vector<CMakeArgument> arguments;
};

// The commands of a file, in its order; damage ends the last one. Pure.
[[nodiscard]] std::vector<CMakeCommand> cmake_commands(std::string_view text);

// The elements of one of CMake's lists. Pure.
[[nodiscard]] std::vector<std::string> cmake_list(std::string_view text);

}  // namespace gprof::lsp
