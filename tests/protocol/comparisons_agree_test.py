"""One statistic: what the editor says of a comparison is what `gprof-lsp diff` says, to the last digit,
in programs of few functions, where a regression must not be taken for a drift of the machine."""
import json
import re
import subprocess

from compared_builds import Build, source
from documented_shapes import Shapes
from extension_support import PAGE, Editor, with_capabilities
from feature_session import FeatureTest, document, place
import harness

NAMES = ("heavy", "light")
# Whole samples a run, at 1000 Hz.
BEFORE = {"heavy": 510, "light": 300}
AFTER = {"heavy": 770, "light": 303}
MEMBERS = {"self": "selfDifference", "total": "totalDifference"}


class Agree(FeatureTest):
    stacks = True

    def setUp(self):
        super().setUp()
        self.old = Build(self.folder, "base", self.text()).compile()
        self.new = Build(self.folder, "now", self.text()).compile("-DWORK=60")

    def text(self):
        """Each call on a line of its own."""
        text = source(NAMES, slow="heavy")
        return re.sub(r"(heavy\(\);) (light\(\);)", r"\1\n    \2", text)

    def runs(self, build, means, count):
        return [build.write_run(f"run-{i}", {name: mean + spread(name, i) for name, mean in means.items()},
                                stacks=self.stacks) for i in range(count)]

    def compared(self, count, after=None):
        """Both sides, with so many runs; what the editor and the command say of them."""
        before, after = self.runs(self.old, BEFORE, count), self.runs(self.new, after or AFTER, count)
        sides = [{"executable": str(build.program), "profiles": [str(run) for run in runs]}
                 for build, runs in ((self.old, before), (self.new, after))]
        settings = {"programs": [sides[1]], "base": sides[0]}
        self.session = self.enterContext(Editor(
            self.new.directory, settings=settings,
            capabilities=with_capabilities(experimental={"gprof": {"status": True}})))
        self.session.open("work.c")
        return {metric: json.loads(subprocess.run(
            [harness.SERVER, "diff", "--json", "--lines", f"--metric={metric}", self.old.program, *before,
             "--", self.new.program, *after], capture_output=True, text=True, check=True).stdout)
            for metric in MEMBERS}

    def spots(self):
        spots = self.session.client.request("gprof/hotSpots", {"metric": "total"})["spots"]
        return {spot["name"]: spot for spot in spots}

    def rows(self):
        answer = self.session.client.request("gprof/lineData", document(self.session, "work.c"))
        self.assertEqual([], Shapes(PAGE.read_text()).defects(answer, "LineDataResult"))
        return {line["line"] + 1: line for line in answer["lines"]}

    def status(self):
        """The last one: requests are answered after the first load."""
        self.spots()
        return [params for method, params in self.session.client.notifications
                if method == "gprof/status"][-1]

    def line(self, fragment):
        return self.new.line_of("work.c", fragment)

    def assert_same(self, said, change, where):
        for member, other in (("baseSeconds", "before"), ("difference", "difference"), ("error", "error")):
            self.assertAlmostEqual(said[member], change[other], places=9, msg=where)
        self.assertEqual(said["verdict"], change["verdict"], where)

    def check_agreement(self, answers):
        spots, rows = self.spots(), self.rows()
        for metric, answer in answers.items():
            changes = {function["name"]: function[metric] for function in answer["functions"]}
            for name in (*NAMES, "main"):
                if name in spots:
                    self.assert_same(spots[name][MEMBERS[metric]], changes[name], (metric, name))
        compared = answers["self"]["lines"]
        self.assertGreaterEqual(len(compared), len(NAMES))
        for line in compared:
            self.assert_same(rows[line["line"]]["selfDifference"], line["self"], line)
        program = answers["self"]["program"]
        self.assertEqual(self.status()["comparison"]["verdict"], program["verdict"])


def spread(name, run):
    """Runs differ a little, by whole samples."""
    return ((7, -9, 2), (-5, 8, -3))[name == "light"][run]


