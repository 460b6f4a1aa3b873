"""Stacks through code without call frame information, or with wrong one: callers are inferred."""
import collections
import ctypes.util
import os
import platform
import re
import unittest

import gmon_profile
from chance import binomial_bounds
from harness import SERVER, RuntimeTest, clean_environment, execute, require, require_file

KERNELS = ("leaf", "pushes", "framed", "big", "moves", "realigned", "realigned_by_r10", "loop_at_end",
           "exit_by_table", "lies", "lies_of_the_end", "lies_of_more")
# The functions of no_rules.c. Other samples are of the start and the end of the program.
CALLERS = re.compile("main|stays|returns_from|calls_calls_back|calls_back|"
                     f"((calls|points_to|wraps|leaves_to)_)?({'|'.join(KERNELS)})")
ROUNDS = 60_000_000


def caller_of(names):
    """The caller of the sampled function; empty if the stack has a single frame."""
    return names[1] if len(names) > 1 else ""


class Stacks(RuntimeTest):
    @classmethod
    def setUpClass(cls):
        if platform.machine() != "x86_64":
            raise unittest.SkipTest("skipped: the programs are for x86-64")
        super().setUpClass()

    def record(self, program, *arguments, rate=2000, own=(), **options):
        """[(count, [function, ...], truncated, inferred from)], the functions innermost first.

        In a module other than the programs, the name of the module's file stands for the function.
        """
        self.profiled(program, *arguments, variables={"GPROF_STACKS": 1, "GPROF_RATE": rate}, **options)
        return self.stacks(program, *own)

    def stacks(self, *programs):
        symbols = {str(path): gmon_profile.symbols_of(path) for path in programs}
        found = []
        for stack in self.sidecar()["stacks"]:
            names = []
            for index, (module, address) in enumerate(stack["frames"]):
                known = symbols.get(module["path"]) if module is not None else None
                if known:
                    names.append(known.name_at(address - (index > 0)))
                else:
                    names.append("?" if module is None else os.path.basename(module["path"]))
            found.append((stack["count"], names, stack["truncated"], stack["inferred_from"]))
        return found

    def share(self, stacks, holds):
        total = sum(stack[0] for stack in stacks)
        self.assertGreater(total, 50)
        return sum(stack[0] for stack in stacks if holds(*stack[1:])) / total


class Kernels(Stacks):
    @classmethod
    def programs(cls):
        require("gcc")
        sources = ["no_rules.c", "no_rules_x86_64.S"]
        library = cls.build("libkernels.so", sources[1:], "-shared", "-fPIC", pg=False)
        cls.library = library
        cls.variants = {
            "optimized": cls.build("no_rules", sources, "-O2", pg=False),
            "not optimized": cls.build("no_rules-0", sources, "-O0", pg=False),
            "frame pointers": cls.build("no_rules-fp", sources, "-O2", "-fno-omit-frame-pointer",
                                        "-fno-plt", pg=False),
            "in a library": cls.build("no_rules-so", sources[:1], "-O2", pg=False, libraries=[
                library, f"-Wl,-rpath,{library.parent}"]),
            "fixed addresses": cls.build("no_rules-fixed", sources, "-O2", "-no-pie", pg=False)}

    def test_callers_are_found(self):
        for name, program in self.variants.items():
            with self.subTest(name):
                stacks = [stack for stack in self.record(program, ROUNDS, own=[self.library])
                          if any(map(CALLERS.fullmatch, stack[1]))]
                self.assertGreaterEqual(
                    self.share(stacks, lambda names, cut, _: "main" in names and not cut), 0.99)
                for kernel in KERNELS:
                    of_it = [stack for stack in stacks if stack[1][0] == kernel]
                    wrong = collections.Counter()
                    for count, names, _, _ in of_it:
                        if not re.fullmatch(f"(calls|points_to|wraps|leaves_to)_{kernel}", caller_of(names)):
                            wrong[tuple(names[:4])] += count
                    total = sum(stack[0] for stack in of_it)
                    self.assertGreater(total, 20, kernel)
                    self.assertLessEqual(sum(wrong.values()), 0.01 * total, (kernel, wrong))

    def test_each_caller_has_its_part(self):
        stacks = self.record(self.variants["optimized"], ROUNDS, "moves")
        parts = collections.Counter()
        for count, names, _, _ in stacks:
            if names[0] == "moves":
                parts[caller_of(names)] += count
        total = sum(parts.values())
        # Each does a third of the work, but the machine may slow down to half its speed.
        for caller in ("calls_moves", "points_to_moves", "wraps_moves"):
            self.assertGreaterEqual(parts[caller], binomial_bounds(total, 0.2)[0], parts)

    def test_called_back(self):
        way = ["stays", "returns_from", "calls_back", "calls_calls_back", "main"]
        # One tick in code that runs for a moment may count for many samples.
        stacks = [stack for stack in self.record(self.variants["optimized"], 8 * ROUNDS, "calls_back")
                  if stack[1][0] == way[0]]
        self.assertGreaterEqual(self.share(stacks, lambda names, cut, _: names[:5] == way), 0.98,
                                [stack for stack in stacks if stack[1][:5] != way])
        # Those inside are given by rules.
        self.assertGreaterEqual(self.share(stacks, lambda names, cut, start: start == 3), 0.98)

    def test_only_inferred_frames_are_marked(self):
        stacks = self.record(self.variants["optimized"], ROUNDS)
        kernels = [stack for stack in stacks if stack[1][0] in KERNELS]
        self.assertGreaterEqual(self.share(kernels, lambda names, cut, start: start == 1), 0.98)
        # Below main only: GCC's crtstuff.c adds functions without rules, which run before and after it.
        others = [stack for stack in stacks if "main" in stack[1]
                  and not any(name in KERNELS or name == "calls_back" for name in stack[1])]
        self.assertGreater(len(others), 0)
        self.assertEqual([stack for stack in others if stack[3] != 0], [])

    def test_at_any_instruction(self):
        stacks = self.record(self.variants["optimized"], 3000, "pushes", rate=20000)
        for count, names, cut, _ in stacks:
            if names[0] == "pushes":
                self.assertIn(caller_of(names), ("calls_pushes", "points_to_pushes", "wraps_pushes"))

    def test_killed(self):
        program = self.variants["optimized"]
        self.preloaded(program, ROUNDS * 4, "killed", variables={"GPROF_STACKS": 1, "GPROF_RATE": 2000})
        self.assertEqual(self.recover().status, 0)
        stacks = [stack for stack in self.stacks(program) if stack[1][0] == "pushes"]
        self.assertGreaterEqual(self.share(
            stacks, lambda names, cut, start: caller_of(names) == "calls_pushes" and start == 1), 0.98)

    def test_truncated_stacks_are_told(self):
        require_file(SERVER)
        program = self.variants["optimized"]
        outcome = execute([SERVER, "record", "--stacks", program, ROUNDS * 4, "elsewhere"],
                          self.directory, clean_environment())
        self.assertEqual(outcome.status, 0, outcome.stderr)
        self.assertRegex(outcome.stderr, r"\d+ % of the stacks are truncated: "
                                         "their outer callers are not known")
        checked = execute([SERVER, "check", self.directory], self.directory, clean_environment())
        self.assertRegex(checked.stdout, r"note: \d+ % of the stacks are truncated")

    def test_inferred_stacks_are_told(self):
        require_file(SERVER)
        program = self.variants["optimized"]
        outcome = execute([SERVER, "record", "--stacks", program, ROUNDS, "moves"],
                          self.directory, clean_environment())
        self.assertEqual(outcome.status, 0, outcome.stderr)
        self.assertNotIn("truncated", outcome.stderr)
        checked = execute([SERVER, "check", self.directory], self.directory, clean_environment())
        self.assertRegex(checked.stdout, r"note: \d+ % of the stacks go through code without call "
                                         "frame information: its callers are inferred")


