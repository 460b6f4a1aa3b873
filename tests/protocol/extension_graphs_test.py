"""gprof/callGraph and gprof/cycles: held against gprof's call graph and against what is known by
construction."""

from extension_support import Editor, Programs, Workspace
from profiled_program import gprof_graph


class Cycles(Programs):
    def test_counts_of_a_cycle(self):
        with Editor(self.counted.directory) as editor:
            answer = self.ask(editor, "gprof/cycles", {})
            self.assertEqual(1, answer["total"])
            cycle, = answer["cycles"]
            # is_even(10) calls is_odd, which calls is_even, down to 0.
            self.assertEqual((1, 1, 10, 2), (cycle["cycle"], cycle["calls"], cycle["internalCalls"],
                                             cycle["memberCount"]))
            self.assertEqual({"is_even": 6, "is_odd": 5},
                             {member["name"]: member["calls"] for member in cycle["members"]})
            source = self.counted.path("counts/work.c").read_text().splitlines()
            for member in cycle["members"]:
                self.assertEqual(editor.uri("counts/work.c"), member["uri"])
                self.assertIn(member["name"], source[member["range"]["start"]["line"]])

    def test_times_of_a_cycle_are_gprofs(self):
        graph = gprof_graph(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            cycle, = self.ask(editor, "gprof/cycles", {})["cycles"]
            around = self.ask(editor, "gprof/callGraph", {"symbol": "ping", "depth": 1})
        self.assertEqual({"ping", "pong"}, {member["name"] for member in cycle["members"]})
        self_times = [member["selfSeconds"] for member in cycle["members"]]
        self.assertEqual(sorted(self_times, reverse=True), self_times)
        self.assertAlmostEqual(sum(self_times), cycle["selfSeconds"], places=6)
        for member in cycle["members"]:
            self.assertAlmostEqual(graph[member["name"]][0], member["selfSeconds"], delta=0.0051)
        # What the cycle cost is what its callers from outside were handed.
        nodes = {node["id"]: node for node in around["nodes"]}
        handed = sum(arc["selfSeconds"] + arc["childSeconds"] for arc in around["arcs"]
                     if nodes[arc["to"]].get("cycle") and not nodes[arc["from"]].get("cycle"))
        self.assertGreater(handed, 0)
        self.assertAlmostEqual(handed, cycle["selfSeconds"] + cycle["childSeconds"], places=6)
        self.assertGreater(cycle["totalError"], 0)


class CallGraphs(Programs):
    def graph(self, editor, **params):
        answer = self.ask(editor, "gprof/callGraph", params)
        names = {node["id"]: node["name"] for node in answer["nodes"]}
        arcs = {(names[arc["from"]], names[arc["to"]]): arc for arc in answer["arcs"]}
        self.assertEqual([*range(len(names))], [*names])
        return answer, {node["name"]: node for node in answer["nodes"]}, arcs

    def test_around_a_place(self):
        name = "counts/work.c"
        with Editor(self.counted.directory) as editor:
            place = editor.place(name, self.counted.line_of(name, "int work"), "work")
            answer, nodes, arcs = self.graph(editor, **place, depth=1)
            self.assertEqual("work", answer["nodes"][answer["root"]]["name"])
            self.assertEqual({("main", "work"): 1, ("work", "same_name"): 300,
                              ("work", "factorial"): 300, ("work", "is_even"): 1},
                             {ends: arc["calls"] for ends, arc in arcs.items()})
            self.assertEqual((300, 1200),
                             (nodes["factorial"]["calls"], nodes["factorial"]["recursiveCalls"]))
            self.assertEqual(1, nodes["is_even"]["cycle"])
            self.assertNotIn("cycle", nodes["work"])
            site = arcs["work", "factorial"]["sites"]
            self.assertEqual([self.counted.line_of(name, "factorial(5)")],
                             [place["range"]["start"]["line"] + 1 for place in site])
            callers, _, arcs = self.graph(editor, **place, depth=8, direction="callers")
            self.assertEqual({("main", "work")}, set(arcs))
            self.assertFalse(callers["truncated"])

    def test_times_of_arcs_are_gprofs(self):
        graph = gprof_graph(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            answer, nodes, arcs = self.graph(editor, symbol="main", depth=8, direction="callees")
            self.assertEqual({"main", "middle", "leaf_light", "leaf_heavy", "spin", "ping", "pong"},
                             set(nodes))
            for name, node in nodes.items():
                self_seconds, children, calls, recursive = graph[name]
                self.assertEqual((calls or 0, recursive), (node["calls"], node["recursiveCalls"]))
                self.assertAlmostEqual(self_seconds, node["selfSeconds"], delta=0.0051)
                self.assertAlmostEqual(children, node["childSeconds"], delta=0.0051)
            # All time of a function outside of cycles is handed on to its callers.
            for name in ("leaf_heavy", "spin", "middle"):
                handed = sum(arc["selfSeconds"] + arc["childSeconds"]
                             for (_, callee), arc in arcs.items() if callee == name)
                self.assertAlmostEqual(handed, nodes[name]["selfSeconds"]
                                       + nodes[name]["childSeconds"], places=6)

    def test_instances_of_one_definition(self):
        with Editor(self.counted.directory) as editor:
            place = editor.place("counts/shared.h",
                                 self.counted.line_of("counts/shared.h", "int step"), "step")
            answer, _, _ = self.graph(editor, **place, depth=1, direction="callers")
            roots = [answer["root"], *answer["otherRoots"]]
            self.assertEqual(["step", "step"], [answer["nodes"][i]["name"] for i in roots])
            self.assertEqual([15000, 6350], [answer["nodes"][i]["calls"] for i in roots])
            self.assertEqual([15000, 6350], [arc["calls"] for arc in answer["arcs"]])

    def test_depth_and_direction(self):
        with Editor(self.counted.directory) as editor:
            names = [set(self.graph(editor, symbol="main", depth=depth, direction="callees")[1])
                     for depth in (1, 2, 3, 4)]
            self.assertEqual({"main", "work", "same_name"}, names[0])
            for nearer, farther in zip(names, names[1:]):
                self.assertLessEqual(nearer, farther)
            self.assertIn("step", names[3])
            answer, _, _ = self.graph(editor, symbol="no such function")
            self.assertEqual((None, []), (answer["root"], answer["nodes"]))

    def test_large_graphs_are_cut(self):
        functions = 700
        workspace = Workspace(self.counted.directory.parent / "wide")
        workspace.directory.mkdir(exist_ok=True)
        workspace.write("wide.c", "".join(
            f"void __attribute__((noinline)) f{i}(void) {{ __asm__(\"\"); }}\n"
            for i in range(functions)) + "int main(void) {\n" + "".join(
                f"  for (int i = 0; i <= {i}; i++) f{i}();\n" for i in range(functions)) + "}\n")
        workspace.build_and_run(("wide.c",))
        with Editor(workspace.directory) as editor:
            answer, nodes, _ = self.graph(editor, symbol="main")
            self.assertTrue(answer["truncated"])
            self.assertEqual(500, len(answer["nodes"]))
            # The most called ones are here.
            self.assertIn(f"f{functions - 1}", nodes)
            self.assertNotIn("f0", nodes)
