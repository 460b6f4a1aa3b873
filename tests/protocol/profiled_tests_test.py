"""Lenses above tests and gprof/tests: what they run is the test below, alone, in a real program of its framework."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from editor import Editor
from feature_session import capabilities
from own_folders import fresh_folder, own_environment
from profiled_program import require, run

TITLE = "Profile this test"
GOOGLE_TEST = pathlib.Path("/usr/include/gtest/gtest.h")
CATCH2 = pathlib.Path("/usr/include/catch2/catch.hpp")


def able(**experimental):
    result = capabilities()
    result["experimental"] = {"gprof": {"tests": True, **experimental}}
    return result


CATCH2_TESTS = r"""#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
TEST_CASE("sorts, quickly [not a tag] *x*", "[sort]") { REQUIRE(1 == 1); }
TEST_CASE("with \"quotes\" and \\ back",
          "[sort]") { REQUIRE(1 == 1); }
SCENARIO("it happens", "[s]") { REQUIRE(1 == 1); }
// TEST_CASE("in a comment") { }
struct Fixture { int x = 1; };
TEST_CASE_METHOD(Fixture, "of a class", "[m]") { REQUIRE(x == 1); }
TEMPLATE_TEST_CASE("typed", "[t]", int, long) { TestType x = 1; REQUIRE(x == 1); }
TEST_CASE("~hidden", "[.]") { REQUIRE(1 == 1); }
TEST_CASE("in " "two parts" R"( \d)") { REQUIRE(1 == 1); }
TEST_CASE("exclude:this") { REQUIRE(1 == 1); }
TEST_CASE(" blanks around ") { REQUIRE(1 == 1); }
"""

CATCH2_NAMES = {
    3: ["sorts, quickly [not a tag] *x*"], 4: ['with "quotes" and \\ back'], 6: ["Scenario: it happens"],
    9: ["of a class"], 10: ["typed - int", "typed - long"], 11: ["~hidden"], 12: ["in two parts \\d"],
    13: ["exclude:this"], 14: [" blanks around "],
}

GOOGLE_TESTS = """#include <gtest/gtest.h>
namespace app { namespace {
TEST(Suite, Name) { EXPECT_EQ(1, 1); }
TEST(Suite, NameLonger) { EXPECT_EQ(1, 1); }
class Fix : public ::testing::Test {};
TEST_F(Fix, Does) { EXPECT_EQ(1, 1); }
class Par : public ::testing::TestWithParam<int> {};
TEST_P(Par,
       Each) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Few, Par, ::testing::Values(1, 2));
INSTANTIATE_TEST_SUITE_P(, Par, ::testing::Values(3));
template <typename T> class Typed : public ::testing::Test {};
using Types = ::testing::Types<int, long>;
TYPED_TEST_SUITE(Typed, Types);
TYPED_TEST(Typed, Works) { TypeParam x = 1; EXPECT_EQ(x, 1); }
template <typename T> class Later : public ::testing::Test {};
TYPED_TEST_SUITE_P(Later);
TYPED_TEST_P(Later, Goes) { TypeParam x = 1; EXPECT_EQ(x, 1); }
REGISTER_TYPED_TEST_SUITE_P(Later, Goes);
INSTANTIATE_TYPED_TEST_SUITE_P(My, Later, Types);
TEST(Suite, DISABLED_Slow) { EXPECT_EQ(1, 1); }
}}
"""

GOOGLE_NAMES = {
    3: ["Suite.Name"], 4: ["Suite.NameLonger"], 6: ["Fix.Does"], 8: ["Few/Par.Each/0", "Few/Par.Each/1", "Par.Each/0"],
    15: ["Typed/0.Works", "Typed/1.Works"], 18: ["My/Later/0.Goes", "My/Later/1.Goes"], 21: ["Suite.DISABLED_Slow"],
}


class ProfiledTests(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)
        self.environment = own_environment(f"{self.folder}-user")

    def editor(self, **members):
        members.setdefault("capabilities", able())
        return Editor(self.folder, environment=self.environment, **members)

    def lens_commands(self, editor, name):
        """Line -> the argument of the command of its lens, once programs were looked at."""
        def ask():
            return editor.client.request("textDocument/codeLens", {"textDocument": {"uri": editor.uri(name)}})
        ask()
        editor.settle()
        found = {}
        for lens in ask():
            if lens.get("command", {}).get("title") != TITLE:
                continue
            self.assertEqual("gprof.profileTest", lens["command"]["command"])
            [found[lens["range"]["start"]["line"] + 1]] = lens["command"]["arguments"]
        return found

    def known_tests(self, editor, name=None):
        params = {} if name is None else {"textDocument": {"uri": editor.uri(name)}}
        return editor.client.request("gprof/tests", params)["tests"]


class Catch2(ProfiledTests):
    """One program for all of them: it takes ten seconds to compile."""

    @classmethod
    def setUpClass(cls):
        require("g++")
        if not CATCH2.exists():
            raise unittest.SkipTest("skipped: no Catch2 2 (Debian's package catch2 of bookworm)")
        cls.built = tempfile.TemporaryDirectory(prefix="gprof-lsp-catch2-")
        cls.addClassCleanup(cls.built.cleanup)
        cls.source = pathlib.Path(cls.built.name) / "tests.cc"
        cls.source.write_text(CATCH2_TESTS)
        # The folder is not part of what is compiled: the program is copied to others.
        run(["g++", "-std=c++17", "-g", f"-ffile-prefix-map={cls.built.name}=.", "tests.cc", "-o", "tests"],
            cls.built.name)

    def setUp(self):
        super().setUp()
        shutil.copy2(self.source, self.folder / "tests.cc")
        (self.folder / "build").mkdir()
        shutil.copy2(self.source.with_name("tests"), self.folder / "build" / "tests")

    def test_each_lens_runs_the_test_below(self):
        with self.editor(opened=["tests.cc"]) as editor:
            commands = self.lens_commands(editor, "tests.cc")
            listed = {}
            for line, test in commands.items():
                self.assertEqual(str(self.folder / "build" / "tests"), test["program"])
                self.assertNotIn("folder", test)
                # Catch2 2 ends with the number of tests that it lists.
                names = subprocess.run([test["program"], *test["arguments"], "--list-test-names-only"],
                                       stdout=subprocess.PIPE, timeout=60).stdout.decode().splitlines()
                listed[line] = names
            self.assertEqual(CATCH2_NAMES, listed)
            self.assertEqual(list(commands.values()), self.known_tests(editor, "tests.cc"))
            self.assertEqual({"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 40}},
                             commands[4]["range"])

    def test_only_for_clients_that_run_programs(self):
        for experimental in ({}, {"gprof": {}}, {"gprof": {"tests": False}}):
            client = capabilities()
            client["experimental"] = experimental
            with self.editor(capabilities=client, opened=["tests.cc"]) as editor:
                self.assertEqual({}, self.lens_commands(editor, "tests.cc"))

    def test_the_setting(self):
        for settings in ({"codeLens": {"tests": False}}, {"codeLens": {"enable": False}}):
            with self.editor(settings=settings, opened=["tests.cc"]) as editor:
                self.assertEqual({}, self.lens_commands(editor, "tests.cc"))
                self.assertEqual(len(CATCH2_NAMES), len(self.known_tests(editor, "tests.cc")))

    def test_the_lens_follows_the_text_and_ends_with_its_name(self):
        text = CATCH2_TESTS
        with self.editor(opened=["tests.cc"]) as editor:
            self.assertEqual(list(CATCH2_NAMES), list(self.lens_commands(editor, "tests.cc")))
            # A new first line moves all of them; what is in a body does not matter.
            editor.edit("tests.cc", "// new\n" + text.replace("TestType x = 1;", "TestType x = 1;\n"))
            moved = [line + (2 if line > 10 else 1) for line in CATCH2_NAMES if line != 10]
            self.assertEqual(moved, list(self.lens_commands(editor, "tests.cc")))
            editor.edit("tests.cc", text.replace('"of a class"', '"renamed"'))
            self.assertEqual([line for line in CATCH2_NAMES if line != 9], list(self.lens_commands(editor, "tests.cc")))
            editor.edit("tests.cc", text.replace("// TEST_CASE(", "TEST_CASE("))
            self.assertEqual(list(CATCH2_NAMES), list(self.lens_commands(editor, "tests.cc")))

    def test_lenses_come_with_a_refresh(self):
        with self.editor(opened=["tests.cc"]) as editor:
            before = editor.refreshes()
            self.assertEqual({}, {line: titles for line, titles in editor.lenses("tests.cc").items() if TITLE in titles})
            self.assertEqual(before + 1, editor.refreshes())
            self.assertEqual(list(CATCH2_NAMES), list(editor.lenses("tests.cc")))
            # What is known already is told once.
            self.assertEqual(before + 1, editor.refreshes())

    def test_a_program_that_is_built_later(self):
        program = self.folder / "build" / "tests"
        elsewhere = self.folder.with_name(f"{self.folder.name}-program")
        self.addCleanup(lambda: elsewhere.unlink(missing_ok=True))
        program.rename(elsewhere)
        with self.editor(opened=["tests.cc"]) as editor:
            self.assertEqual([], self.known_tests(editor, "tests.cc"))
            shutil.copy2(elsewhere, program)
            self.assertEqual(len(CATCH2_NAMES), len(self.known_tests(editor, "tests.cc")))
            program.unlink()
            self.assertEqual([], self.known_tests(editor, "tests.cc"))

    def test_stripped_programs_contain_no_tests(self):
        require("strip")
        run(["strip", "tests"], self.folder / "build")
        with self.editor(opened=["tests.cc"]) as editor:
            self.assertEqual([], self.known_tests(editor, "tests.cc"))

    def test_the_newest_of_several(self):
        old = self.folder / "older"
        shutil.copytree(self.folder / "build", old)
        for path, age in ((old / "tests", 1000), (self.folder / "build" / "tests", 0), (self.folder / "tests.cc", 2000)):
            then = self.source.stat().st_mtime + 5000 - age
            os.utime(path, (then, then))
        with self.editor(opened=["tests.cc"]) as editor:
            self.assertEqual({str(self.folder / "build" / "tests")},
                             {test["program"] for test in self.known_tests(editor, "tests.cc")})


class GoogleTest(ProfiledTests):
    def setUp(self):
        super().setUp()
        require("g++")
        if not GOOGLE_TEST.exists():
            raise unittest.SkipTest("skipped: no GoogleTest (Debian's package libgtest-dev)")
        (self.folder / "tests.cc").write_text(GOOGLE_TESTS)
        run(["g++", "-std=c++17", "-g", "tests.cc", "-o", "tests", "-lgtest", "-lgtest_main", "-lpthread"], self.folder)

    def passed(self, test):
        done = subprocess.run([test["program"], *test["arguments"]], stdout=subprocess.PIPE, timeout=60, check=True)
        return [line.split("] ")[1].split(" (")[0].split(",")[0] for line in done.stdout.decode().splitlines()
                if line.startswith("[       OK ]")]

    def test_each_lens_runs_the_test_below(self):
        with self.editor(opened=["tests.cc"]) as editor:
            commands = self.lens_commands(editor, "tests.cc")
            self.assertEqual(GOOGLE_NAMES, {line: self.passed(test) for line, test in commands.items()})
            self.assertEqual(["Suite.Name", "Suite.NameLonger", "Fix.Does", "Par.Each", "Typed.Works", "Later.Goes",
                              "Suite.DISABLED_Slow"], [test["name"] for test in commands.values()])

    def test_what_was_not_compiled_has_no_lens(self):
        with self.editor(opened=["tests.cc"]) as editor:
            editor.edit("tests.cc", GOOGLE_TESTS.replace("(Suite, Name)", "(Suite, Other)").replace("\n}}", "\n\n}}"))
            self.assertEqual([line for line in GOOGLE_NAMES if line != 3], list(self.lens_commands(editor, "tests.cc")))

    def test_the_folder_and_environment_of_ctest(self):
        program = self.folder / "tests"
        (self.folder / "data").mkdir()
        (self.folder / "CTestTestfile.cmake").write_text(f'''
add_test([=[all]=] "{program}" "--gtest_color=no")
set_tests_properties([=[all]=] PROPERTIES  WORKING_DIRECTORY "{self.folder}/data")
add_test([=[Fix.Does]=]  {program} [==[--gtest_filter=Fix.Does]==] --gtest_also_run_disabled_tests)
set_tests_properties([=[Fix.Does]=] PROPERTIES  ENVIRONMENT "A=1;B=2")
add_test(script "python3" "-c" "1")
''')
        with self.editor(opened=["tests.cc"]) as editor:
            of_document = {test["name"]: test for test in self.known_tests(editor, "tests.cc")}
            self.assertEqual(str(self.folder / "data"), of_document["Suite.Name"]["folder"])
            self.assertNotIn("environment", of_document["Suite.Name"])
            self.assertEqual(str(self.folder), of_document["Fix.Does"]["folder"])
            self.assertEqual(["A=1", "B=2"], of_document["Fix.Does"]["environment"])
            self.assertEqual([
                {"name": "all", "program": str(program), "arguments": ["--gtest_color=no"],
                 "folder": str(self.folder / "data")},
                {"name": "Fix.Does", "program": str(program),
                 "arguments": ["--gtest_filter=Fix.Does", "--gtest_also_run_disabled_tests"],
                 "folder": str(self.folder), "environment": ["A=1", "B=2"]}], self.known_tests(editor))


if __name__ == "__main__":
    unittest.main()
