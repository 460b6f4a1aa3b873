"""gprof/callSites: every profiled call in one entry, on the line that calls; held against counts that
are known by construction, against gprof's arcs, and against stacks."""
import shutil

import harness
from extension_support import COUNT_SOURCES, COUNTS, INVALID_PARAMS, Editor, Programs, Workspace
from known_profile import KnownProfile
from made_up_recording import FIXED, Called, Sampled, write_recording
from profiled_program import run

TEMPLATES = """\
template <typename T> struct box {
  T value;
  void grow(T by);
};
static int twice(int x) { return 2 * x; }
template <typename T> void box<T>::grow(T by) {
  value += by + twice(1); /* in the template */
}
int main() {
  box<int> a{1};
  box<long> b{1};
  for (int i = 0; i < 7; i++) a.grow(1); /* of int */
  for (int i = 0; i < 5; i++) b.grow(1); /* of long */
  return (a.value + b.value) & 1;
}
"""

SLOTS = """\
int counter;
void __attribute__((noinline)) bump(void) { counter++; }
int main(void) {
  for (int i = 0; i < 10; i++) {
    bump();
    bump();
  }
  return 0;
}
"""

THROUGH = """\
#include <stdlib.h>
int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(void) {
  int values[100];
  for (int i = 0; i < 100; i++) values[i] = i * 37 % 101;
  qsort(values, 100, sizeof *values, compare); /* sorts */
  return values[0];
}
"""

MEASURED = """\
static volatile unsigned long turned;
void __attribute__((noinline)) spin(long rounds) {
  unsigned long value = turned;
  for (long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + 1;
  turned = value;
}
int main(void) {
  for (int i = 0; i < 900; i++) spin(10); /* cheap */
  for (int i = 0; i < 10; i++) spin(30000000); /* dear */
  return 0;
}
"""


