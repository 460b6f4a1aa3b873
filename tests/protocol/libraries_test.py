"""Time in libraries: rows for their functions, what hovers say of it, and that sums hold.

Functions of the C library are known by the names they are imported under. What the tests expect of
symbols is of a library of their own, as the C library's may be stripped or not."""
import csv
import io
import json
import os
import re
import subprocess
import unittest

from editor import Editor
from made_up_recording import FIXED, Called, Sampled, write_recording
from own_folders import fresh_folder
from profiled_program import FLAT_ROW, Workspace, require, run
from tested_build import skip_without_collector

PROGRAM = """\
#include <math.h>
#include <stdio.h>
#include <string.h>
unsigned long exported(unsigned long rounds);
unsigned long callback(unsigned long (*own)(unsigned long));
static char text[64], from[1 << 16], to[1 << 16];
double waves(int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds; i++) sum += sin(0.001 * i); /* calls sin */
  return sum;
}
int prints(int rounds) {
  int length = 0;
  for (int i = 0; i < rounds; i++)
    length += snprintf(text, sizeof text, "%d of %f", i, 0.37 * i); /* calls snprintf */
  return length;
}
void copies(int rounds) {
  for (int i = 0; i < rounds; i++) {
    memcpy(to, from, sizeof to); /* calls memcpy */
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
  }
}
unsigned long own(unsigned long value) {
  for (int i = 0; i < 60000000; i++) value = value * 6364136223846793005ul + 1;
  return value;
}
int main(void) {
  double sum = waves(ROUNDS * 200) + prints(ROUNDS * 8);
  copies(ROUNDS);
  unsigned long turned = exported(150000000) + callback(own); /* calls exported */
  return sum + turned == 1;
}
"""
LIBRARY = """\
static unsigned long __attribute__((noinline)) hidden(unsigned long rounds) {
  unsigned long value = rounds;
  while (rounds--) value = value * 6364136223846793005ul + 1;
  return value;
}
unsigned long exported(unsigned long rounds) {
  unsigned long value = rounds;
  for (unsigned long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + 1;
  return value + 3 * hidden(rounds);
}
unsigned long callback(unsigned long (*own)(unsigned long)) { return own(7) + 1; }
"""


