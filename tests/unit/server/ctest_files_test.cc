#include "server/discovery/ctest_files.h"

#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/files.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::write_file;

namespace {

namespace fs = std::filesystem;

class BuildFolder {
 public:
  BuildFolder()
      : path_(fs::temp_directory_path() / fmt::format("ctest-files-{}", ::getpid()) / "build") {
    fs::remove_all(path_.parent_path());
    fs::create_directories(path_ / "sub");
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder() { fs::remove_all(path_.parent_path()); }

  fs::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }
  void add_program(const char* name) const {
    std::string bytes =
        "\x7f"
        "ELF\x02\x01\x01";
    bytes.resize(64);
    write_file(path_ / name, bytes);
    fs::permissions(path_ / name, fs::perms::owner_exec, fs::perm_options::add);
  }
  void write(const char* name, const std::string& text) const { write_file(path_ / name, text); }

 private:
  fs::path path_;
};

std::string shown(const std::vector<CMakeCommand>& commands) {
  std::string text;
  for (const CMakeCommand& command : commands) {
    text += command.name + ":";
    for (const CMakeArgument& argument : command.arguments) {
      text += (argument.has_reference ? " $<" : " <") + argument.text + ">";
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("CMake commands: arguments in quotes, in brackets and without") {
  CHECK(shown(cmake_commands("# add_test(no)\nAdd_Test (a \"b \\\"c\\\\\" [=[d\\]e]=] f;g)")) ==
        "add_test: <a> <b \"c\\> <d\\]e> <f> <g>\n");
  CHECK(shown(cmake_commands("if(EXISTS \"x\" AND (a OR b))\n  include(x) # y\nendif()")) ==
        "if: <EXISTS> <x> <AND> <a> <OR> <b>\ninclude: <x>\nendif:\n");
  CHECK(shown(cmake_commands(
            "#[[ add_test(a b)\n]] set(x [[\ny]] #[=[z]=] \"\\$z\" \"${q}\" $ENV{r})")) ==
        "set: <x> <y> <$z> $<${q}> $<$ENV{r}>\n");
}

TEST_CASE("CMake commands: damage ends the last one") {
  const std::string whole = "add_test([=[a]=] \"b\\\"\" #[[c]]\n d) x(y";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    CHECK(cmake_commands(whole.substr(0, size)).size() <= 2);
  }
  CHECK(shown(cmake_commands("a(\"b")) == "a: <b>\n");
  CHECK(shown(cmake_commands("a([[b")) == "a: <>\n");
  CHECK(shown(cmake_commands("a b(c)")) == "b: <c>\n");
}

TEST_CASE("CMake lists: escaped semicolons separate nothing") {
  CHECK(cmake_list("a=1;;b=x\\;y;c") == std::vector<std::string>{"a=1", "b=x;y", "c"});
  CHECK(cmake_list("").empty());
}

TEST_CASE("CTest files: tests with their programs, arguments, folders and environment") {
  const BuildFolder build;
  build.add_program("prog");
  build.write(
      "CTestTestfile.cmake",
      fmt::format("include(\"{0}/prog[1]_include.cmake\")\n"
                  "add_test([=[odd; name]=] \"{0}/prog\" \"--a=b;c\" \"\\$HOME\" \"x\\;y\")\n"
                  "set_tests_properties([=[odd; name]=] PROPERTIES  ENVIRONMENT \"A=1;B=two "
                  "words\" WORKING_DIRECTORY \"/tmp\")\n"
                  "add_test(script \"python3\" \"-c\" \"1\")\n"
                  "add_test(gone \"{0}/gone\")\n"
                  "add_test(unknown \"${{x}}/prog\")\n"
                  "subdirs(\"sub\")\n",
                  build.path().string()));
  build.write("prog[1]_include.cmake",
              fmt::format("if(EXISTS \"{0}/prog[1]_tests.cmake\")\n"
                          "  include(\"{0}/prog[1]_tests.cmake\")\nelse()\n"
                          "  add_test(prog_NOT_BUILT prog_NOT_BUILT)\nendif()\n",
                          build.path().string()));
  build.write("prog[1]_tests.cmake",
              fmt::format("add_test([=[S.N]=]  {0}/prog [==[--gtest_filter=S.N]==])\n"
                          "set_tests_properties([=[S.N]=]  PROPERTIES WORKING_DIRECTORY {0}/sub)\n"
                          "add_test([=[S.Off]=]  {0}/prog)\n"
                          "set_tests_properties([=[S.Off]=]  PROPERTIES DISABLED TRUE)\n",
                          build.path().string()));
  build.write("sub/CTestTestfile.cmake", "add_test(inner \"../prog\" \"x\")\nsubdirs(\"..\")\n");
  const CTestFiles files = read_ctest_files(build.path());
  const fs::path program = build / "prog";
  CHECK(files.tests ==
        std::vector<CTestTest>{
            {"S.N", program, {"--gtest_filter=S.N"}, build / "sub", {}},
            {"odd; name", program, {"--a=b;c", "$HOME", "x;y"}, "/tmp", {"A=1", "B=two words"}},
            {"inner", program, {"x"}, build / "sub", {}}});
  CHECK(are_current(files));
  build.write("sub/CTestTestfile.cmake", "\n");
  CHECK_FALSE(are_current(files));
}

TEST_CASE("CTest files: the outermost build folder within the workspace counts") {
  const BuildFolder build;
  build.write("CTestTestfile.cmake", "");
  build.write("sub/CTestTestfile.cmake", "");
  write_file(build.path().parent_path() / "CTestTestfile.cmake", "");
  const fs::path program = build / "sub" / "prog";
  CHECK(ctest_folder(program, {build.path()}) == build.path());
  CHECK(ctest_folder(program, {build.path().parent_path()}) == build.path().parent_path());
  CHECK(ctest_folder(program, {build / "other"}) == std::nullopt);
  CHECK(ctest_folder("/usr/bin/prog", {build.path()}) == std::nullopt);
}

TEST_CASE("amplification: files that name each other are read once each") {
  const BuildFolder build;
  build.write("CTestTestfile.cmake",
              "subdirs(. . sub ./ sub/..)\ninclude(CTestTestfile.cmake)\ninclude(a)\n");
  build.write("a", "include(a)\ninclude(b)\n");
  build.write("b", "include(a)\nadd_test(x y)\n");
  const CTestFiles files = read_ctest_files(build.path());
  CHECK(files.tests.empty());
  // Those of both folders, a and b; the other names lead to the same files.
  CHECK(files.files.size() == 4);
}

TEST_CASE("CTest files: they are read again once a program of theirs was built") {
  const BuildFolder build;
  build.write("CTestTestfile.cmake", "add_test(a prog)\nadd_test(b script)\n");
  build.write("script", "#!/bin/sh\n");
  const CTestFiles before = read_ctest_files(build.path());
  CHECK(before.tests.empty());
  CHECK(are_current(before));
  build.add_program("prog");
  CHECK_FALSE(are_current(before));
  const CTestFiles after = read_ctest_files(build.path());
  REQUIRE(after.tests.size() == 1);
  CHECK(after.tests[0].name == "a");
  CHECK(are_current(after));
}

TEST_CASE("amplification: many names and many properties in one command are read once each") {
  const BuildFolder build;
  build.add_program("prog");
  std::string text = "add_test(a prog)\nset_tests_properties(";
  for (int i = 0; i < 400'000; ++i) text += "a ";
  text += "PROPERTIES WORKING_DIRECTORY /here ";
  for (int i = 0; i < 400'000; ++i) text += "k v ";
  build.write("CTestTestfile.cmake", text + ")\n");
  const CTestFiles files = read_ctest_files(build.path());
  REQUIRE(files.tests.size() == 1);
  CHECK(files.tests[0].folder == "/here");
}

TEST_CASE("amplification: what a command sets for many tests is bounded in all") {
  const BuildFolder build;
  build.add_program("prog");
  std::string text;
  std::string names;
  for (int i = 0; i < 2'000; ++i) {
    text += fmt::format("add_test(t{} prog)\n", i);
    names += fmt::format("t{} ", i);
  }
  text += "set_tests_properties(" + names + "PROPERTIES ENVIRONMENT \"A=";
  text += std::string(60'000, 'x') + "\")\n";
  text += "set_tests_properties(t0 PROPERTIES ENVIRONMENT \"" + std::string(100'000, 'x') + "\")\n";
  build.write("CTestTestfile.cmake", text);
  const CTestFiles files = read_ctest_files(build.path());
  CHECK(files.tests.size() == 2'000);
  CHECK(files.tests[0].environment.at(0).size() == 60'002);
  std::size_t bytes = 0;
  for (const CTestTest& test : files.tests) {
    for (const std::string& setting : test.environment) bytes += setting.size();
  }
  CHECK(bytes > std::size_t{1} << 20);
  CHECK(bytes <= std::size_t{64} << 20);
}