class WithStacks(Agree):
    def check_regression(self, count):
        answers = self.compared(count)
        self.check_agreement(answers)
        for metric, answer in answers.items():
            verdicts = {function["name"]: function["verdict"] for function in answer["functions"]}
            self.assertEqual(("regressed", "noise"), (verdicts["heavy"], verdicts["light"]), metric)
            self.assertEqual("regressed", answer["program"]["verdict"])
        # Callers are slower by what they call.
        self.assertEqual("regressed", self.spots()["main"]["totalDifference"]["verdict"])
        heavy = self.line("void heavy(void)")
        self.assertRegex(self.session.lenses("work.c")[heavy][0],
                         r"self \+0\.26 s \(\+\d+ %\) ▲ · total \+0\.26 s \(\+\d+ %\) ▲")
        hover = self.session.hover("work.c", heavy, "heavy")
        self.assertRegex(hover, r"Self +\|.*\+0\.2\d s ± 0\.0\d s \(\+\d+ %\).*regressed")
        self.assertRegex(hover, r"Total, from stacks +\|.*\+0\.2\d s ± 0\.0\d s \(\+\d+ %\).*regressed")
        return answers

    def test_one_run_a_side(self):
        self.check_regression(1)
        self.assertRegex(self.status()["comparison"]["text"], r"^0\.81 → 1\.0\d s, \+32 %: regressed$")

    def test_several_runs_a_side(self):
        self.check_regression(3)

    def test_the_lines_that_carry_it_are_marked(self):
        self.compared(3)
        cells = {line: row["cells"] for line, row in self.rows().items()}
        worked, called = self.line("void heavy(void)"), self.line("heavy();")
        for line in (worked, called):
            self.assertRegex("|".join(cells[line]), r"\+0\.26 s ▲", line)
        self.assertNotIn("▲", "|".join(cells[self.line("light();")]))
        row = self.rows()[called]
        self.assertEqual("regressed", row["totalDifference"]["verdict"])
        self.assertEqual("noise", row["selfDifference"]["verdict"])
        hover = self.session.client.request("textDocument/hover", place(self.session, "work.c", called, 0))
        self.assertRegex(hover["contents"]["value"], r"With what it calls +\|.*regressed")
        self.assertIn("▲", self.session.hints("work.c")[called])

    def test_runs_that_vary_show_it_in_their_lines(self):
        """A mean of runs that vary by more than their samples do is known less well: its lines, too."""
        varying = [{"heavy": 770 + far, "light": 300} for far in (-240, 20, 240)]
        steady = self.compared(3)["self"]["lines"]
        runs = [self.new.write_run(f"varying-{i}", ticks, stacks=True) for i, ticks in enumerate(varying)]
        self.session.client.request("workspace/executeCommand", {"command": "gprof.load", "arguments": [
            {"executable": str(self.new.program), "profiles": [str(run) for run in runs]}]})
        worked = self.line("void heavy(void)")
        self.session.wait_for(
            lambda: self.rows()[worked]["totalDifference"]["error"] > 2 * steady[0]["self"]["error"],
            "a larger error")
        self.assertEqual("noise", self.rows()[worked]["totalDifference"]["verdict"])
        self.assertEqual("noise", self.spots()["heavy"]["totalDifference"]["verdict"])

    def test_no_difference(self):
        answers = self.compared(1, dict(BEFORE, heavy=BEFORE["heavy"] + 9))
        self.check_agreement(answers)
        self.assertRegex(self.status()["comparison"]["text"],
                         r"^0\.81 → 0\.82 s: no difference beyond noise$")
        self.assertNotIn("▲", str(self.session.lenses("work.c")) + str(self.rows()))

    def test_flame_graphs(self):
        self.compared(3)
        plain = self.session.client.request("gprof/flameGraph", {})
        self.assertNotIn("compared", plain)
        answer = self.session.client.request("gprof/flameGraph", {"differences": True})
        self.assertTrue(answer["compared"])
        main = answer["root"]["children"][0]
        children = {child["name"]: child["difference"] for child in main["children"]}
        self.assertEqual(("main", "regressed"), (main["name"], main["difference"]["verdict"]))
        self.assertEqual({"heavy": "regressed", "light": "noise"},
                         {name: said["verdict"] for name, said in children.items()})
        self.assertAlmostEqual(children["heavy"]["baseSeconds"], 0.51, places=3)
        self.assertAlmostEqual(children["heavy"]["difference"], 0.26, places=3)
        of_one = self.session.client.request("gprof/flameGraph", {
            **self.session.place("work.c", self.line("void heavy(void)"), "heavy"), "differences": True})
        self.assertAlmostEqual(of_one["root"]["difference"]["difference"], 0.26, places=3)

    def test_what_only_the_base_has_is_in_the_flame_graph(self):
        self.old = Build(self.folder, "base", source((*NAMES, "vanished"), slow="heavy")).compile()
        self.old.write_run("run-0", dict(BEFORE, vanished=300), stacks=True)
        now = self.new.write_run("run-0", AFTER, stacks=True)
        settings = {"programs": [{"executable": str(self.new.program), "profiles": [str(now)]}],
                    "base": {"executable": str(self.old.program),
                             "profiles": [str(self.old.path("run-0"))]}}
        with Editor(self.new.directory, settings=settings) as editor:
            answer = editor.client.request("gprof/flameGraph", {"differences": True})
            self.assertEqual([], Shapes(PAGE.read_text()).defects(answer, "FlameGraphResult"))
            main = answer["root"]["children"][0]
            self.assertEqual(["vanished"], [gone["name"] for gone in main["gone"]])
            self.assertAlmostEqual(0.3, main["goneSeconds"], places=6)


class WithoutStacks(Agree):
    stacks = False

    def test_estimates(self):
        answers = self.compared(1)
        self.check_agreement(answers)
        self.assertEqual("regressed", self.spots()["heavy"]["totalDifference"]["verdict"])
        self.assertRegex("|".join(self.rows()[self.line("void heavy(void)")]["cells"]), r"\+0\.26 s ▲")


if __name__ == "__main__":
    import unittest
    unittest.main()
