"""Sources that were changed since the build, while no server ran, or under its eyes: what is shown
stands on the right lines, changed lines show nothing, and what is not known is marked."""
import os
import pathlib
import time
import unittest

from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import Workspace, require

SOURCE = """\
#include <stdio.h>

static int leaf(int x) { return x + 1; }

static int middle(int x) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += leaf(x + i); /* three */
  return sum;
}

static int upper(int x) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += middle(x + i); /* five */
  sum += leaf(sum); /* one */
  return sum;
}

int main(void) {
  int total = 0;
  for (int i = 0; i < 7; i++)
    total += upper(i); /* seven */
  printf("%d\\n", total);
  return 0;
}
"""

# A comment that names the line -> what the line shows; a declaration -> what the lens begins with.
HINTS = {"/* three */": "→ leaf 105×", "/* five */": "→ middle 35×", "/* one */": "→ leaf 7×",
         "/* seven */": "→ upper 7×"}
LENSES = {"int leaf(int x)": "112 calls", "int middle(int x)": "35 calls",
          "int upper(int x)": "7 calls"}

STALE = "source changed since the build"

SECOND = 1_000_000_000


def edited(text, *edits):
    """Each edit: what to replace, which stands there once, by what."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# Lines inserted above and inside, changed, deleted.
EDITS = (("#include <stdio.h>\n", "#include <stdio.h>\n#include <stdlib.h>\n\n/* new */\n"),
         ("  int sum = 0;\n  for (int i = 0; i < 3", "  /* new */\n  int sum = 0;\n  for (int i = 0; i < 3"),
         ("sum += middle(x + i); /* five */", "sum += middle(x + i) + 2; /* five */"),
         ("  sum += leaf(sum); /* one */\n", ""))


class SourceChanges(unittest.TestCase):
    compiler = "gcc"
    flags = ("-O0",)
    has_digest = False

    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)
        self.environment = own_environment(self.folder / "user")
        self.workspace = Workspace(self.folder / "workspace")
        self.source = self.workspace.write("a.c", SOURCE)
        self.workspace.write("other.txt", "")
        self.build_and_run()

    def build_and_run(self):
        self.workspace.build_and_run(("a.c",), self.flags, compiler=self.compiler)

    def editor(self, environment=None, opened=("a.c",)):
        return Editor(self.workspace.directory, environment=environment or self.environment,
                      opened=opened)

    def forgetful_editor(self):
        """With nothing kept of earlier sessions."""
        return Editor(self.workspace.directory, opened=["a.c"])

    def look_once(self, opened=True):
        """A session in which the source is in step. Where it is not opened, the server learns of it
        by itself, after the load that the first answer waits for."""
        with self.editor(opened=["a.c"] if opened else []) as editor:
            if opened:
                self.assert_shown(editor, SOURCE)
                return
            editor.client.request("workspace/symbol", {"query": "leaf"})
            self.wait_for_learnt_lines()
            self.wait_for_learnt_builds()

    def wait_for_learnt_lines(self):
        lines = pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "gprof-lsp" / "lines"
        for _ in range(1200):
            if list(lines.glob("*.lines")):
                return
            time.sleep(0.05)  # no message of the protocol tells of it
        self.fail(f"nothing is kept in {lines}")

    def change_source(self, *edits, seconds=10):
        """`seconds`: how much newer than the executable it is then."""
        text = edited(self.source.read_text(), *edits)
        self.write_source(text, seconds)
        return text

    def write_source(self, text, seconds=10):
        self.source.write_text(text)
        modified = self.workspace.path("program").stat().st_mtime_ns + seconds * SECOND
        os.utime(self.source, ns=(modified, modified))

    def shown(self, editor):
        hints = {line: text.split(" · ")[-1] for line, text in editor.hints("a.c").items()
                 if "→" in text}
        lenses = {line: titles[0].split(" · ")[0] for line, titles in editor.lenses("a.c").items()}
        return hints, lenses

    def assert_shown(self, editor, text, without=()):
        """All that the build knows stands on the lines of `text` where it belongs; but for what
        `without` names, of which nothing is shown."""
        lines = text.splitlines()
        expected = []
        for table in (HINTS, LENSES):
            expected.append({number: table[mark] for mark in table for number, line in
                             enumerate(lines, 1) if mark in line and mark not in without})
        hints, lenses = self.shown(editor)
        lenses.pop(next(number for number, line in enumerate(lines, 1) if "int main" in line))
        self.assertEqual((hints, lenses), tuple(expected))

    def assert_no_marks(self, editor):
        for titles in editor.lenses("a.c").values():
            self.assertNotIn("changed since the build", titles[0])
        line = self.line(self.source.read_text(), "int leaf(int x)")
        self.assertNotIn("changed since the build", editor.hover("a.c", line, "leaf"))

    @staticmethod
    def line(text, fragment):
        return next(number for number, line in enumerate(text.splitlines(), 1) if fragment in line)

    # The tests

    def test_edited_while_no_server_ran(self):
        self.look_once()
        text = self.change_source(*EDITS)
        with self.editor() as editor:
            self.assert_shown(editor, text, without=("/* five */",))
            hover = editor.hover("a.c", self.line(text, "int upper"), "upper")
            self.assertIn("changed since the build", hover)
            # What was measured of the line's old text is not shown.
            hover = editor.hover("a.c", self.line(text, "/* five */"), "x") or ""
            self.assertNotIn("35", hover)

    def test_edited_though_it_was_never_opened(self):
        self.look_once(opened=False)
        text = self.change_source(*EDITS)
        with self.editor() as editor:
            self.assert_shown(editor, text, without=("/* five */",))

    def test_time_set_back(self):
        self.look_once()
        text = self.change_source(*EDITS, seconds=-10)
        with self.editor() as editor:
            self.assert_shown(editor, text, without=("/* five */",))
        with self.forgetful_editor() as editor:
            if self.has_digest:
                self.assert_stale(editor, text)

    def assert_stale(self, editor, text):
        hints, lenses = self.shown(editor)
        self.assertEqual(hints, {})
        lines = text.splitlines()
        for number, title in lenses.items():
            # By its number alone: the name must still stand there.
            function = next(mark for mark in (*LENSES, "int main") if mark in lines[number - 1])
            if function in LENSES:
                self.assertEqual(title, LENSES[function])
            self.assertIn(STALE, editor.lenses("a.c")[number][0])

    def test_without_anything_known_it_is_stale(self):
        self.look_once()
        text = self.change_source(*EDITS[2:])
        with self.forgetful_editor() as editor:
            self.assert_stale(editor, text)
            self.assertEqual(len(editor.lenses("a.c")), 3, "main stands on another line")
            hover = editor.hover("a.c", self.line(text, "int leaf"), "leaf")
            self.assertIn("changed since the build", hover)
        self.change_source(("#include <stdio.h>\n", "#include <stdio.h>\n\n\n"))
        with self.forgetful_editor() as editor:
            self.assertEqual(self.shown(editor), ({}, {}))

    def test_restored(self):
        self.look_once()
        self.change_source(*EDITS)
        with self.editor() as editor:
            self.write_source(SOURCE, seconds=20)
            editor.edit("a.c", SOURCE)
            self.assert_shown(editor, SOURCE)
            self.assert_no_marks(editor)
        with self.editor() as editor:
            self.assert_shown(editor, SOURCE)
            self.assert_no_marks(editor)
        with self.forgetful_editor() as editor:
            if self.has_digest:
                self.assert_shown(editor, SOURCE)
                self.assert_no_marks(editor)
            else:
                self.assert_stale(editor, SOURCE)

    def test_unsaved_text_when_it_is_opened(self):
        unsaved = edited(SOURCE, *EDITS)
        with self.editor(opened=[]) as editor:
            editor.open("a.c", text=unsaved)
            self.assert_shown(editor, unsaved, without=("/* five */",))
            editor.edit("a.c", SOURCE)
            self.assert_shown(editor, SOURCE)
            self.assert_no_marks(editor)

    def test_edited_and_saved_in_the_session(self):
        with self.editor() as editor:
            self.assert_shown(editor, SOURCE)
            text = self.change_source(*EDITS)
            editor.edit("a.c", text)
            editor.save("a.c")
            self.assert_shown(editor, text, without=("/* five */",))
        with self.editor() as editor:
            self.assert_shown(editor, text, without=("/* five */",))

    def test_built_again_in_the_session(self):
        self.look_once()
        text = self.change_source(*EDITS, seconds=-1)
        with self.editor() as editor:
            self.assert_shown(editor, text, without=("/* five */",))
            again = edited(text, ("i < 7", "i < 8"))
            self.source.write_text(again)
            editor.edit("a.c", again)
            editor.save("a.c")
            self.build_and_run()
            editor.files_changed("program", "gmon.out")
            expected = self.line(again, "int upper")
            editor.wait_for_lens("a.c", expected, "8 calls")
            hints, lenses = self.shown(editor)
            self.assertEqual(hints, {self.line(again, "/* three */"): "→ leaf 120×",
                                     self.line(again, "/* five */"): "→ middle 40×",
                                     self.line(again, "/* seven */"): "→ upper 8×"})
            self.assertEqual(lenses[self.line(again, "int leaf")], "120 calls")
            self.assert_no_marks(editor)

    def test_built_again_to_the_same_program(self):
        self.look_once()
        text = self.change_source(("/* five */", "/* FIVE */"))
        with self.editor() as editor:
            self.assertNotIn(self.line(text, "/* FIVE */"), editor.hints("a.c"))
        self.source.write_text(text)
        self.build_and_run()
        with self.editor() as editor:
            self.assertEqual(editor.hints("a.c")[self.line(text, "/* FIVE */")].split(" · ")[-1],
                             "→ middle 35×")
            self.assert_no_marks(editor)

    def test_built_again_to_the_same_bytes(self):
        """As after a checkout there and back: the program is newer than its profile, and the same."""
        self.look_once(opened=False)
        program = self.workspace.path("program")
        modified = program.stat().st_mtime_ns + 20 * SECOND
        os.utime(program, ns=(modified, modified))
        with self.editor() as editor:
            self.assert_shown(editor, SOURCE)
            self.assertEqual([], editor.all_messages())
        # Who does not know it can only warn.
        with self.forgetful_editor() as editor:
            editor.wait_for_message("was rebuilt after this profile")
        # Another program in its place is not the same.
        self.source.write_text(SOURCE + "int more(int n) { return n + 1; }\n")
        self.workspace.build(("a.c",), self.flags, compiler=self.compiler)
        with self.editor() as editor:
            editor.wait_for(lambda: any("rebuilt" in one["message"] or "another build" in one["message"]
                                        for one in editor.messages), "a message")

    def wait_for_learnt_builds(self):
        builds = pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "gprof-lsp" / "builds"
        for _ in range(1200):
            if list(builds.glob("*.build")):
                return
            time.sleep(0.05)  # no message of the protocol tells of it
        self.fail(f"nothing is kept in {builds}")

    def test_two_servers_at_once(self):
        with self.editor() as first, self.editor() as second:
            for editor in (first, second):
                self.assert_shown(editor, SOURCE)
            text = self.change_source(*EDITS)
            first.edit("a.c", text)
            self.assert_shown(first, text, without=("/* five */",))
            self.assert_shown(second, SOURCE)
            with self.editor() as third:
                self.assert_shown(third, text, without=("/* five */",))

    def test_a_damaged_cache_is_none(self):
        self.look_once()
        lines = pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "gprof-lsp" / "lines"
        files = list(lines.glob("*.lines"))
        self.assertTrue(files)
        for file in files:
            data = bytearray(file.read_bytes())
            data[-1] ^= 1
            file.write_bytes(data)
        text = self.change_source(*EDITS)
        with self.editor() as editor:
            self.assert_stale(editor, text)

    def test_a_cache_that_cannot_be_written(self):
        blocked = self.folder / "blocked"
        blocked.write_text("a file stands where the directory should be\n")
        with self.editor({**self.environment, "XDG_CACHE_HOME": str(blocked)}) as editor:
            self.assert_shown(editor, SOURCE)
            self.assert_no_marks(editor)
        self.assertEqual(editor.messages, [])

    def test_a_relative_cache_home_does_not_count(self):
        home = self.folder / "home"
        home.mkdir()
        environment = {**self.environment, "XDG_CACHE_HOME": "cache", "HOME": str(home)}
        with self.editor(environment) as editor:
            self.assert_shown(editor, SOURCE)
        self.assertTrue(list((home / ".cache/gprof-lsp/lines").glob("*.lines")))
        self.assertEqual(list(self.workspace.directory.rglob("cache")), [])


class SourceChangesWithDigest(SourceChanges):
    """The compiler names the text that it compiled: time stamps say nothing then."""
    compiler = "clang"
    flags = ("-O0", "-gdwarf-5")
    has_digest = True

    def setUp(self):
        require("clang")
        super().setUp()

    def test_changed_before_the_first_session(self):
        text = self.change_source(*EDITS, seconds=-10)
        with self.editor() as editor:
            self.assert_stale(editor, text)

    def test_as_compiled_but_newer(self):
        self.write_source(SOURCE, seconds=100)
        with self.editor() as editor:
            self.assert_shown(editor, SOURCE)
            self.assert_no_marks(editor)
