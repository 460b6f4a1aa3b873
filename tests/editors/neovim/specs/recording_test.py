"""Running programs and comparing profiles: what runs, where its profile goes, and what is said of it."""
import os
import pathlib

import pynvim
from compared_builds import Build, source
from profiled_program import Workspace, run
from session import VERSION, NeovimTest

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int work(int x) { return x + 1; }
int main(int argc, char** argv) {
  int calls = 7, sum = 0;
  for (int i = 1; i < argc; i++) {
    printf("<%s>\\n", argv[i]);
    if (strcmp(argv[i], "more") == 0) calls = 11;
  }
  for (int i = 0; i < calls; i++) sum += work(i); /* calls */
  if (argc > 1 && strcmp(argv[1], "fail") == 0) exit(3);
  if (argc > 1 && strcmp(argv[1], "crash") == 0) *(volatile int*)8 = 1; /* crash */
  return sum < 0;
}
"""
# Programs are recorded without samples: one on a line would be among its figures, by chance.
CHOOSE = """
vim.env.GPROF_RATE = '0'
vim.ui.select = function(choices, options, on_choice)
  local offered = {}
  for index, choice in ipairs(choices) do
    offered[index] = options.format_item(choice)
  end
  vim.g.offered, vim.g.asked = offered, options.prompt
  on_choice(choices[vim.g.choice or 1])