class Libraries(unittest.TestCase):
    stacks = ()

    def setUp(self):
        skip_without_collector()
        self.workspace = Workspace(fresh_folder(self.addCleanup))
        self.workspace.write("work.c", PROGRAM)
        self.workspace.write("library.c", LIBRARY)
        self.build_library()
        self.build_program()

    def build_program(self, *flags):
        self.workspace.build(("work.c", "-L.", "-lwork", "-Wl,-rpath,$ORIGIN", "-lm"),
                             ("-O1", "-fno-builtin", "-fno-inline", "-DROUNDS=50000", *flags))

    def build_library(self, *flags):
        require("gcc")
        run(["gcc", "-O1", "-shared", "-fPIC", *flags, "library.c", "-o", "libwork.so"],
            self.workspace.directory)

    def server(self, *words):
        done = subprocess.run([os.environ["GPROF_LSP_SERVER"], *words], capture_output=True,
                              cwd=self.workspace.directory, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def record(self):
        self.server("record", "--rate=1000", *self.stacks, "--", "./program")

    def ask(self, method, **parameters):
        with Editor(self.workspace.directory) as editor:
            return editor.client.request(method, parameters)

    def hover(self, fragment, name):
        with Editor(self.workspace.directory) as editor:
            editor.open("work.c")
            text = editor.hover("work.c", self.workspace.line_of("work.c", fragment), name)
            return text.replace("\\", "")

    def functions(self):
        """(library, function) -> row of the flat profile."""
        return {(row.get("module"), row.get("function")): row
                for row in self.ask("gprof/flatProfile")["others"]}

    def check_sums(self):
        answer = self.ask("gprof/flatProfile")
        rows = sum(row["selfSeconds"] for row in answer["rows"])
        others = sum(row["seconds"] for row in answer["others"])
        self.assertAlmostEqual(answer["sampledSeconds"], rows + others)
        shares = [row["percent"] for row in answer["rows"]]
        shares += [row["percent"] for row in answer["others"] if "percent" in row]
        self.assertAlmostEqual(100, sum(shares))
        return answer


class WithStacks(Libraries):
    def test_functions_have_rows_with_totals(self):
        self.record()
        answer = self.check_sums()
        rows = self.functions()
        exported = rows["libwork.so", "exported"]
        hidden = rows["libwork.so", "hidden"]
        self.assertEqual("exported [libwork.so]", exported["name"])
        self.assertEqual("module", exported["kind"])
        self.assertGreater(exported["seconds"], 0.02)
        # It does what exported itself does, and is called by it.
        self.assertAlmostEqual(exported["totalSeconds"], exported["seconds"] + hidden["seconds"],
                               delta=0.1 * exported["totalSeconds"])
        self.assertAlmostEqual(hidden["seconds"], hidden["totalSeconds"])
        self.assertGreater(exported["totalError"], exported["error"])
        # Nothing else of that library has samples to speak of.
        self.assertLess(rows.get(("libwork.so", None), {"seconds": 0})["seconds"], 0.02)
        libraries = sum(row["seconds"] for row in answer["others"] if row["kind"] == "module")
        self.assertGreater(libraries, 0.5 * answer["programSeconds"])

    def test_a_stripped_library_has_exported_functions_alone(self):
        self.build_library("-s")
        self.record()
        self.check_sums()
        rows = self.functions()
        self.assertIn(("libwork.so", "exported"), rows)
        self.assertNotIn(("libwork.so", "hidden"), rows)
        # What hidden took is the library's, and no neighbour's.
        self.assertGreater(rows["libwork.so", None]["seconds"], 0.02)
        self.assertEqual("[libwork.so]", rows["libwork.so", None]["name"])
        self.assertNotIn("totalSeconds", rows["libwork.so", None])

    def test_a_rebuilt_library_has_no_names(self):
        self.record()
        self.build_library("-DANOTHER", "-O2")
        self.check_sums()
        rows = self.functions()
        self.assertNotIn(("libwork.so", "exported"), rows)
        self.assertIn(("libwork.so", None), rows)

    def test_flames_show_how_a_library_calls_itself_and_back(self):
        self.record()
        root = self.ask("gprof/flameGraph")["root"]

        def child(node, name):
            return next(node for node in node["children"] if node["name"] == name)

        def find(node):
            if node["name"] == "main":
                return node
            return next(filter(None, map(find, node["children"])), None)
        main = find(root)
        exported = child(main, "exported")
        self.assertEqual("libwork.so", exported["module"])
        self.assertNotIn("uri", exported)
        self.assertEqual("libwork.so", child(exported, "hidden")["module"])
        own = child(child(main, "callback"), "own")
        self.assertNotIn("module", own)
        self.assertIn("uri", own)

    def test_hovers_name_what_was_called(self):
        self.record()
        time = r"\d+(\.\d+)? m?s"
        for function, fragment, word, library in (
                ("waves", "calls sin", "sum", "sin of libm"),
                ("prints", "calls snprintf", "length", "snprintf of libc"),
                ("copies", "calls memcpy", "to", "memcpy of libc")):
            hover = self.hover(f"{function}(int rounds)", function)
            self.assertRegex(hover, rf"Of the total, {time} \(\d+(\.\d+)? %\) is in {library}")
            line = self.hover(fragment, word)
            self.assertRegex(line, rf"Of that, {time} is in {library}")

    def test_hovers_leave_out_what_a_library_calls_back(self):
        # A real run may also have samples in the loader, which binds the functions that main calls.
        self.build_library("-g", "-Wl,--build-id=none")
        self.build_program(*FIXED)
        called = ("main", "calls exported")
        write_recording(self.workspace, [
            Sampled(120, (("exported", "for (unsigned long i"), called)),
            Sampled(80, (("hidden", "while (rounds--)"), ("exported", "hidden(rounds)"), called)),
            Sampled(60, (("own", "i < 60000000"), ("callback", "own(7)"), called)),
            Sampled(40, (("waves", "calls sin"), ("main", "waves(")))],
            [Called(1, ("main", "waves("), "waves")], libraries=[("libwork.so", "library.c")])
        self.assertIn("Of the total, 0.20 s (67 %) is in exported of libwork.\n", self.hover("int main", "main"))

    def test_functions_of_libraries_lead_to_their_callers(self):
        # Made-up samples, so that every figure is known. exported called hidden, and own was called back.
        self.build_library("-g", "-Wl,--build-id=none")
        self.build_program(*FIXED)
        called, back = ("main", "calls exported"), ("own", "i < 60000000")
        write_recording(self.workspace, [
            Sampled(120, (("exported", "for (unsigned long i"), called)),
            Sampled(80, (("hidden", "while (rounds--)"), ("exported", "hidden(rounds)"), called)),
            Sampled(60, (back, ("callback", "own(7)"), called)),
            Sampled(40, (("waves", "calls sin"), ("main", "waves(")))],
            [Called(1, ("main", "waves("), "waves")], libraries=[("libwork.so", "library.c")])
        line = self.workspace.line_of("work.c", "calls exported")
        callers = {"direction": "callers"}
        with Editor(self.workspace.directory) as editor:
            def ask(method, **parameters):
                return editor.client.request(method, parameters)

            def told(answer):
                return [(site["name"], site["range"]["start"]["line"] + 1, site.get("through"), site["calls"],
                         round(site["seconds"], 6)) for site in answer["sites"]]
            hidden = ask("gprof/callSites", symbol="hidden [libwork.so]", **callers)
            self.assertEqual("hidden [libwork.so]", hidden["name"])
            self.assertEqual(("program", "measured"), (hidden["program"], hidden["basis"]))
            rate = 1 / hidden["sampleSeconds"]
            self.assertEqual([("main", line, "exported", 0, 80 / rate)], told(hidden))
            self.assertAlmostEqual(80, hidden["seconds"] * rate)
            exported = ask("gprof/callSites", symbol="exported [libwork.so]", **callers)
            self.assertEqual([("main", line, None, 0, 200 / rate)], told(exported))
            # By its name in the source, too.
            editor.open("work.c")
            at_name = ask("gprof/callSites", **editor.place("work.c", line, "exported"), **callers)
            self.assertEqual(exported, at_name)
            around = ask("gprof/callSites", **editor.place("work.c", line, "turned"), **callers)
            self.assertEqual("main", around["name"])
            # What a library calls is not known.
            nothing = ask("gprof/callSites", symbol="exported [libwork.so]", direction="callees")
            self.assertEqual(([], None), (nothing["sites"], nothing.get("name")))
            # A function of the program by its name.
            own = ask("gprof/callSites", symbol="own", **callers)
            self.assertEqual([("main", line, 60 / rate)], [site[:2] + site[4:] for site in told(own)])
            graph = ask("gprof/callGraph", symbol="hidden [libwork.so]", depth=1, direction="callers")
            names = {node["id"]: node["name"] for node in graph["nodes"]}
            self.assertEqual("hidden [libwork.so]", names[graph["root"]])
            arc, = graph["arcs"]
            self.assertEqual(("main", graph["root"], line), (
                names[arc["from"]], arc["to"], arc["sites"][0]["range"]["start"]["line"] + 1))
            self.assertAlmostEqual(80, arc["selfSeconds"] * rate)
            spots = ask("gprof/hotSpots")["spots"]
            self.assertEqual([("exported [libwork.so]", "libwork.so", line, 1), ("hidden [libwork.so]", "libwork.so", line, 2),
                              ("own", None, None, 3), ("waves", None, None, 4)],
                             [(spot["name"], spot.get("module"),
                               spot["callSite"]["range"]["start"]["line"] + 1 if "callSite" in spot else None,
                               spot["rank"]) for spot in spots])
            # The rank on the lens is that of the list.
            lens, = editor.lenses("work.c")[self.workspace.line_of("work.c", "unsigned long own(")]
            self.assertIn("#3", lens)

    def test_exports_have_them(self):
        self.record()
        document = json.loads(self.server("export", "--format=json", "program", "gmon.out"))
        functions = {function["name"]: function for function in document["functions"]}
        self.assertEqual("libwork.so", functions["exported"]["module"])
        self.assertEqual("exported", functions["exported"]["linkageName"])
        self.assertAlmostEqual(document["total"], sum(f["self"] for f in document["functions"]))
        arcs = {(arc["caller"], arc["callee"]): arc for arc in document["arcs"]}
        inner = arcs[functions["exported"]["id"], functions["hidden"]["id"]]
        self.assertAlmostEqual(functions["hidden"]["total"], inner["time"])
        self.assertAlmostEqual(inner["time"], sum(site["time"] for site in inner["sites"]))
        self.assertIn((functions["main"]["id"], functions["own"]["id"]), arcs)
        table = self.server("export", "--format=csv", "program", "gmon.out")
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertIn(("hidden [libwork.so]", "hidden"), [(row["function"], row["linkage_name"]) for row in rows])
        # Several functions of a library may have one name.
        self.assertAlmostEqual(document["total"], sum(float(row["self"]) for row in rows))
        folded = self.server("export", "--format=folded", "program", "gmon.out")
        self.assertRegex(folded, r"(?m);main;exported \[libwork\.so\];hidden \[libwork\.so\] \d+$")
        callgrind = self.server("export", "--format=callgrind", "program", "gmon.out")
        self.assertRegex(callgrind, r"ob=\(\d+\) libwork\.so\n(?s:.*?)fn=\(\d+\) (exported|hidden)\n")

    def test_a_report_has_rows_only_with_accurate(self):
        self.record()
        report = self.server("report", "-b", "-p", "--accurate", "program", "gmon.out")
        rows = [match for match in map(FLAT_ROW.match, report.splitlines()) if match]
        names = [row[7] for row in rows]
        self.assertIn("exported [libwork.so]", names)
        self.assertIn("hidden [libwork.so]", names)
        self.assertAlmostEqual(100, sum(float(row[1]) for row in rows), delta=0.01 * len(rows))
        whole = self.ask("gprof/flatProfile")["programSeconds"]
        self.assertAlmostEqual(whole, float(rows[-1][2]), delta=0.011)
        selves = [float(row[3]) for row in rows]
        self.assertEqual(sorted(selves, reverse=True), selves)
        plain = self.server("report", "-b", "-p", "program", "gmon.out")
        self.assertNotIn("[lib", plain)
        self.assertNotIn("exported", plain)


class WithoutStacks(Libraries):
    stacks = ("--no-stacks",)

    def test_functions_have_rows_without_totals(self):
        self.record()
        self.check_sums()
        rows = self.functions()
        self.assertGreater(rows["libwork.so", "hidden"]["seconds"], 0.02)
        self.assertNotIn("totalSeconds", rows["libwork.so", "hidden"])
        with Editor(self.workspace.directory) as editor:
            callers = editor.client.request("gprof/callSites", {
                "symbol": "hidden [libwork.so]", "direction": "callers"})
            self.assertEqual(("hidden [libwork.so]", [], "estimated"),
                             (callers["name"], callers["sites"], callers["basis"]))
        flames = self.ask("gprof/flameGraph")["root"]
        self.assertIn("hidden", [child["name"] for child in flames["children"]])
        listed = self.server("check")
        self.assertTrue(re.search(r"samples: .* in \[libwork\.so\]", listed), listed)

    def test_totals_lack_what_libraries_took(self):
        # Made-up samples: how many a real run has in waves itself is chance.
        self.build_library("-g", "-Wl,--build-id=none")
        self.build_program(*FIXED)
        write_recording(self.workspace, [
            Sampled(60, (("waves", "calls sin"),)),
            Sampled(40, (("own", "i < 60000000"),)),
            Sampled(100, (("exported", "for (unsigned long i"),))],
            [Called(1, ("main", "waves("), "waves")], libraries=[("libwork.so", "library.c")], stacks=False)
        with Editor(self.workspace.directory) as editor:
            editor.open("work.c")
            lenses = editor.lenses("work.c")

            def lens(fragment):
                return "".join(lenses[self.workspace.line_of("work.c", fragment)])
            # What sin took is nobody's, and own calls nothing.
            self.assertRegex(lens("double waves("), r"self (60\.0 ms \(30 %\)) · total ≈\1")
            self.assertNotIn("≈", lens("unsigned long own("))
            hover = editor.hover("work.c", self.workspace.line_of("work.c", "double waves("), "waves")
            self.assertRegex(hover, r"total .*, an estimate; .*What it spent in libraries is not in the total: "
                                    r"0\.10+ s \(50 %\) of the program's time is in libraries, and only stacks")


if __name__ == "__main__":
    unittest.main()