class CallSites(Programs):
    def setUp(self):
        self.folder = self.counted.directory.parent / self.id().rsplit(".", 1)[-1]
        self.folder.mkdir()
        self.addCleanup(shutil.rmtree, self.folder)

    def sites(self, editor, name, fragment, word, direction="callers"):
        workspace = Workspace(editor.workspace)
        place = editor.place(name, workspace.line_of(name, fragment), word)
        answer = self.ask(editor, "gprof/callSites", {**place, "direction": direction})
        self.assertFalse(answer["truncated"])
        return answer, answer["sites"]

    def lines(self, sites):
        """(name, line, the word there, calls) of each."""
        rows = []
        for site in sites:
            line = word = None
            if "uri" in site:
                span = site["range"]
                line = span["start"]["line"] + 1
                with open(site["uri"].removeprefix("file://"), encoding="utf-8") as file:
                    text = file.read().splitlines()[line - 1]
                word = text[span["start"]["character"]:span["end"]["character"]]
            rows.append((site["name"], line, word, site["calls"]))
        return rows

    def test_every_line_of_every_caller_hottest_first(self):
        workspace = KnownProfile(self.folder).make()
        line = workspace.line_of
        with Editor(workspace.directory) as editor:
            answer, sites = self.sites(editor, "hot.c", "int leaf", "leaf")
            self.assertEqual(("leaf", "program", "estimated", "seconds", 1.0),
                             tuple(answer[key] for key in ("name", "program", "basis", "unit",
                                                           "programSeconds")))
            self.assertEqual([("middle", line("hot.c", "most calls"), "leaf", 15000),
                              ("main", line("hot.c", "calls leaf"), "leaf", 10000),
                              ("middle", line("hot.c", "some calls"), "leaf", 5000)],
                             self.lines(sites))
            # 0.60 s in 30,000 calls: by their numbers, as gprof has it. The error is √60 of 60 samples.
            for site, seconds in zip(sites, (0.3, 0.2, 0.1)):
                self.assertAlmostEqual(seconds, site["seconds"], places=9)
                self.assertAlmostEqual(seconds / 60 ** 0.5, site["error"], places=9)
                self.assertNotIn("approximate", site)
                self.assertNotIn("alternatives", site)
                self.assertNotIn("recursive", site)
            self.assertEqual(line("hot.c", "int middle") - 1,
                             sites[0]["definition"]["range"]["start"]["line"])
            # The same from a call of it.
            self.assertEqual(sites, self.sites(editor, "hot.c", "calls leaf", "leaf")[1])

    def test_callees_are_at_the_lines_that_call_them(self):
        workspace = KnownProfile(self.folder).make()
        line = workspace.line_of
        with Editor(workspace.directory) as editor:
            answer, sites = self.sites(editor, "hot.c", "int main", "main", "callees")
            self.assertEqual("main", answer["name"])
            self.assertEqual([("middle", line("hot.c", "calls middle"), "middle", 100),
                              ("leaf", line("hot.c", "calls leaf"), "leaf", 10000)],
                             self.lines(sites))
            self.assertAlmostEqual(0.76, sites[0]["seconds"], places=9)
            self.assertEqual(line("hot.c", "int leaf") - 1,
                             sites[1]["definition"]["range"]["start"]["line"])
            _, sites = self.sites(editor, "hot.c", "int leaf", "leaf", "callees")
            self.assertEqual([], sites)

    def test_sites_of_a_caller_add_up_to_its_arc(self):
        with Editor(self.counted.directory) as editor:
            for name, fragment, word in (
                    ("counts/shared.h", "int step", "step"), ("counts/work.c", "int factorial", "factorial"),
                    ("counts/work.c", "int is_odd(int n) {", "is_odd"), ("counts/main.c", "of main.c", "same_name"),
                    ("counts/shared.h", "int fifty_steps", "fifty_steps")):
                with self.subTest(word):
                    place = editor.place(name, self.counted.line_of(name, fragment), word)
                    graph = self.ask(editor, "gprof/callGraph", {**place, "depth": 1, "direction": "callers"})
                    names = {node["id"]: node["name"] for node in graph["nodes"]}
                    arcs = {}
                    for arc in graph["arcs"]:
                        caller = names[arc["from"]]
                        arcs[caller] = arcs.get(caller, 0) + arc["calls"]
                    _, sites = self.sites(editor, name, fragment, word)
                    sums = {}
                    for site in sites:
                        if not site.get("recursive"):
                            sums[site["name"]] = sums.get(site["name"], 0) + site["calls"]
                    self.assertEqual(arcs, sums)

    def test_recursion_is_last_and_has_no_time(self):
        line = self.counted.line_of
        with Editor(self.counted.directory) as editor:
            _, sites = self.sites(editor, "counts/work.c", "int factorial", "factorial")
            self.assertEqual([("work", line("counts/work.c", "factorial(5)"), "factorial", 300),
                              ("factorial", line("counts/work.c", "recursive call"), "factorial", 1200)],
                             self.lines(sites))
            self.assertEqual([False, True], [site.get("recursive", False) for site in sites])
            self.assertNotIn("seconds", sites[1])
            _, sites = self.sites(editor, "counts/work.c", "int factorial", "factorial", "callees")
            self.assertEqual([("factorial", line("counts/work.c", "recursive call"), "factorial", 1200)],
                             self.lines(sites))

    def test_members_of_a_cycle_hand_each_other_no_time(self):
        with Editor(self.burning.directory) as editor:
            answer, sites = self.sites(editor, "counts/burn.c", " ping(int n) {", "ping")
            self.assertEqual("estimated", answer["basis"])
            from_cycle = [site for site in sites if site["name"] == "pong"]
            self.assertEqual(1, len(from_cycle))
            self.assertNotIn("seconds", from_cycle[0])
            self.assertTrue(all("seconds" in site for site in sites if site["name"] == "main"))

    def test_copies_of_a_static_function(self):
        with Editor(self.counted.directory) as editor:
            _, sites = self.sites(editor, "counts/shared.h", "int step", "step")
            # One line in a header, compiled twice.
            self.assertEqual([("fifty_steps", self.counted.line_of("counts/shared.h", "50 times"),
                               "step", 21350)], self.lines(sites))

    def test_instances_of_a_template(self):
        workspace = Workspace(self.folder)
        workspace.write("box.cc", TEMPLATES)
        workspace.build_and_run(("box.cc",), compiler="g++")
        line = workspace.line_of
        with Editor(self.folder) as editor:
            _, sites = self.sites(editor, "box.cc", "int twice", "twice")
            self.assertEqual([("box::grow", line("box.cc", "in the template"), "twice", 12)],
                             self.lines(sites))
            answer, sites = self.sites(editor, "box.cc", "::grow", "grow")
            self.assertEqual("box::grow", answer["name"])
            self.assertEqual([("main", line("box.cc", "of int"), "grow", 7),
                              ("main", line("box.cc", "of long"), "grow", 5)], self.lines(sites))
            _, sites = self.sites(editor, "box.cc", "int main", "main", "callees")
            self.assertEqual([("box<int>::grow", line("box.cc", "of int"), "grow", 7),
                              ("box<long>::grow", line("box.cc", "of long"), "grow", 5)],
                             self.lines(sites))

    def test_lines_that_the_collector_does_not_tell_apart(self):
        workspace = Workspace(self.folder)
        workspace.write("slots.c", SLOTS)
        workspace.build_and_run(("slots.c",), ("-O1", "-fno-pie", "-no-pie"))
        with Editor(self.folder) as editor:
            _, sites = self.sites(editor, "slots.c", "void __attribute__", "bump")
            self.assertEqual(20, sum(site["calls"] for site in sites))
            starts = [site["range"]["start"]["line"] + 1 for site in sites]
            if len(sites) == 2:  # Where the code happens to lie so.
                self.assertEqual([5, 6], starts)
                self.assertFalse(any(site.get("approximate") for site in sites))
            else:
                self.assertEqual([5], starts)
                self.assertTrue(sites[0]["approximate"])
                self.assertEqual([6], [line["range"]["start"]["line"] + 1
                                       for line in sites[0]["alternatives"]])

    def test_calls_that_no_line_shows(self):
        workspace = Workspace(self.folder)
        workspace.write("work.c", "int work(int x) { return x + 1; }\n")
        workspace.write("bare.c", "int work(int x);\nint bare(void) {\n"
                        "  return work(1) +\n    work(2);\n}\n")
        workspace.write("gone.c", "int work(int x);\nint gone(void) { return work(1); }\n")
        workspace.write("main.c", "int work(int x);\nint bare(void);\nint gone(void);\n"
                        "int main(void) {\n  int x = work(0); /* first */\n"
                        "  for (int i = 0; i < 3; i++) x += work(i); /* second */\n"
                        "  return (bare() + gone() + x) & 1;\n}\n")
        run(["gcc", "-pg", "-O0", "-c", "bare.c"], self.folder)
        workspace.build_and_run(("main.c", "work.c", "gone.c", "bare.o"))
        workspace.path("gone.c").unlink()
        with Editor(self.folder, opened=["main.c"]) as editor:
            _, sites = self.sites(editor, "work.c", "int work", "work")
            by_name = {}
            for site in sites:
                by_name.setdefault(site["name"], []).append(site)
            # Without debug information, and without the source.
            self.assertEqual({"name": "bare", "calls": 2}, without_times(by_name["bare"]))
            self.assertEqual({"name": "gone", "calls": 1}, without_times(by_name["gone"]))
            self.assertEqual({5, 6}, {site["range"]["start"]["line"] + 1 for site in by_name["main"]})
            # A line that is no longer what was compiled shows no calls; where the caller is stays known.
            text = workspace.path("main.c").read_text()
            editor.edit("main.c", text.replace("x += work(i)", "x -= work(i)"))
            _, sites = self.sites(editor, "work.c", "int work", "work")
            mains = [site for site in sites if site["name"] == "main"]
            self.assertEqual([(None, 3), (5, 1)],
                             [(site["range"]["start"]["line"] + 1 if "range" in site else None,
                               site["calls"]) for site in mains])
            self.assertEqual(3, mains[0]["definition"]["range"]["start"]["line"])
            # What stands below an edit moves with it.
            editor.edit("main.c", "\n\n" + text)
            _, sites = self.sites(editor, "work.c", "int work", "work")
            self.assertEqual({7, 8}, {site["range"]["start"]["line"] + 1 for site in sites
                                      if site["name"] == "main"})

    def test_callers_that_count_no_calls(self):
        workspace = Workspace(self.folder)
        workspace.write("work.c", "int work(int x) { return x + 1; }\n")
        workspace.write("main.c", "int work(int x);\nint main(void) { return work(-1); }\n")
        run(["gcc", "-g", "-O0", "-c", "main.c"], self.folder)
        workspace.build_and_run(("work.c", "main.o"))
        with Editor(self.folder) as editor:
            _, sites = self.sites(editor, "work.c", "int work", "work")
            self.assertEqual([("main", 2, "work", 1)], self.lines(sites))

    def build(self, text):
        workspace = Workspace(self.folder)
        workspace.write("work.c", text)
        workspace.build(("work.c",), ("-O1", *FIXED))
        return workspace

    def test_calls_through_code_that_is_not_profiled(self):
        harness.ProtocolTest.require_collector(self)
        workspace = self.build(THROUGH)
        run([harness.SERVER, "record", "--", "./program"], self.folder)
        with Editor(self.folder) as editor:
            _, sites = self.sites(editor, "work.c", "int compare", "compare")
            # qsort, or the function of libc that does its work.
            self.assertEqual([("main", workspace.line_of("work.c", "sorts"), "qsort")],
                             [(site["name"], site["range"]["start"]["line"] + 1, site["through"][:5])
                              for site in sites])
            self.assertGreater(sites[0]["calls"], 99)

    def test_times_of_the_very_calls(self):
        workspace = self.build(MEASURED)
        line = workspace.line_of
        loop, cheap, dear = ("spin", "for (long i"), ("main", "cheap"), ("main", "dear")
        write_recording(workspace, [Sampled(300, (loop, dear)), Sampled(2, (loop, cheap)), Sampled(1, (cheap,))],
                        [Called(900, cheap, "spin"), Called(10, dear, "spin")])
        with Editor(self.folder) as editor:
            answer, sites = self.sites(editor, "work.c", "spin(long rounds)", "spin")
            self.assertEqual("measured", answer["basis"])
            # gprof, which knows counts alone, would give nearly all of it to the 900 calls.
            self.assertEqual([("main", line("work.c", "dear"), "spin", 10),
                              ("main", line("work.c", "cheap"), "spin", 900)], self.lines(sites))
            self.assertEqual([0.3, 0.002], [round(site["seconds"], 9) for site in sites])
            self.assertAlmostEqual(0.303, answer["programSeconds"], places=9)
            # Of n samples the square root of n, and what the clock itself leaves open.
            self.assertGreater(sites[0]["error"], 0.999 * (sites[0]["seconds"] / 1000) ** 0.5)
            self.assertLess(sites[0]["error"], sites[0]["seconds"] / 2)

    def test_nothing_there(self):
        workspace = Workspace(self.folder, *COUNTS)
        workspace.build_and_run(COUNT_SOURCES)
        workspace.write("other.c", "int x;\n")
        with Editor(self.folder) as editor:
            here = {"textDocument": {"uri": editor.uri("other.c")},
                    "position": {"line": 0, "character": 4}}
            answer = self.ask(editor, "gprof/callSites", {**here, "direction": "callers"})
            self.assertEqual(("", []), (answer["program"], answer["sites"]))
            here["textDocument"]["uri"] = editor.uri("counts/main.c")
            answer = self.ask(editor, "gprof/callSites", {**here, "direction": "callers"})
            self.assertEqual(("program", []), (answer["program"], answer["sites"]))
            self.assertNotIn("name", answer)
            for wrong in ({}, {"direction": "both"}):
                error = self.ask(editor, "gprof/callSites", {**here, **wrong}, refused=True)
                self.assertEqual(INVALID_PARAMS, error.code)


def without_times(sites):
    site, = sites
    return {key: value for key, value in site.items() if key not in ("seconds", "error")}
