"""Stacks of any depth reach `main`, and cost no more than shallow ones."""
import collections
import json
import re
import resource
import unittest

import gmon_profile
import sidecar as sidecar_format
from harness import SERVER, RuntimeTest, execute, require_file

STACK_SIZE = 1 << 30
RATE = 1000
# The functions of deep_stacks.c. Other samples are of start-up code.
FUNCTIONS = re.compile(r"main|spin|work|self|(three|seven)_[a-g]|parse(_\w+)?|mixed|swinging|dear|cheap|next_bit")


def raise_stack_limit():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_SIZE, STACK_SIZE))


def cpu_time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def place_of(frame):
    return frame[0]["path"] if frame[0] is not None else ""


class DeepStacks(RuntimeTest):
    @classmethod
    def programs(cls):
        _, hard = resource.getrlimit(resource.RLIMIT_STACK)
        if hard not in (resource.RLIM_INFINITY, -1) and hard < STACK_SIZE:
            raise unittest.SkipTest("skipped: stacks are limited")
        cls.program = cls.build("deep_stacks", ["deep_stacks.c"], "-O1",
                                "-fno-optimize-sibling-calls")
        cls.symbols = gmon_profile.symbols_of(cls.program)

    def record(self, kind, depth, rounds, stacks=1, rate=RATE):
        self.profiled(self.program, kind, depth, rounds, preexec_fn=raise_stack_limit,
                      variables={"GPROF_STACKS": stacks, "GPROF_RATE": rate})

    def names_of(self, stack):
        """Its entries, innermost first: names, and marks as they are."""
        names = []
        for index, entry in enumerate(stack["entries"]):
            if entry[0] in (sidecar_format.REPEAT, sidecar_format.LEFT_OUT):
                names.append(entry)
                continue
            module, address = entry
            own = module is not None and module["path"] == str(self.program)
            names.append(self.symbols.name_at(address - (index > 0)) if own else "?")
        return names

    def stacks(self):
        return [(stack["count"], names, stack["truncated"]) for stack, names in self.named_stacks()]

    def named_stacks(self):
        """
        Only those in main or below: starting the collector, and freeing the program's memory afterwards, may take
        some milliseconds each.
        """
        named = [(stack, self.names_of(stack)) for stack in self.sidecar()["stacks"]]
        return [(stack, names) for stack, names in named
                if any(isinstance(name, str) and FUNCTIONS.fullmatch(name) for name in names)]

    def depth_of(self, names):
        depth = 0
        for entry in names:
            if isinstance(entry, str):
                depth += 1
            else:
                depth += entry[1] * entry[2] if entry[0] == sidecar_format.REPEAT else entry[1]
        return depth

    def assert_whole(self, depth):
        """All samples but those taken on the way down and up have every frame, and all have `main`."""
        stacks = self.stacks()
        total = sum(count for count, _, _ in stacks)
        self.assertGreater(total, 50)
        at_bottom = [(count, names, cut) for count, names, cut in stacks if names[0] in ("spin", "work")]
        whole = sum(count for count, names, cut in at_bottom
                    if not cut and "main" in names and depth < self.depth_of(names) < depth + 60)
        self.assertGreaterEqual(whole, 0.99 * sum(count for count, _, _ in at_bottom),
                                [(c, n[:6], n[-6:], cut) for c, n, cut in at_bottom[:3]])
        # The recursion itself takes a few percent of the time. How many depends on the cost of the stack's page faults.
        self.assertGreater(whole, 0.5 * total)
        reached = sum(count for count, names, _ in stacks if "main" in names)
        self.assertGreaterEqual(reached, 0.99 * total - 5,
                                [(c, n[:6], n[-6:], cut) for c, n, cut in stacks if "main" not in n])
        return stacks

    def assert_totals(self, *names):
        """Each has all of the program's time, which excludes the collector's own."""
        require_file(SERVER)
        done = execute([SERVER, "export", "--format=json", self.program], self.directory)
        # A busy machine may slow the clock down, which is reported.
        told = [line for line in done.stderr.splitlines() if "was sampled at" not in line]
        self.assertEqual((done.status, told), (0, []))
        totals = {entry["name"]: entry["total"] for entry in json.loads(done.stdout)["functions"]}
        samples = sum(stack["count"] for stack, _ in self.named_stacks()
                      if "gprof_runtime" not in place_of(stack["frames"][0]))
        for name in names:
            self.assertGreaterEqual(totals[name] * RATE, 0.97 * samples, name)

    def test_recursion_of_one_function(self):
        for depth in (1000, 100_000, 1_000_000):
            with self.subTest(depth):
                self.record("self", depth, 1500)
                stacks = self.assert_whole(depth)
                # One taken on the way may be joined to the previous walk in more pieces.
                lengths = [(count, len(names)) for count, names, _ in stacks if names[0] in ("spin", "work")]
                short = sum(count for count, length in lengths if length < 60)
                self.assertGreaterEqual(short, 0.95 * sum(count for count, _ in lengths))
                self.assert_totals("main", "self")

    def test_rings(self):
        for kind in ("three", "seven"):
            with self.subTest(kind):
                self.record(kind, 100_000, 1500)
                self.assert_whole(100_000)
                self.assert_totals("main", f"{kind}_a", f"{kind}_b", f"{kind}_c")

    def test_a_parser(self):
        self.record("parser", 50_000, 500)
        self.assert_whole(150_000)

    def test_what_does_not_repeat_keeps_both_ends(self):
        self.record("mixed", 50_000, 300)
        stacks = self.assert_whole(50_000)
        _, names, _ = stacks[0]
        self.assertEqual(names[0], "spin")
        self.assertIn(sidecar_format.LEFT_OUT, [entry[0] for entry in names])
        self.assertGreater(names.count("mixed"), 300)
        self.assertLessEqual(len(names), 512)

    def test_callers_of_equal_stacks_are_told_apart(self):
        self.record("callers", 200_000, 300)
        by_caller = collections.Counter()
        for count, names, _ in self.stacks():
            if names[0] == "spin":
                by_caller.update({name: count for name in ("dear", "cheap") if name in names})
        self.assertGreater(by_caller.total(), 50)
        self.assertGreater(by_caller["dear"], 0.9 * by_caller.total())

    def cpu_time(self, *words, **options):
        before = cpu_time_of_children()
        self.record(*words, **options)
        return cpu_time_of_children() - before

    def test_depth_costs_nothing_but_the_first_walk(self):
        """Walking a million frames again would take as long as thirty sampling intervals."""
        for kind, depth in (("self", 1_000_000), ("seven", 1_000_000), ("mixed", 100_000),
                            ("swinging", 100_000)):
            with self.subTest(kind):
                rounds = 10 if kind == "swinging" else 2000
                without = min(self.cpu_time(kind, depth, rounds, stacks=0) for _ in range(2))
                with_stacks = min(self.cpu_time(kind, depth, rounds) for _ in range(2))
                self.assertGreater(without, 0.15)
                self.assertLess(with_stacks, 3 * without)