class StaleFrames(Stacks):
    @classmethod
    def programs(cls):
        sources = ["stale_frames.c", "no_rules_x86_64.S"]
        cls.variants = {flag: cls.build(f"stale{flag}", sources, flag, pg=False)
                        for flag in ("-O0", "-O2")}

    def test_calls_that_have_returned_are_no_callers(self):
        for flag, program in self.variants.items():
            with self.subTest(flag):
                stacks = self.record(program, 2_000_000, 150)
                for kernel in ("large_frame", "large_frame_by_table"):
                    of_it = [stack for stack in stacks if stack[1][0] == kernel]
                    self.assertGreaterEqual(self.share(
                        of_it, lambda names, cut, _: caller_of(names) in (
                            f"calls_{kernel}", f"points_to_{kernel}")), 0.98, of_it)


class LinearAlgebra(Stacks):
    """The kernels of OpenBLAS, of several processors."""

    @classmethod
    def programs(cls):
        if ctypes.util.find_library("openblas") is None:
            raise unittest.SkipTest("skipped: no libopenblas")
        cls.program = cls.build("linear_algebra", ["linear_algebra.c"], "-O2", pg=False,
                                libraries=["-ldl"])

    def test_stacks_reach_main(self):
        for core in ("", "Prescott", "Nehalem", "Barcelona", "Sandybridge", "Haswell"):
            with self.subTest(core or "this processor"):
                variables = {"GPROF_STACKS": 1, "GPROF_RATE": 2000, "OPENBLAS_NUM_THREADS": 1}
                if core:
                    variables["OPENBLAS_CORETYPE"] = core
                outcome = self.preloaded(self.program, 120, variables=variables)
                if outcome.status == -4:
                    continue  # this processor does not have the other's instructions
                self.assertEqual(outcome.status, 0, outcome.stderr)
                callers = {"multiplies", "applies", "dots"}
                # Loading the library and starting the collector and the program take time that depends on the machine.
                in_library = [stack for stack in self.stacks(self.program) if stack[1][0].startswith("libopenblas")]
                self.assertGreaterEqual(self.share(
                    in_library, lambda names, cut, _: "main" in names and not cut), 0.97)
                self.assertGreaterEqual(self.share(
                    in_library, lambda names, cut, _: callers & set(names)), 0.95)


if __name__ == "__main__":
    unittest.main()
