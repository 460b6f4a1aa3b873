"""Programs whose call counts are known by construction: every annotation is right."""
import os
import shutil
import unittest

from editor import Editor
from made_up_recording import FIXED, remove_samples, replace_samples
from own_folders import fresh_folder
from profiled_program import Workspace, require, run

COUNTS = ("counts/main.c", "counts/work.c", "counts/shared.h")
COUNT_SOURCES = ("counts/main.c", "counts/work.c")


class Annotations(unittest.TestCase):
    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def workspace(self, *sources):
        return Workspace(self.directory, *sources)

    def check_counts(self, workspace, static=False):
        """What is true of the program `counts` however it was built without optimisation."""
        remove_samples(workspace.path("gmon.out"))
        line = workspace.line_of
        with Editor(workspace.directory, settings={"codeLens": {"threshold": 0}}) as editor:
            for name in COUNTS:
                editor.open(name)
            work = {k: v[0].split(" · ")[0] for k, v in editor.lenses("counts/work.c").items()}
            self.assertEqual(work, {
                line("counts/work.c", "int factorial"): "300 calls + 1,200 recursive",
                line("counts/work.c", "static int same_name"): "300 calls",
                line("counts/work.c", "int is_even(int n) {"): "6 calls",
                line("counts/work.c", "int is_odd(int n) {"): "5 calls",
                line("counts/work.c", "int work"): "1 call",
                line("counts/work.c", "never_called_here"): "never called",
            })
            main = {k: v[0].split(" · ")[0] for k, v in editor.lenses("counts/main.c").items()}
            self.assertEqual(main, {
                line("counts/main.c", "static int same_name"): "127 calls",
                line("counts/main.c", "int main"):
                    "1 call" if static else "called by the C library",
            })
            shared = editor.lenses("counts/shared.h")
            self.assertEqual(
                {k: v[0].split(" · ")[0] for k, v in shared.items()},
                {line("counts/shared.h", "int step"): "21.4k calls",
                 line("counts/shared.h", "int fifty_steps"): "427 calls"})
            self.assertIn("2 instances", shared[line("counts/shared.h", "int step")][0])
            for titles in (*shared.values(),):
                self.assertEqual(len(titles), 1, "one function, one lens")

            calls = {k: v.split(" · ")[-1] for k, v in editor.hints("counts/work.c").items()
                     if "→" in v}
            self.assertEqual(calls, {
                line("counts/work.c", "recursive call"): "→ factorial 1,200×",
                line("counts/work.c", "of work.c"): "→ fifty_steps 300×",
                line("counts/work.c", "is_odd(n - 1)"): "→ is_odd 5×",
                line("counts/work.c", "is_even(n - 1)"): "→ is_even 5×",
                line("counts/work.c", "+= same_name(i)"): "→ same_name 300×",
                line("counts/work.c", "factorial(5)"): "→ factorial 300×",
                line("counts/work.c", "is_even(10)"): "→ is_even 1×",
            })
            hints = editor.hints("counts/main.c")
            self.assertIn("→ same_name 7×", hints[line("counts/main.c", "pointer(i)")])
            self.assertIn("→ work 1×", hints[line("counts/main.c", "work(300)")])
            self.assertIn("→ step 21.4k×",
                          editor.hints("counts/shared.h")[line("counts/shared.h", "50 times")])
            self.check_navigation(workspace, editor)

    def check_navigation(self, workspace, editor):
        line = workspace.line_of
        hover = editor.hover("counts/shared.h", line("counts/shared.h", "int step"), "step")
        self.assertIn("21,350 calls", hover)
        _, callers, callees = editor.hierarchy(
            "counts/shared.h", line("counts/shared.h", "int fifty_steps"), "fifty_steps")
        in_work, in_main = line("counts/work.c", "of work.c"), line("counts/main.c", "of main.c")
        self.assertEqual(
            {k: (v[0].split(" · ")[0], v[1]) for k, v in callers.items()},
            {f"work.c:same_name (work.c:{in_work})": ("300 of 427 calls", [in_work]),
             f"main.c:same_name (main.c:{in_main})": ("127 of 427 calls", [in_main])})
        self.assertEqual(
            {k: (v[0].split(" · ")[0], v[1]) for k, v in callees.items()},
            {"shared.h:step": ("21.4k of 21.4k calls", [line("counts/shared.h", "50 times")])})
        # The two functions of one name, each at its own place.
        _, callers, _ = editor.hierarchy("counts/main.c", line("counts/main.c", "of main.c"),
                                         "same_name")
        self.assertEqual([(k, sorted(v[1])) for k, v in callers.items()],
                         [("main.c:main", [line("counts/main.c", "+= same_name(i)"),
                                           line("counts/main.c", "pointer(i)")])])
        # At a call, the function that is called.
        hover = editor.hover("counts/work.c", line("counts/work.c", "factorial(5)"), "factorial")
        self.assertIn("300 calls from other functions, 1,200 recursive calls", hover)

    def test_position_independent(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0", "-pie", "-fPIE"))
        self.check_counts(workspace)

    def test_fixed_position(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0", "-no-pie"))
        self.check_counts(workspace)

    def test_static(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0", "-static"))
        self.check_counts(workspace, static=True)

    def test_clang(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0",), compiler="clang")
        self.check_counts(workspace)

    def test_every_dwarf_version(self):
        for version in (2, 3, 4, 5):
            with self.subTest(version=version):
                workspace = self.workspace(*COUNTS)
                workspace.build_and_run(COUNT_SOURCES, ("-O0", f"-gdwarf-{version}", "-gz"))
                self.check_counts(workspace)

    def test_stripped_with_debug_link(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES)
        run(["objcopy", "--only-keep-debug", "program", "program.debug"], workspace.directory)
        run(["objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program"],
            workspace.directory)
        self.check_counts(workspace)

    def test_split_dwarf(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0", "-gsplit-dwarf"))
        self.check_counts(workspace)

    def test_split_dwarf_without_its_files(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES, ("-O0", "-gsplit-dwarf"))
        for file in workspace.directory.glob("*.dwo"):
            file.unlink()
        with Editor(workspace.directory, opened=["counts/work.c"]) as editor:
            # Lines and symbols are still there: the functions are found by them.
            titles = editor.lenses("counts/work.c")
            factorial = workspace.line_of("counts/work.c", "int factorial")
            self.assertTrue(titles[factorial][0].startswith("300 calls + 1,200 recursive"))
            warning = editor.client.wait_for_notification("window/showMessage")
            self.assertIn(".dwo", warning["message"])
            self.assertEqual(len(editor.all_messages()), 1)

    def test_moved_build_and_relative_paths(self):
        workspace = self.workspace(*COUNTS)
        workspace.build(COUNT_SOURCES, ("-O0", f"-fdebug-prefix-map={workspace.directory}=."))
        workspace.execute()
        moved = self.directory / "moved"
        moved.mkdir()
        for name in ("counts", "program", "gmon.out"):
            shutil.move(str(workspace.directory / name), moved / name)
        workspace.directory = moved
        self.check_counts(workspace)

    def test_path_map(self):
        workspace = self.workspace(*COUNTS)
        workspace.build(COUNT_SOURCES, ("-O0", f"-fdebug-prefix-map={workspace.directory}=/build/x"))
        workspace.execute()
        settings = {"programs": [{
            "executable": "program", "profiles": ["gmon.*"],
            "pathMap": [{"from": "/build/x", "to": str(workspace.directory)}]}],
            "codeLens": {"threshold": 0}}
        with Editor(workspace.directory, settings=settings, opened=["counts/work.c"]) as editor:
            self.assertEqual(len(editor.lenses("counts/work.c")), 6)

    def test_cpp(self):
        require("g++")
        name = "cpp/shapes.cpp"
        workspace = self.workspace(name)
        workspace.build_and_run((name,), ("-O0",), compiler="g++")
        line = workspace.line_of
        with Editor(workspace.directory, opened=[name]) as editor:
            lenses = {k: [t.split(" · ")[0] for t in v] for k, v in editor.lenses(name).items()}
            for fragment, expected in (
                    ("Square::area", "1,000 calls"), ("T grow", "42 calls"),
                    ("T twice", "3 calls"), ("overloaded(int x)", "5 calls"),
                    ("overloaded(double x)", "6 calls"), ("auto lambda", "77 calls"),
                    ("int hidden", "9 calls"), ("explicit Square", "1 call")):
                self.assertEqual(lenses[line(name, fragment)], [expected], fragment)
            hints = editor.hints(name)
            self.assertIn("→ Square::area 1,000×", hints[line(name, "shape.area()")])
            self.assertIn("→ Box::grow 30×", hints[line(name, "whole.grow")])
            self.assertIn("→ Box::grow 12×", hints[line(name, "real.grow")])
            self.assertIn("→ geometry::twice 3×", hints[line(name, "twice(4.5)")])
            hover = editor.hover(name, line(name, "overloaded(double x)"), "overloaded")
            self.assertIn("overloaded(double)", hover)

    def test_linkage_names_where_demangling_is_off(self):
        name = "cpp/shapes.cpp"
        workspace = self.workspace(name)
        workspace.build_and_run((name,), ("-O0",), compiler="g++")
        with Editor(workspace.directory, settings={"demangle": False}, opened=[name]) as editor:
            self.assertIn("→ _ZL10overloadedd 6×",
                          editor.hints(name)[workspace.line_of(name, "overloaded(1.5 * i)")])

    def test_inlined_functions_at_their_own_place(self):
        workspace = self.workspace()
        workspace.write("inline.h", """\
static inline unsigned mix(unsigned x) {
  for (int i = 0; i < 40; i++)
    x = x * 1664525u + 1013904223u; /* hot */
  return x;
}
""")
        workspace.write("inline.c", """\
#include <stdio.h>
#include "inline.h"
unsigned __attribute__((noinline)) user(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum ^= mix(sum + i);
  return sum;
}
int main(void) {
  unsigned total = 0;
  for (int i = 0; i < 1500; i++) total += user(6000u + (unsigned)i);
  printf("%u\\n", total);
  return 0;
}
""")
        workspace.build_and_run(("inline.c",), ("-O2", *FIXED))
        replace_samples(workspace, ((46, ("user", "/* hot */", "inline.h")), (2, ("user", "i < n")),
                                    (2, ("main", "user("))), "inline.c")
        with Editor(workspace.directory, opened=["inline.h", "inline.c"]) as editor:
            title = editor.lenses("inline.h")[1][0]
            self.assertRegex(title, r"^inlined in 1 place · self 0\.46 s \(92 %\)")
            self.assertRegex(editor.hints("inline.h")[3], r"0\.46 s 92")
            user = editor.lenses("inline.c")[3][0]
            self.assertRegex(user, r"^1,500 calls · self 0\.48 s \(96 %\) .* · #1 by self time$")

    def test_call_sites_that_share_a_slot(self):
        # At -O1 five-byte calls without arguments stand side by side: glibc's collector cannot
        # tell them apart when they call the same function.
        workspace = self.workspace()
        workspace.write("slots.c", """\
#include <stdio.h>
int counter;
void __attribute__((noinline)) bump(void) { counter++; }
void __attribute__((noinline)) other(void) { counter += 2; }
int main(void) {
  for (int i = 0; i < 10; i++) {
    bump();
    bump();
    other();
  }
  printf("%d\\n", counter);
  return 0;
}
""")
        workspace.build_and_run(("slots.c",), ("-O1", "-fno-pie", "-no-pie"))
        with Editor(workspace.directory, opened=["slots.c"]) as editor:
            hints = editor.hints("slots.c")
            self.assertEqual(hints[9], "→ other 10×")
            exact = {7: "→ bump 10×", 8: "→ bump 10×"}
            shared = {7: "→ bump ≈20× (lines 7, 8)", 8: "→ bump ≈20× (lines 7, 8)"}
            self.assertIn({k: hints[k] for k in (7, 8)}, (exact, shared))
            self.assertEqual(editor.lenses("slots.c")[3][0].split(" · ")[0], "20 calls")

    def test_code_that_counts_no_calls(self):
        workspace = self.workspace()
        workspace.write("plain.c", "int plain(int x) { return x + 1; }\n")
        workspace.write("main.c", "int plain(int x);\nint main(void) { return plain(-1); }\n")
        run(["gcc", "-g", "-O0", "-c", "plain.c"], workspace.directory)
        run(["gcc", "-g", "-O0", "-pg", "main.c", "plain.o", "-o", "program"], workspace.directory)
        workspace.execute()
        # A function that has a sample shows its time instead.
        remove_samples(workspace.path("gmon.out"))
        with Editor(workspace.directory, settings={"codeLens": {"threshold": 0}},
                    opened=["plain.c"]) as editor:
            self.assertEqual(editor.lenses("plain.c")[1],
                             ["calls not counted (built without -pg)"])

    def test_sources_that_changed_since_the_build_are_marked(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES)
        source = workspace.path("counts/work.c")
        factorial = workspace.line_of("counts/work.c", "int factorial")
        work = workspace.line_of("counts/work.c", "int work")
        text = source.read_text().replace("int work(int n)", "int other(int n)")
        source.write_text(text)
        later = workspace.path("program").stat().st_mtime + 10
        os.utime(source, (later, later))
        with Editor(workspace.directory, opened=["counts/work.c"]) as editor:
            lenses = editor.lenses("counts/work.c")
            self.assertIn("source changed since the build", lenses[factorial][0])
            # Where another function stands now, nothing is better than a wrong number.
            self.assertNotIn(work, lenses)
            self.assertNotIn(work + 3, editor.hints("counts/work.c"))
            self.assertIn("has changed since the build",
                          editor.hover("counts/work.c", factorial, "factorial"))

    def test_edits_move_annotations(self):
        workspace = self.workspace(*COUNTS)
        workspace.build_and_run(COUNT_SOURCES)
        line = workspace.line_of("counts/work.c", "int factorial")
        with Editor(workspace.directory, opened=["counts/work.c"]) as editor:
            before = editor.lenses("counts/work.c")
            start = {"line": 0, "character": 0}
            editor.client.notify("textDocument/didChange", {
                "textDocument": {"uri": editor.uri("counts/work.c"), "version": 2},
                "contentChanges": [{"range": {"start": start, "end": start}, "text": "\n\n"}]})
            after = editor.lenses("counts/work.c")
            self.assertEqual(after, {k + 2: v for k, v in before.items()})
            self.assertIn(line + 2, after)
