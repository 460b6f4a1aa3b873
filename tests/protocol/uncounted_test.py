"""Programs that count no calls, as those built without -pg: lenses, hovers, call sites, references and the call
hierarchy tell of measured times, by the stacks, and say once that calls are not counted."""
import shutil

import harness
from editor import Editor
from made_up_recording import FIXED, Sampled, write_recording
from measured_test import Recorded, seconds
from profiled_program import run

SOURCE = """\
static volatile unsigned long turned;
void spin(long rounds) {
  unsigned long value = turned;
  for (long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + 1;
  turned = value;
}
void work(long rounds) { spin(rounds); }
void cheap(void) {
  work(60000000); /* from cheap */
}
void dear(void) {
  work(10000000); /* the lesser */
  for (int i = 0; i < 10; i++) work(15000000); /* the greater */
}
void unused(void) { turned = 0; }
int main(int count, char** words) {
  cheap();
  dear(); /* of dear */
  if (count > 5) unused();
  return words == 0;
}
"""


# A sample in every million rounds.
LOOP = ("spin", "for (long i")
SAMPLED = [Sampled(count, (LOOP, ("work", "spin(rounds)"), (caller, fragment), ("main", f"  {caller}(")))
           for count, caller, fragment in ((150, "dear", "the greater"), (60, "cheap", "from cheap"),
                                           (10, "dear", "the lesser"))]


class Uncounted(Recorded):
    source = SOURCE

    def setUp(self):
        super().setUp()
        self.build_uncounted(self.workspace.directory)

    def build_uncounted(self, directory):
        # What is linked with -pg is sampled by every collector, and counts no calls all the same.
        run(["gcc", "-g", *self.flags, *FIXED, "-c", "work.c"], directory)
        run(["gcc", "-pg", *FIXED, "-Wl,--build-id", "work.o", "-o", "program"], directory)

    def place(self, editor, fragment, word):
        line = self.line(fragment)
        text = SOURCE.splitlines()[line - 1]
        return {"textDocument": {"uri": editor.uri("work.c")},
                "position": {"line": line - 1, "character": text.index(word)}}

    def calls_of(self, editor, fragment, word, direction):
        answer = editor.client.request("gprof/callSites", {
            **self.place(editor, fragment, word), "direction": direction})
        self.assertEqual("measured", answer["basis"])
        self.assertEqual({0}, {site["calls"] for site in answer["sites"]})
        times = [site["seconds"] for site in answer["sites"]]
        self.assertEqual(sorted(times, reverse=True), times)
        return [(site["name"], site["range"]["start"]["line"] + 1) for site in answer["sites"]]

    def test_what_is_told_of_them(self):
        write_recording(self.workspace, SAMPLED)
        with Editor(self.workspace.directory) as editor:
            editor.open("work.c")
            lenses = editor.lenses("work.c")
            for titles in lenses.values():
                self.assertNotIn("call", titles[0])
            self.assertRegex(self.lens(editor, "void dear"),
                             r"^self < 3 ms · total 0\.16 s \(73 %\) measured$")
            self.assertRegex(self.lens(editor, "void spin"), r"^self .* \(\d+ %\) · total .* \(\d+ %\)( measured)? · #1$")
            self.assertNotIn(self.line("void unused"), lenses)

            greater, lesser, from_cheap = (
                self.line(text) for text in ("the greater", "the lesser", "from cheap"))
            called_from = [("dear", greater), ("cheap", from_cheap), ("dear", lesser)]
            self.assertEqual(called_from, self.calls_of(editor, "void work", "work", "callers"))
            # The word of a call is the function that is called.
            self.assertEqual(called_from, self.calls_of(editor, "the greater", "work", "callers"))
            self.assertEqual([("dear", self.line("of dear")), ("cheap", self.line("cheap();"))],
                             self.calls_of(editor, "int main", "main", "callees"))

            place = self.place(editor, "void work", "work")
            references = editor.client.request("textDocument/references", {
                **place, "context": {"includeDeclaration": False}})
            self.assertEqual([line for _, line in called_from],
                             [found["range"]["start"]["line"] + 1 for found in references])

            hover = editor.hover("work.c", self.line("void work"), "work")
            self.assertEqual(1, hover.count("Calls are not counted: that needs -pg."))
            self.assertNotIn("Calls (", hover)
            self.assertIn("Time, from stacks", hover)
            line = editor.hover("work.c", greater, "for")
            self.assertRegex(line, r"work.*\d\.\d+ m?s")
            self.assertNotIn("Calls |", line)

            self.hierarchy(editor, place, [greater, lesser])

    def hierarchy(self, editor, place, from_dear):
        item, = editor.client.request("textDocument/prepareCallHierarchy", place)
        dear, cheap = editor.client.request("callHierarchy/incomingCalls", {"item": item})
        self.assertEqual(["dear", "cheap"], [dear["from"]["name"], cheap["from"]["name"]])
        self.assertRegex(dear["from"]["detail"], r"^\d\.\d+ s \(\d+ %\) measured$")
        self.assertEqual(from_dear, [found["start"]["line"] + 1 for found in dear["fromRanges"]])
        spin, = editor.client.request("callHierarchy/outgoingCalls", {"item": item})
        self.assertEqual("spin", spin["to"]["name"])
        self.assertEqual([self.line("void work")],
                         [found["start"]["line"] + 1 for found in spin["fromRanges"]])
        self.assertLess(seconds(cheap["from"]["detail"]), seconds(dear["from"]["detail"]))

    def test_the_build_that_was_run_is_found_among_others(self):
        self.require_collector()
        run([harness.SERVER, "record", "--stacks", "--", "./program"], self.workspace.directory)
        # Of the same text, and newer: the build-id tells them apart.
        other = self.workspace.path("other/program")
        self.workspace.write("other/work.c", SOURCE.replace("15000000", "15000001"))
        self.build_uncounted(other.parent)
        shutil.copy2(self.workspace.path("gmon.out"), other.parent)
        shutil.copy2(self.workspace.path("gmon.out.gpx"), other.parent)
        with Editor(self.workspace.directory) as editor:
            programs = editor.client.request("gprof/programs", {})["programs"]
            self.assertEqual([str(self.workspace.path("program"))], [p["executable"] for p in programs])
        # In a workspace without executables, the one that was run is found where it was run.
        runs = self.workspace.path("runs")
        runs.mkdir()
        for name in ("gmon.out", "gmon.out.gpx"):
            shutil.move(other.parent / name, runs)
        with Editor(runs) as editor:
            programs = editor.client.request("gprof/programs", {})["programs"]
            self.assertEqual([str(self.workspace.path("program"))], [p["executable"] for p in programs])
