"""GNU gprof is the judge: the editor shows its figures, to the last digit that it prints."""
import re
import unittest

from editor import Editor
from own_folders import fresh_folder
from profiled_program import (Workspace, gprof_flat, gprof_graph, require,
                              run)

LENS = re.compile(
    r"^(?P<calls>[\d,.kM]+)(?:\+(?P<recursive>[\d,.kM]+))? calls?"
    r"(?: · < [\d.]+ m?s| · self (?:< [\d.]+ m?s|(?P<self>[\d.]+) s \((?P<share>[<\d.]+) %\))"
    r" · total ≈?(?P<total>[\d.]+) s)")


def short(count):
    """A count as the editor abbreviates it: three digits from 10,000 on."""
    if count < 10_000:
        return f"{count:,}"
    for unit in "kM":
        count /= 1000
        if count < 999.5:
            break
    decimals = 2 if count < 9.995 else 1 if count < 99.95 else 0
    return f"{count:.{decimals}f}{unit}"


class GprofFigures(unittest.TestCase):
    def setUp(self):
        require("gprof")
        self.directory = fresh_folder(self.addCleanup)

    def check_self(self, match, printed):
        if match["self"]:
            self.assertEqual(match["self"], printed)
        else:  # less than a sample, which gprof rounds
            self.assertLess(float(printed), 0.0101)

    def compare(self, workspace, source, expected_functions):
        flat, graph = gprof_flat(workspace), gprof_graph(workspace)
        with Editor(workspace.directory, opened=[source]) as editor:
            text = workspace.path(source).read_text().splitlines()
            compared = set()
            for line, titles in editor.lenses(source).items():
                match = LENS.match(titles[0])
                name = next((n for n in flat if re.search(rf"\b{re.escape(n)}\(", text[line - 1])),
                            None)
                if not match or name not in graph:
                    continue
                with self.subTest(function=name, lens=titles[0]):
                    own, children, calls, recursive = graph[name]
                    self.check_self(match, flat[name][1])
                    # gprof rounds self and children apart, the lens their sum.
                    self.assertAlmostEqual(float(match["total"] or 0), own + children,
                                           delta=0.0101)
                    self.assertEqual(match["calls"], short(calls or 0))
                    self.assertEqual(match["recursive"], short(recursive) if recursive else None)
                    if flat[name][0] >= 10:
                        self.assertAlmostEqual(float(match["share"]), flat[name][0], delta=0.51)
                compared.add(name)
            self.assertEqual(compared, set(expected_functions))

    def test_times_cycles_and_recursion(self):
        for flags in (("-O1",), ("-O0",), ("-O2", "-no-pie")):
            with self.subTest(flags=flags):
                workspace = Workspace(self.directory, "counts/burn.c")
                workspace.build_and_run(("counts/burn.c",), flags)
                self.compare(workspace, "counts/burn.c",
                             ("spin", "leaf_light", "leaf_heavy", "middle", "ping", "pong"))

    def test_sum_of_runs(self):
        workspace = Workspace(self.directory, "counts/burn.c")
        workspace.build(("counts/burn.c",), ("-O1",))
        for number in range(3):
            workspace.execute()
            workspace.path("gmon.out").rename(workspace.path(f"run{number}.out"))
        run(["gprof", "-s", "program", "run0.out", "run1.out", "run2.out"],
            workspace.directory)
        flat = gprof_flat(workspace, profile="gmon.sum")
        settings = {"programs": [{"executable": "program", "profiles": ["run*.out"]}]}
        with Editor(workspace.directory, settings=settings, opened=["counts/burn.c"]) as editor:
            lenses = editor.lenses("counts/burn.c")
            for name, parameters in (("spin", "unsigned rounds"), ("leaf_heavy", "void"),
                                     ("middle", "int n")):
                definition = workspace.line_of("counts/burn.c", f"{name}({parameters})")
                title = lenses[definition][0]
                match = LENS.match(title)
                self.check_self(match, flat[name][1])
                self.assertEqual(match["calls"], short(flat[name][2]))
