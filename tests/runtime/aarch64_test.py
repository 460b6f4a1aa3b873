"""The collector on aarch64, cross-built in GPROF_RUNTIME_AARCH64_DIR and run by qemu."""
import os
import pathlib
import unittest

import gmon_profile
from harness import RuntimeTest, clean_environment, execute, require

COMPILER, NM = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-nm"
SYSROOT = "/usr/aarch64-linux-gnu"


class Aarch64(RuntimeTest):
    @classmethod
    def setUpClass(cls):
        require(COMPILER, NM, "qemu-aarch64")
        place = os.environ.get("GPROF_RUNTIME_AARCH64_DIR", "")
        cls.library = pathlib.Path(place) / "libgprof_runtime.so"
        cls.archive = pathlib.Path(place) / "libgprof_runtime.a"
        if not place or not cls.library.exists():
            raise unittest.SkipTest("skipped: no libgprof_runtime.so for aarch64")
        super().setUpClass()

    def cross(self, name, sources, *flags, libraries=(), pg=True):
        return self.build(name, sources, *flags, compiler=COMPILER, libraries=libraries, pg=pg)

    def run_program(self, program, *arguments, preload=True, variables=None, status=0):
        words = ["qemu-aarch64", "-L", SYSROOT]
        for name, value in {**({"LD_PRELOAD": self.library} if preload else {}),
                            "LD_LIBRARY_PATH": self.built, **(variables or {})}.items():
            words += ["-E", f"{name}={value}"]
        outcome = execute([*words, program, *arguments], self.directory, clean_environment())
        self.assertEqual((outcome.status, outcome.stderr), (status, ""), outcome.stdout[-2000:])
        return outcome

    def calls_of(self, program, name="gmon.out"):
        return gmon_profile.calls(self.profile(name), gmon_profile.symbols_of(program, NM))

    def test_preloaded(self):
        for flags in (("-O0",), ("-O2",), ("-no-pie", "-fno-pie"),
                      ("-O2", "-mbranch-protection=standard")):
            with self.subTest(flags):
                program = self.cross("calls", ["calls.c"], *flags)
                self.run_program(program)
                self.assert_calls(self.calls_of(program), {("main", "rounds"): 2,
                                                           ("rounds", "work"): 1000})
                self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])

    def test_archive(self):
        for flags in (("-static",), ("-static-pie",)):
            with self.subTest(flags):
                program = self.cross("static", ["calls.c"], "-O1", *flags,
                                     libraries=[self.archive])
                self.run_program(program, preload=False)
                self.assert_calls(self.calls_of(program), {("main", "rounds"): 2,
                                                           ("rounds", "work"): 1000})

    def test_threads(self):
        program = self.cross("threads", ["threads.c"], "-O1", "-pthread")
        self.run_program(program, "together", 8, 200_000)
        self.assert_only_calls(self.calls_of(program), {
            ("even", "tiny"): 800_000, ("odd", "tiny"): 800_000, ("odd", "middle"): 400,
            ("middle", "leaf"): 800, (None, "even"): 4, (None, "odd"): 4,
            ("even", "finish"): 4, ("odd", "finish"): 4})

    def test_handler(self):
        program = self.cross("handler", ["handler.c"], "-O1")
        printed = self.run_program(program, 500).numbers()
        expected = {("in_handler", "shared"): printed["signals"],
                    ("in_main", "shared"): printed["rounds"],
                    (None, "on_signal"): printed["signals"]}
        for n in range(256):
            expected["in_handler", f"f_{n:02x}"] = printed[f"h_{n:02x}"]
            expected["in_main", f"f_{n:02x}"] = printed[f"m_{n:02x}"]
        self.assert_calls(self.calls_of(program), {k: n for k, n in expected.items() if n})

    def test_callers_and_recursion(self):
        program = self.cross("callers", ["callers.c"], "-O1")
        self.run_program(program)
        self.assert_calls(self.calls_of(program), {(f"caller_{n}", "leaf"): n
                                                   for n in range(10, 100)})
        program = self.cross("recursion", ["recursion.c"], "-O1")
        self.run_program(program)
        self.assert_calls(self.calls_of(program), {("fib", "fib"): 21890, ("walk", "walk"): 2046})

    def test_callers_of_code_without_rules(self):
        program = self.cross("no_rules", ["no_rules_aarch64.c", "no_rules_aarch64.S"], "-O2", pg=False)
        self.run_program(program, 30_000_000, variables={"GPROF_STACKS": 1, "GPROF_RATE": 500})
        symbols = gmon_profile.symbols_of(program, NM)
        total = right = 0
        for stack in self.sidecar()["stacks"]:
            names = [symbols.name_at(address - (index > 0)) if module is not None and
                     module["path"] == str(program) else "?"
                     for index, (module, address) in enumerate(stack["frames"])]
            if names[0] not in ("leaf", "frameless", "pushes", "big", "vectors", "lies"):
                continue
            total += stack["count"]
            # A stack that is cut short does not count.
            right += stack["count"] * (names[1:3] in ([f"calls_{names[0]}", "main"], [f"points_to_{names[0]}", "main"])
                                       and stack["inferred_from"] == 1)
        self.assertGreater(total, 50)
        self.assertGreaterEqual(right, 0.98 * total)

    def test_through(self):
        library = self.cross("libthrough.so", ["through_library.c"], "-O1", "-fPIC", "-shared",
                             pg=False)
        program = self.cross("through", ["through.c"], "-O1", libraries=[library])
        printed = self.run_program(program).numbers()
        self.assert_calls(self.calls_of(program), {
            ("a", "cmp"): printed["a_cmp"], ("b", "cmp"): printed["b_cmp"],
            ("search", "same"): printed["search_same"], (None, "handled"): 25, (None, "start"): 4,
            ("first", "called_back"): 70, ("second", "called_back"): 700, ("third", "deeply"): 60})

    def test_library(self):
        library = self.cross("libprofiled.so", ["library.c"], "-O1", "-fPIC", "-shared",
                             "-DTAG=_one", "-Wl,-soname,libprofiled.so")
        program = self.cross("user", ["library_user.c"], "-O1", "-pthread", libraries=[library])
        self.run_program(program)
        self.assert_calls(self.calls_of(library, "gmon.out.libprofiled.so"), {
            ("enter_one", "middle_one"): 26, ("middle_one", "inner_one"): 104})
        self.assert_calls(self.calls_of(program), {("called_back", "own"): 4000})

    def test_endings(self):
        program = self.cross("endings", ["endings.c"], "-O1", "-pthread")
        for how, status in (("return", 7), ("_exit", 7), ("quick_exit", 7),
                            ("exit-in-thread", 7)):
            with self.subTest(how):
                self.run_program(program, how, status=status)
                self.assert_calls(self.calls_of(program), {
                    ("main", "alpha"): 1000, ("alpha", "beta"): 3000, ("ended", "gamma_"): 500,
                    ("running", "delta"): 700})

    def test_fork(self):
        program = self.cross("processes", ["processes.c"], "-O1")
        printed = self.run_program(program, "fork").numbers()
        self.assert_calls(self.calls_of(program), {("many", "before"): 11, ("many", "after"): 40,
                                                   ("many", "in_child"): 0})
        self.assert_calls(self.calls_of(program, f"gmon.out.{printed['child']}"),
                          {("many", "before"): 0, ("many", "in_child"): 23})

    def test_blocks(self):
        program = self.cross("updcrc.o", ["updcrc.c"], "-c", "-O0",
                             "-fsanitize-coverage=trace-pc")
        program = self.cross("updcrc", [program], libraries=[self.archive])
        self.run_program(program, preload=False)
        symbols = gmon_profile.symbols_of(program, NM)
        counts = [count for address, count in sorted(self.profile().blocks)
                  if symbols.name_at(address) == "updcrc"]
        self.assertEqual(counts[:3], [2, 1, 1])
        self.assertIn(26312, counts)
        never = {count for address, count in self.profile().blocks
                 if symbols.name_at(address) == "never"}
        self.assertEqual(never, {0})