end
"""


class Listing(NeovimTest):
    """What `:GprofDiff` lists."""

    def list(self):
        return self.neovim.lua("""local list = vim.fn.getqflist({ title = 0, items = 0 })
          return { list.title, vim.tbl_map(function(entry) return entry.text end, list.items) }""")

    def compared(self, command):
        self.neovim.command(command)
        return self.neovim.wait_for(self.list, lambda found: found[0].startswith("Differences"), command)


class Recording(Listing):
    def setUp(self):
        super().setUp()
        if "GPROF_RUNTIME_LIBRARY" not in os.environ:
            self.skipTest("skipped: this build has no collector")
        self.workspace = Workspace(self.folder / "project")
        (self.workspace.directory / ".git").mkdir(parents=True)
        self.workspace.write("main.c", PROGRAM)
        self.workspace.build(("main.c",))
        self.neovim = self.start_neovim()

    def start_neovim(self):
        # Of one that was ended.
        (self.home / "nvim.socket").unlink(missing_ok=True)
        return self.open(self.workspace, "main.c", CHOOSE)

    def said(self, words):
        self.neovim.wait_for(self.neovim.messages, lambda text: words in text, words)

    def recorded(self, command, words="program: "):
        self.neovim.command("messages clear")
        self.neovim.command(command)
        self.said(words)

    def shows_calls(self, count):
        line = self.workspace.line_of("main.c", "/* calls */")
        self.neovim.wait_for_texts(lambda texts: texts.get(line) == f"→ {count}")

    def runs(self):
        """The folders of recordings, of whatever program."""
        state = self.home / ("state" if VERSION >= (0, 8) else "data") / "nvim" / "gprof" / "recordings"
        return sorted(state.glob("*/*"))

    def terminal(self):
        return self.neovim.lua("""
          for _, window in ipairs(vim.api.nvim_list_wins()) do
            local buffer = vim.api.nvim_win_get_buf(window)
            if vim.bo[buffer].buftype == 'terminal' then
              return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n')
            end
          end
          return ''
        """)

    def choose(self, *places):
        """What the next lists are answered with, in their order; None: with nothing."""
        self.neovim.lua("""
          local places, number = ..., 0
          vim.g.listed = {}
          vim.ui.select = function(choices, options, on_choice)
            number = number + 1
            local texts = vim.g.listed
            for _, choice in ipairs(choices) do
              table.insert(texts, options.format_item(choice))
            end
            vim.g.listed = texts
            local place = places[number]
            on_choice(place ~= 0 and choices[place] or nil)
          end""", [place or 0 for place in places])

    def arguments(self):
        return [line[1:-1] for line in self.terminal().splitlines() if line.startswith("<")]


class Run(Recording):
    def test_a_program_that_is_named(self):
        before = sorted(self.workspace.directory.iterdir())
        self.recorded("GprofRun program")
        self.shows_calls(7)
        self.assertEqual(before, sorted(self.workspace.directory.iterdir()))
        run_, = self.runs()
        self.assertTrue((run_ / "gmon.out").is_file())
        self.assertEqual(0o700, run_.parent.stat().st_mode & 0o777)
        # The cursor stays in the code.
        self.assertTrue(self.neovim.lua("return vim.fn.expand('%:t')") == "main.c")

    def test_without_a_word_an_executable_is_chosen(self):
        self.workspace.write("script", "#!/bin/sh\n").chmod(0o755)
        run(["gcc", "-O0", "main.c", "-o", "bare"], self.workspace.directory)
        run(["strip", "-o", "copy", "program"], self.workspace.directory)
        self.neovim.lua("vim.g.choice = 1")
        self.recorded("GprofRun")
        self.assertEqual(["program  (its calls are counted)",
                          "bare  (without lines: built without -g, or stripped)"],
                         self.neovim.lua("return vim.g.offered"))
        self.shows_calls(7)
        # From now on it is shown, and nothing is asked.
        self.neovim.lua("vim.g.offered = nil")
        self.recorded("GprofRun")
        self.assertIsNone(self.neovim.lua("return vim.g.offered"))

    def test_once_more(self):
        self.recorded("GprofRun program more")
        self.shows_calls(11)
        self.recorded("GprofRun!")
        self.assertEqual(["more"], self.arguments())
        self.shows_calls(11)

    def test_words_are_expanded_by_no_shell(self):
        self.workspace.write("a.txt", "")
        self.workspace.write("b.txt", "")
        self.recorded("GprofRun ./program % %:t:r *.txt no*such ~ $HOME/x $NOT_THERE `touch\\ made` $(touch\\ made) "
                      "{a,b} two\\ words ; 'quoted'")
        home = str(self.home)
        self.assertEqual(["main.c", "main", "a.txt", "b.txt", "no*such", home, f"{home}/x", "$NOT_THERE",
                          "`touch made`", "$(touch made)", "{a,b}", "two words", ";", "'quoted'"], self.arguments())
        self.assertFalse(self.workspace.path("made").exists())

    def test_how_it_ended_is_said(self):
        self.recorded("GprofRun program fail", "program ended with status 3. ")

    def test_the_line_of_a_crash_is_said_and_marked(self):
        line = next(i for i, text in enumerate(PROGRAM.splitlines()) if "/* crash */" in text)
        self.neovim.command("GprofRun program crash")
        self.said(f"program was killed by SIGSEGV at main.c:{line + 1}")
        marks = self.neovim.wait_for(
            lambda: self.neovim.lua("return vim.tbl_map(function(one) return { one.lnum, one.severity, one.message } end,"
                                    " vim.diagnostic.get(0))"), bool, "a diagnostic")
        self.assertEqual([[line, 1, "program was killed by SIGSEGV here: no access to address 0x8."]], marks)

    def test_a_run_that_ends_before_the_server_answers(self):
        release = self.folder / "release"
        server = self.path / "gprof-lsp"
        self.neovim.close()
        real = os.readlink(server)
        server.unlink()
        server.write_text("#!/bin/sh\n"
                          f'[ "$1" = record ] || while [ ! -e {release} ]; do sleep 0.05; done\n'
                          f'exec {real} "$@"\n')
        server.chmod(0o755)
        self.neovim = self.start_neovim()
        self.neovim.command("GprofRun program")
        self.neovim.wait_for(lambda: [run_ for run_ in self.runs() if (run_ / "summary.json").exists()],
                             bool, "the run's end")
        release.touch()
        self.shows_calls(7)
        self.assertNotIn("source file", self.neovim.messages())

    def test_a_run_without_a_source_that_is_open(self):
        self.neovim.close()
        (self.home / "nvim.socket").unlink(missing_ok=True)
        self.neovim = self.start(self.workspace.directory, CHOOSE, [])
        self.recorded(f"GprofRun {self.workspace.path('program')}", "shown when a source file of the program is opened")
        self.neovim.command(f"edit {self.workspace.path('main.c')}")
        self.shows_calls(7)

    def test_what_went_wrong_is_said(self):
        self.neovim.refuses("GprofRun nothing", "nothing is not there: build it first.")
        self.neovim.refuses("GprofRun main.c", "main.c cannot be executed.")
        run(["gcc", "-O0", "-static", "main.c", "-o", "bare"], self.workspace.directory)
        self.neovim.refuses("GprofRun bare", "it is statically linked")
        self.assertEqual([], self.runs())
        # Names alone are files, not programs of the PATH.
        self.neovim.refuses("GprofRun true", "true is not there")

    def test_the_newest_ten_are_kept(self):
        for number in range(12):
            self.recorded(f"GprofRun program {number}")
        self.assertEqual(10, len(self.runs()))
        self.assertTrue(all((folder / "gmon.out").is_file() for folder in self.runs()))

    def test_runs_are_a_list(self):
        self.recorded("GprofRun program more")
        self.recorded(r"GprofRun program fail two\ words", "program ended with status 3. ")
        self.choose(None)
        self.neovim.command("Gprof runs")
        newest, oldest = self.neovim.lua("return vim.g.listed")
        self.assertRegex(newest, r"^20\d\d-\d\d-\d\d \d\d:\d\d · just now · fail 'two words' · .* CPU of .* · "
                                 r"status 3 · .*iB · shown now$")
        self.assertRegex(oldest, r" · more · .* CPU of .*iB$")
        # The older one is shown.
        self.choose(2, 1)
        self.neovim.command("Gprof runs")
        self.shows_calls(11)
        self.choose(1, 2)
        self.neovim.command("Gprof runs")
        self.said("no difference beyond noise")
        self.neovim.command("cclose")
        self.choose(1, 4)
        self.neovim.command("Gprof runs")
        self.assertEqual(1, len(self.runs()))

    def test_the_next_neovim_shows_it_again(self):
        self.recorded("GprofRun program more")
        self.shows_calls(11)
        self.neovim.close()
        self.neovim = self.start_neovim()
        self.shows_calls(11)

    def test_a_run_that_nobody_records_is_shown_as_well(self):
        self.recorded("GprofRun program more")
        self.shows_calls(11)
        self.workspace.execute()
        self.shows_calls(7)
        self.recorded("GprofRun!")
        self.shows_calls(11)
        # All of them can be compared with.
        self.neovim.command("GprofDiff")
        offered = self.neovim.wait_for_lua("return vim.g.offered")
        self.assertEqual(3, len(offered), offered)

    def test_windows(self):
        self.recorded("GprofRun program")
        self.recorded("GprofRun program")
        self.assertEqual(2, len(self.neovim.lua("return vim.api.nvim_list_wins()")))
        terminals = self.neovim.lua("""return #vim.tbl_filter(function(buffer)
          return vim.bo[buffer].buftype == 'terminal' end, vim.api.nvim_list_bufs())""")
        self.assertEqual(1, terminals)
        self.neovim.command("only")
        self.recorded("vertical GprofRun program")
        self.assertEqual(["row"], self.neovim.lua("return { vim.fn.winlayout()[1] }"))

    def test_completion(self):
        self.workspace.write("sub/deep.txt", "")
        complete = "return vim.fn.getcompletion('GprofRun ' .. ..., 'cmdline')"
        self.assertEqual(["program", "sub/"], self.neovim.lua(complete, ""))
        self.assertEqual(["main.c"], self.neovim.lua(complete, "program m"))
        self.assertEqual([], self.neovim.lua(complete, "`touch made`"))
        self.assertFalse(self.workspace.path("made").exists())


TESTS = """\
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
int work(int x) { return x + 1; }
TEST(Sums, Light) {
  for (int i = 0; i < 7; i++) work(i); /* light */
}
TEST(Sums, Heavy) {
  for (int i = 0; i < 11; i++) work(i); /* heavy */
  std::FILE *place = std::fopen("ran-here", "w");
  const char *value = std::getenv("PLACE");
  std::fputs(value ? value : "nothing", place);
  std::fclose(place);
}
"""


class Tests(Recording):
    """In a project that no profile is known of."""

    def setUp(self):
        if not pathlib.Path("/usr/include/gtest/gtest.h").exists():
            self.skipTest("skipped: no GoogleTest (Debian's package libgtest-dev)")
        super().setUp()

    def start_neovim(self):
        root = self.workspace.directory
        self.workspace.write("tests.cc", TESTS)
        (root / "data").mkdir(exist_ok=True)
        self.workspace.build(("tests.cc", "-lgtest", "-lgtest_main", "-lpthread"), ("-O0", "-std=c++17"), "g++", "tests")
        self.workspace.write("CTestTestfile.cmake", f'''
add_test([=[heavy sums]=] "{root}/tests" "--gtest_filter=Sums.Heavy")
set_tests_properties([=[heavy sums]=] PROPERTIES  ENVIRONMENT "PLACE=\\$HOME" WORKING_DIRECTORY "{root}/data")
''')
        neovim = self.start(root, CHOOSE, [self.workspace.path("tests.cc")])
        # The commands ask a server that runs.
        neovim.wait_until_at_rest()
        return neovim

    def go_to(self, fragment):
        self.neovim.command(str(self.workspace.line_of("tests.cc", fragment)))

    def shown(self, light, heavy):
        """What the lines of both tests show; None: nothing."""
        lines = [self.workspace.line_of("tests.cc", f"/* {name} */") for name in ("light", "heavy")]
        self.neovim.wait_for_texts(lambda texts: [texts.get(line) for line in lines] == [light, heavy])

    def ran(self):
        return self.workspace.path("data/ran-here").read_text()

    def test_the_one_under_the_cursor(self):
        self.go_to("/* light */")
        self.recorded("Gprof test", "tests: ")
        self.shown(light="→ 7", heavy=None)
        self.go_to("value ?")
        self.recorded("Gprof test", "tests: ")
        self.shown(light=None, heavy="→ 11")
        # Where CTest would run it.
        self.assertEqual("$HOME", self.ran())
        self.choose(None)
        self.neovim.command("Gprof runs")
        newest, oldest = self.neovim.lua("return vim.g.listed")
        self.assertRegex(newest, r" · --gtest_filter=Sums\.Heavy · .* · shown now$")
        self.assertRegex(oldest, r" · --gtest_filter=Sums\.Light · ")

    def test_those_of_ctest(self):
        self.recorded(r"Gprof test heavy\ sums", "tests: ")
        self.assertEqual("$HOME", self.ran())
        self.shown(light=None, heavy="→ 11")
        self.neovim.refuses("Gprof test nothing", "no test is named nothing")
        self.assertEqual([r"heavy\ sums"], self.neovim.lua("return vim.fn.getcompletion('Gprof test he', 'cmdline')"))
        # Where no test is under the cursor, they are listed.
        self.neovim.command("1")
        self.recorded("Gprof test", "tests: ")
        self.assertEqual(["heavy sums  (tests)"], self.neovim.lua("return vim.g.offered"))

    def test_the_program_itself_is_run_with_no_words_of_a_test(self):
        self.recorded("Gprof test Sums.Light", "tests: ")
        self.shown(light="→ 7", heavy=None)
        self.recorded("GprofRun!", "tests: ")
        self.shown(light="→ 7", heavy=None)
        self.recorded("GprofRun", "tests: ")
        self.shown(light="→ 7", heavy="→ 11")

    def test_a_lens(self):
        click = """
          local line = ...
          local document = { textDocument = vim.lsp.util.make_text_document_params() }
          for id, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeLens', document, 5000) or {}) do
            for _, lens in ipairs(answer.result or {}) do
              if lens.command and lens.command.title == 'Profile this test' and lens.range.start.line + 1 == line then
                vim.lsp.commands[lens.command.command](lens.command, { client_id = id, bufnr = 0 })
                return true
              end
            end
          end
          return false"""
        line = self.workspace.line_of("tests.cc", "TEST(Sums, Light)")
        self.neovim.wait_for(lambda: self.neovim.lua(click, line), bool, "a lens above the test")
        self.said("tests: ")
        self.shown(light="→ 7", heavy=None)


MEANS = {"alpha": 900, "beta": 500, "delta": 400}


class Rebuilt(Recording):
    def rebuild(self, calls):
        self.workspace.write("main.c", PROGRAM.replace("calls = 7", f"calls = {calls}"))
        self.workspace.build(("main.c",))
        self.neovim.command("edit!")

    def test_the_run_before_is_compared_with(self):
        self.recorded("GprofRun program")
        self.shows_calls(7)
        self.neovim.refuses("GprofDiff previous", "there is no earlier run of program to compare with.")
        self.rebuild(9)
        self.recorded("GprofRun program", "`:GprofDiff previous` compares.")
        self.shows_calls(9)
        _, texts = self.compared("GprofDiff previous")
        self.assertIn("2 calls more", next(text for text in texts if text.startswith("work")))
        # Also the run before that.
        self.neovim.command("wincmd t")
        self.neovim.command("GprofDiff!")
        self.rebuild(12)
        self.recorded("GprofRun program")
        self.shows_calls(12)
        self.neovim.command("cexpr []")
        _, texts = self.compared("GprofDiff previous")
        self.assertIn("3 calls more", next(text for text in texts if text.startswith("work")))

    def test_the_word_is_completed(self):
        self.assertEqual("previous", self.neovim.lua("return vim.fn.getcompletion('GprofDiff p', 'cmdline')[1]"))

    def test_a_file_that_comes_back(self):
        self.recorded("GprofRun program")
        self.shows_calls(7)
        self.workspace.write("main.c", PROGRAM.replace("work(i); /* calls */", "work(i + 1); /* calls */"))
        self.neovim.command("edit!")
        self.neovim.wait_for_texts(lambda texts: "→ 7" not in str(texts))
        self.workspace.write("main.c", PROGRAM)
        self.neovim.command("edit!")
        self.shows_calls(7)
        self.neovim.close()
        self.neovim = self.start_neovim()
        self.shows_calls(7)

    def test_a_profile_that_is_pinned(self):
        self.recorded("GprofRun program")
        self.shows_calls(7)
        self.neovim.command("Gprof pin")
        self.workspace.execute(arguments=("more",))
        self.neovim.command("Gprof reload")
        self.neovim.wait_until_at_rest()
        self.shows_calls(7)
        self.neovim.command("Gprof unpin")
        self.shows_calls(11)


class Diff(Listing):
    """delta takes twice the time that it took."""

    def setUp(self):
        super().setUp()
        self.old = Build(self.folder, "base").compile()
        self.new = Build(self.folder, "now", source()).compile("-DWORK=52")
        (self.new.directory / ".git").mkdir()
        self.old_runs = self.old.write_runs(3, MEANS, 1, calls={"alpha": 10, "beta": 5})
        self.new_runs = self.new.write_runs(3, dict(MEANS, delta=800), 2, calls={"alpha": 12, "beta": 5})
        self.neovim = self.start(self.new.directory, CHOOSE, ["work.c"])
        self.neovim.wait_until_at_rest()
        self.load(self.new_runs)

    def load(self, runs):
        self.neovim.command(" ".join(["Gprof load", str(self.new.program), *map(str, runs)]))
        self.neovim.wait_for_texts(lambda texts: len(texts) > 0)

    def test_with_another_build(self):
        words = " ".join([str(self.old.program), *map(str, self.old_runs)])
        title, texts = self.compared(f"GprofDiff {words}")
        self.assertEqual(f"Differences · {self.new.program.name} · 1 slower", title)
        self.assertRegex(texts[0], r"^delta · self \+0\.\d\d ±0\.\d\d s, slower \(0\.\d\d s → 0\.\d\d s\)$")
        self.assertTrue(all("within the noise" in text for text in texts[1:]), texts)
        self.assertIn("2 calls more", next(text for text in texts if text.startswith("alpha")))
        # A message and the status say what became of the whole program, and lines of each line.
        self.assertRegex(self.neovim.messages(), r"gprof: 1\.\d\d → 2\.\d\d s, \+\d\d %: regressed")
        self.neovim.command("wincmd t")
        self.assertIn("▲ regressed", self.neovim.lua("return require('gprof').statusline()"))
        self.neovim.wait_for_texts(lambda figures: "▲" in str(figures))
        self.neovim.command("GprofDiff!")
        self.neovim.wait_for_texts(lambda figures: figures and "▲" not in str(figures))
        self.neovim.wait_for(self.list, lambda found: found[0].endswith("(outdated)"), "an outdated list")
        self.assertNotIn("regressed", self.neovim.lua("return require('gprof').statusline()"))

    def test_by_wildcards_and_by_calls(self):
        self.neovim.command("Gprof metric calls")
        folder = pathlib.Path(self.old_runs[0]).parent
        stem = os.path.commonprefix([pathlib.Path(run_).name for run_ in self.old_runs])
        title, texts = self.compared(f"GprofDiff {self.old.program} {folder}/{stem}*")
        self.assertIn("1 called more or less often", title)
        self.assertTrue(texts[0].startswith("alpha · 2 calls more"), texts)

    def test_calls_where_no_time_differs(self):
        """Also those of functions that have no samples."""
        self.neovim.command("Gprof clear")
        self.neovim.wait_for_texts({})
        self.load(self.new.write_runs(3, MEANS, 3, calls={"alpha": 10, "epsilon": 7}))
        old = self.old.write_runs(3, MEANS, 4, calls={"alpha": 10, "epsilon": 5})
        title, texts = self.compared(" ".join(["GprofDiff", str(self.old.program), *map(str, old)]))
        self.assertIn("1 called more or less often", title)
        self.assertTrue(texts[0].startswith("epsilon · 2 calls more"), texts)

    def test_what_can_be_chosen(self):
        other = self.new.directory / "gmon.out"
        other.write_bytes(pathlib.Path(self.old.write_runs(1, MEANS, 5)[0]).read_bytes())
        self.neovim.command("GprofDiff")
        offered = self.neovim.wait_for_lua("return vim.g.offered")
        self.assertEqual(f"Compare {self.new.program.name} with", self.neovim.lua("return vim.g.asked"))
        self.assertRegex("\n".join(offered), r"gmon\.out  \(.*\)")
        self.assertEqual("another build, or a profile file …", offered[-1])

    def test_what_is_not_there(self):
        try:
            self.neovim.command("GprofDiff nothing")
        except pynvim.api.NvimError as error:
            self.assertIn("nothing is not there.", str(error))
        else:
            self.assertIn("nothing is not there.", self.neovim.messages())
