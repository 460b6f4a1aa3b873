"""gprof/flameGraph: the same time as everywhere else, as a tree, and where it comes from."""

from extension_support import INVALID_PARAMS, Editor, Programs
from profiled_program import gprof_graph

NAME = "counts/burn.c"


class FlameGraphs(Programs):
    def flames(self, editor, **params):
        answer = self.ask(editor, "gprof/flameGraph", params)
        self.assertEqual(("burn", "estimated", "seconds"),
                         (answer["program"], answer["basis"], answer["unit"]))
        nodes = {}

        def visit(node, path):
            parts = node["self"] + node.get("leftOut", 0) + sum(c["total"] for c in node["children"])
            self.assertAlmostEqual(node["total"], parts, places=9)
            totals = [child["total"] for child in node["children"]]
            self.assertEqual(sorted(totals, reverse=True), totals)
            nodes[path] = node
            for child in node["children"]:
                visit(child, f"{path}/{child['name']}")

        visit(answer["root"], answer["root"]["name"])
        self.assertEqual(answer["total"], answer["root"]["total"])
        return answer, nodes

    def test_the_program(self):
        graph = gprof_graph(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            answer, nodes = self.flames(editor)
            self.assertAlmostEqual(sum(row[0] for row in graph.values()), answer["total"],
                                   delta=0.05)
            main = nodes["burn/main"]
            self.assertAlmostEqual(graph["main"][0] + graph["main"][1], main["total"], delta=0.011)
            self.assertEqual(editor.uri(NAME), main["uri"])
            self.assertEqual(self.burning.line_of(NAME, "int main"),
                             main["range"]["start"]["line"] + 1)
            # A function is shared out to the ways that lead to it, by numbers of calls.
            spin = {path: node["total"] for path, node in nodes.items() if path.endswith("/spin")}
            self.assertAlmostEqual(graph["spin"][0], sum(spin.values()), delta=0.0051)
            self.assertAlmostEqual(18000 / 36000, spin["burn/main/middle/leaf_light/spin"]
                                   / (spin["burn/main/middle/leaf_light/spin"]
                                      + spin["burn/main/<cycle 1>/ping/leaf_light/spin"]), places=6)
            self.assertIn("burn/main/<cycle 1>/pong/spin", spin)

    def test_one_function(self):
        graph = gprof_graph(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            place = editor.place(NAME, self.burning.line_of(NAME, "middle(int n)"), "middle")
            answer, nodes = self.flames(editor, **place)
            self.assertEqual({"middle", "middle/leaf_heavy", "middle/leaf_light",
                              "middle/leaf_light/spin"}, set(nodes))
            self.assertAlmostEqual(graph["middle"][0] + graph["middle"][1], answer["total"],
                                   delta=0.011)

    def test_bounds(self):
        with Editor(self.burning.directory) as editor:
            whole, nodes = self.flames(editor)
            shallow, kept = self.flames(editor, maximumDepth=1)
            self.assertEqual({"burn", "burn/main"}, set(kept) & {"burn", "burn/main", *nodes})
            self.assertAlmostEqual(nodes["burn/main"]["total"] - nodes["burn/main"]["self"],
                                   kept["burn/main"]["leftOut"], places=9)
            large, kept = self.flames(editor, minimumShare=0.3)
            for path, node in kept.items():
                self.assertGreaterEqual(node["total"], 0.3 * whole["total"], path)
            self.assertEqual(whole["total"], shallow["total"])
            self.assertEqual(whole["total"], large["total"])
            _, none = self.flames(editor, maximumDepth=0)
            self.assertEqual({"burn"}, set(none))

    def test_nothing_to_show(self):
        with Editor(self.burning.directory) as editor:
            start = {"line": 0, "character": 0}
            for uri in (editor.uri(NAME), "file:///nowhere/a.c"):
                answer = self.ask(editor, "gprof/flameGraph",
                                  {"textDocument": {"uri": uri}, "position": start})
                self.assertIsNone(answer["root"])
            for params in ({"textDocument": {"uri": editor.uri(NAME)}}, {"position": start},
                           {"maximumDepth": -1}, {"minimumShare": "all"}, {"program": "other"}):
                error = self.ask(editor, "gprof/flameGraph", params, refused=True)
                self.assertEqual(INVALID_PARAMS, error.code, params)
