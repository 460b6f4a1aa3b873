"""The texts of a line's annotation as gprof/lineData has them: by every metric, with and without errors."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from feature_session import FeatureTest, capabilities, document  # noqa: E402
from known_profile import KnownProfile  # noqa: E402

COLUMNS = ["share", "time", "count"]
# Fragment of a line -> its cells and its level of heat.
BY_METRIC = {
    "self": {"leaf's body": (["60 %", "0.60 s", "30.0k×"], 5),
             "most calls": (["", "", "15.0k×"], 0),
             "some calls": (["", "", "→ 5,000"], 0),
             "middle's end": (["36 %", "0.36 s"], 4),
             "calls middle": (["", "", "→ 100"], 0),
             "calls leaf": (["", "", "→ 10.0k"], 0),
             "main's end": (["4.0 %", "0.04 s"], 2)},
    "calls": {"leaf's body": (["60 %", "0.60 s"], 0),
              "most calls": (["", "", "→ 15.0k"], 5)},
    "executions": {"leaf's body": (["60 %", "0.60 s", "30.0k×"], 5),
                   "most calls": (["", "", "15.0k×"], 5)},
    "total": {"leaf's body": (["60 %", "0.60 s", "30.0k×"], 5),
              "most calls": (["30 %", "≈0.30 s", "15.0k×"], 4),
              "calls middle": (["76 %", "≈0.76 s", "→ 100"], 5)},
}


class Cells(FeatureTest):
    def setUp(self):
        super().setUp()
        self.workspace = KnownProfile(self.folder).make()

    def ask(self, editor, **params):
        return editor.client.request("gprof/lineData", {**document(editor, "hot.c"), **params})

    def shown(self, answer):
        """Fragment -> cells and level, of the lines that are known by a fragment."""
        lines = {line["line"] + 1: (line.get("cells", []), line["level"]) for line in answer["lines"]}
        return {fragment: lines.get(self.workspace.line_of("hot.c", fragment))
                for fragment in BY_METRIC["self"]}

    def test_the_metric_chooses_figures_and_heat(self):
        with self.editor() as editor:
            for metric, expected in BY_METRIC.items():
                with self.subTest(metric):
                    shown = self.shown(self.ask(editor, metric=metric))
                    self.assertEqual(expected, {fragment: shown[fragment] for fragment in expected})

    def test_without_a_metric_and_a_threshold_the_settings_choose(self):
        settings = {"metric": "total", "threshold": 0.35}
        with self.editor(settings=settings) as editor:
            self.assertEqual(self.shown(self.ask(editor, metric="total", threshold=0.35)),
                             self.shown(self.ask(editor)))
            self.assertEqual((["", "", "15.0k×"], 4), self.shown(self.ask(editor))["most calls"])
            self.assertEqual((["30 %", "≈0.30 s", "15.0k×"], 4),
                             self.shown(self.ask(editor, threshold=0))["most calls"])

    def test_the_hottest_lines_are_those_by_the_metric(self):
        with self.editor() as editor:
            for metric, fragment in (("self", "leaf's body"), ("calls", "most calls")):
                hottest, = self.ask(editor, metric=metric, hottest=1)["lines"]
                self.assertEqual(self.workspace.line_of("hot.c", fragment), hottest["line"] + 1)
                self.assertEqual(hottest["heats"][metric], hottest["heat"])

    def test_times_with_their_errors(self):
        with self.editor() as editor:
            shown = self.shown(self.ask(editor, errors=True))
            self.assertEqual((["60 %", "0.60 ±0.08 s", "30.0k×"], 5), shown["leaf's body"])
            # An estimate has no error of its own.
            shown = self.shown(self.ask(editor, errors=True, metric="total"))
            self.assertEqual((["30 %", "≈0.30 s", "15.0k×"], 4), shown["most calls"])

    def test_columns_are_as_wide_whatever_the_lines(self):
        with self.editor() as editor:
            for errors in (False, True):
                whole = self.ask(editor, errors=errors)
                widths = {column["name"]: column["width"] for column in whole["columns"]}
                self.assertEqual(COLUMNS, [*widths])
                for line in whole["lines"]:
                    for name, text in zip(COLUMNS, line.get("cells", [])):
                        self.assertLessEqual(len(text), widths[name], text)
                place = {"line": 5000, "character": 0}
                nothing = self.ask(editor, errors=errors, range={"start": place, "end": place})
                self.assertEqual(([], whole["columns"]), (nothing["lines"], nothing["columns"]))

    def test_no_more_decimals_than_a_tick_has(self):
        self.workspace.make(rate=10)
        with self.editor() as editor:
            self.assertEqual(["60 %", "6.0 s", "30.0k×"],
                             self.shown(self.ask(editor))["leaf's body"][0])

    def test_less_than_a_sample_is_a_limit_and_has_no_share(self):
        self.workspace.make(ticks=(("leaf's body", 60), ("middle's end", 36)))
        with self.editor() as editor:
            cells = self.shown(self.ask(editor, metric="total", threshold=0))
            # 10,000 of 30,000 calls cost a third of what all of them did.
            self.assertEqual(["21 %", "≈0.20 s", "→ 10.0k"], cells["calls leaf"][0])
        self.workspace.make(ticks=(("leaf's body", 2), ("middle's end", 96)))
        with self.editor() as editor:
            cells = self.shown(self.ask(editor, metric="total", threshold=0))
            self.assertEqual(["", "< 0.03 s", "→ 10.0k"], cells["calls leaf"][0])

    def test_a_changed_line_says_so(self):
        with self.editor() as editor:
            editor.open("hot.c")
            text = self.workspace.path("hot.c").read_text()
            editor.edit("hot.c", text.replace("x * 3", "x * 4"))
            self.assertEqual((["changed"], 0), self.shown(self.ask(editor))["leaf's body"])

    def test_cells_and_hints_say_the_same(self):
        for metric in BY_METRIC:
            with self.subTest(metric), self.editor(settings={"metric": metric},
                                                   capabilities=capabilities()) as editor:
                editor.open("hot.c")
                hints = editor.hints("hot.c")
                answer = self.ask(editor)
                for line in answer["lines"]:
                    hint = hints.get(line["line"] + 1, "")
                    share, time, count, *_ = line.get("cells", []) + [""] * 3
                    self.assertIn(f"{time} {share}".strip(), hint)
                    self.assertIn(count.removeprefix("→ "), hint)


if __name__ == "__main__":
    unittest.main()
