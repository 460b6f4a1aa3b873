"""Stacks: time is charged to the callers that spent it, even if averages say the reverse."""

import gmon_profile
from harness import ARCHIVE, RuntimeTest, execute, require
from profiled_program import PRIMARY

# The functions of dear_and_cheap.c. Other samples are of the start of the program and of the collector.
FUNCTIONS = {"main", "a", "b", "foo", "spin", "sorts", "cmp", "deep"}


class Stacks(RuntimeTest):
    @classmethod
    def programs(cls):
        (cls.built / "apart.s").write_text(
            '.section .apart, "ax"\n.globl apart\napart: ret\n'
            '.section .note.GNU-stack, "", %progbits\n')
        cls.variants = {
            "frame pointers": cls.build("averages", ["dear_and_cheap.c"], "-O1"),
            "fentry": cls.build("averages-fentry", ["dear_and_cheap.c"], "-O1", "-mfentry"),
            # The loader then names one segment at a time.
            "segments apart": cls.build("averages-apart", ["dear_and_cheap.c", "apart.s"], "-O1",
                                        "-no-pie", "-mfentry",
                                        "-Wl,--section-start=.apart=0x40000000"),
            "static": cls.build("averages-static", ["dear_and_cheap.c"], "-O1", "-static-pie",
                                libraries=[ARCHIVE])}
        cls.interrupted = cls.build("interrupted", ["interrupted_first.c"], "-O1")

    def stacks(self, program):
        """[(count, [function, ...], truncated)] of the executable's frames, innermost first."""
        symbols = gmon_profile.symbols_of(program)
        sidecar = self.sidecar()
        found = []
        for stack in sidecar["stacks"]:
            names = []
            for index, (module, address) in enumerate(stack["frames"]):
                own = module is not None and module["path"] == str(program)
                names.append(symbols.name_at(address - (index > 0)) if own else "?")
            found.append((stack["count"], names, stack["truncated"]))
        return found

    def recorded(self, name, *arguments):
        program = self.variants[name]
        variables = {"GPROF_STACKS": 1, "GPROF_RATE": 1000}
        outcome = self.profiled(program, *arguments, variables=variables) if name != "static" else \
            self.preloaded(program, *arguments, variables=variables | {"LD_PRELOAD": ""})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        return program, self.stacks(program)

    def test_charged_to_who_spent_it(self):
        for name in self.variants:
            with self.subTest(name):
                program, stacks = self.recorded(name)
                by_caller = {"a": 0, "b": 0}
                for count, names, _ in stacks:
                    # Only samples in foo itself: the first calls take the collector longer on some machines.
                    for caller in by_caller:
                        by_caller[caller] += count * (names[0] in ("foo", "spin") and caller in names)
                self.assertGreater(sum(by_caller.values()), 20)
                self.assertGreaterEqual(by_caller["b"], 0.95 * sum(by_caller.values()))
                calls = self.calls(program)
                self.assertEqual((calls["a", "foo"], calls["b", "foo"]), (990, 10))

    def test_averages_say_the_reverse(self):
        require("gprof")
        self.recorded("frame pointers")
        text = execute(["gprof", "-b", "-q", self.variants["frame pointers"], "gmon.out"],
                       self.directory).stdout
        rows = {row[7]: float(row[3]) + float(row[4])
                for row in filter(None, map(PRIMARY.match, text.splitlines()))}
        self.assertGreaterEqual(rows["a"], 0.95 * (rows["a"] + rows["b"]))

    def test_stacks_reach_main(self):
        for name in self.variants:
            with self.subTest(name):
                _, stacks = self.recorded(name)
                stacks = [stack for stack in stacks if FUNCTIONS & set(stack[1])]
                total = sum(count for count, _, _ in stacks)
                self.assertGreater(total, 50)
                reached = sum(count for count, names, _ in stacks if "main" in names)
                self.assertGreaterEqual(reached, 0.95 * total, stacks)

    def test_through_the_library(self):
        """`cmp` below qsort below `sorts`."""
        for name in self.variants:
            with self.subTest(name):
                _, stacks = self.recorded(name)
                of_cmp = [(count, names) for count, names, _ in stacks if "cmp" in names]
                total = sum(count for count, _ in of_cmp)
                self.assertGreater(total, 0)
                self.assertGreaterEqual(
                    sum(count for count, names in of_cmp if "sorts" in names), 0.95 * total)

    def test_sampling_leaves_no_frames_of_its_own(self):
        _, stacks = self.recorded("frame pointers")
        # b makes few calls, so counting takes no time, and it calls nothing but foo.
        below = [stack for stack in stacks if "b" in stack[1]]
        total = sum(count for count, _, _ in below)
        self.assertGreater(total, 50)
        first = sum(count for count, names, _ in below if names[0] in ("spin", "foo", "b"))
        self.assertGreaterEqual(first, 0.95 * total)

    def test_deep_recursion_reaches_main(self):
        for name in self.variants:
            with self.subTest(name):
                _, stacks = self.recorded(name, 5000)
                deep = [(names, cut) for _, names, cut in stacks if "deep" in names]
                self.assertGreater(len(deep), 0)
                for names, cut in deep:
                    self.assertFalse(cut, names)
                    self.assertIn("main", names)

    def test_who_was_interrupted_is_no_caller(self):
        """`spinning` is interrupted at its first instruction; `in_front`, which ends there, never runs."""
        outcome = self.profiled(self.interrupted, variables={"GPROF_STACKS": 1, "GPROF_RATE": 1000})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        names = {name for _, names, _ in self.stacks(self.interrupted) for name in names}
        self.assertLess({"work", "on_alarm", "spinning", "main"}, names)
        self.assertNotIn("in_front", names)

    def test_counts_agree_with_samples(self):
        self.recorded("frame pointers")
        sidecar = self.sidecar()
        in_stacks = sum(stack["count"] for stack in sidecar["stacks"])
        process = sidecar["process"]
        self.assertEqual(in_stacks + process["lost_stacks"], process["samples"])

    def test_none_unless_asked_for(self):
        self.profiled(self.variants["frame pointers"])
        self.assertEqual(self.sidecar()["stacks"], [])
