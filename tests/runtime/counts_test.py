"""Every call is counted, in every thread and signal handler, for the right caller."""
import re

import gmon_profile
from harness import RuntimeTest, execute, require

CALLEES, ROUNDS = 3000, 20


def many_callees():
    """A program that calls 3,000 functions from one place."""
    functions = "".join(f"NOT_INLINE void g{n}(void) {{ BARRIER; }}\n" for n in range(CALLEES))
    table = ", ".join(f"g{n}" for n in range(CALLEES))
    return ('#define NOT_INLINE __attribute__((noinline))\n#define BARRIER __asm__ volatile("")\n'
            f"{functions}static void (*const table[])(void) = {{{table}}};\n"
            "NOT_INLINE void site(int n) { table[n](); BARRIER; }\n"
            f"int main(void) {{\n  for (int r = 0; r < {ROUNDS}; r++)\n"
            f"    for (int n = 0; n < {CALLEES}; n++) site(n);\n  return 0;\n}}\n")


class Threads(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("threads", ["threads.c"], "-O1", "-pthread")

    def assert_counts(self, threads, calls, mode):
        self.profiled(self.program, mode, threads, calls)
        half = threads // 2
        self.assert_only_calls(self.calls(self.program), {
            ("even", "tiny"): half * calls, ("odd", "tiny"): half * calls,
            ("odd", "middle"): half * 100, ("middle", "leaf"): half * 200,
            (None, "even"): half, (None, "odd"): half,
            ("even", "finish"): half, ("odd", "finish"): half})
        self.assertEqual([t for t in self.files() if "live" in t or "tmp" in t], [])

    def test_eight_at_once(self):
        self.assert_counts(8, 20_000_000, "together")

    def test_two_at_once(self):
        self.assert_counts(2, 10_000_000, "together")

    def test_sixty_four_at_once(self):
        self.assert_counts(64, 20_000, "together")

    def test_a_thousand_one_after_the_other(self):
        self.assert_counts(1000, 1000, "one-by-one")

    def test_a_thousand_short_ones_at_once(self):
        self.assert_counts(1000, 10, "together")

    def test_running_at_the_end(self):
        self.assert_counts(16, 50_000, "running")

    def test_totals_of_each_thread(self):
        self.profiled(self.program, "one-by-one", 10, 5000)
        threads = self.sidecar()["threads"]
        workers = sorted(t["calls"] for t in threads)[-10:]
        # start function, tiny, finish; half of them also middle and leaf
        self.assertEqual(workers, [5002] * 5 + [5302] * 5)
        self.assertEqual(sum(t["calls"] for t in threads), self.sidecar()["process"]["calls"])


class Handlers(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.handler = cls.build("handler", ["handler.c"], "-O1")
        cls.hammered = cls.build("hammered", ["hammered.c"], "-O1", "-pthread")

    def test_in_a_handler_of_10_kilohertz(self):
        printed = self.profiled(self.handler, 10_000).numbers()
        expected = {("in_handler", "shared"): printed["signals"],
                    ("in_main", "shared"): printed["rounds"],
                    ("main", "in_main"): printed["rounds"],
                    ("on_signal", "in_handler"): printed["signals"],
                    (None, "on_signal"): printed["signals"]}
        for n in range(256):
            expected["in_handler", f"f_{n:02x}"] = printed[f"h_{n:02x}"]
            expected["in_main", f"f_{n:02x}"] = printed[f"m_{n:02x}"]
        # Handlers may leave main too little time to reach all of its calls.
        self.assert_only_calls(self.calls(self.handler), {arc: times for arc, times in expected.items() if times})

    def test_threads_under_a_hail_of_signals(self):
        printed = self.profiled(self.hammered, 8_000).numbers()
        self.assert_only_calls(self.calls(self.hammered), {
            ("worker", "tiny"): printed["rounds"], (None, "worker"): 4,
            (None, "on_outer"): printed["outer"], ("on_outer", "tiny"): 10 * printed["outer"],
            (None, "on_inner"): printed["inner"], ("on_inner", "tiny"): printed["inner"]})


class Callers(RuntimeTest):
    @classmethod
    def programs(cls):
        (cls.built / "callees.c").write_text(many_callees())
        cls.callees = cls.build("callees", ["callees.c"], "-O1")
        cls.recursion = cls.build("recursion", ["recursion.c"], "-O1")

    def test_three_thousand_callees_of_one_site(self):
        self.profiled(self.callees)
        expected = {("site", f"g{n}"): ROUNDS for n in range(CALLEES)}
        expected["main", "site"] = CALLEES * ROUNDS
        self.assert_only_calls(self.calls(self.callees), expected)
        sites = {from_ for from_, _, count in self.profile().arcs if count == ROUNDS}
        self.assertEqual(len(sites), 1)

    def test_recursion(self):
        self.profiled(self.recursion)
        self.assert_only_calls(self.calls(self.recursion), {
            ("main", "fib"): 1, ("fib", "fib"): 21890,
            ("main", "is_even"): 1, ("is_even", "is_odd"): 501, ("is_odd", "is_even"): 500,
            ("main", "walk"): 1, ("walk", "walk"): 2046})

    def assert_callers(self, *flags, compiler="gcc"):
        name = "callers" + "".join(flags)
        self.build(name, ["callers.c"], *flags, compiler=compiler)
        self.profiled(self.built / name)
        expected = {(f"caller_{n}", "leaf"): n for n in range(10, 100)}
        expected |= {("main", f"caller_{n}"): n for n in range(10, 100)}
        self.assert_only_calls(self.calls(self.built / name), expected)

    def test_exact_callers_with_mcount(self):
        self.assert_callers("-O1")

    def test_exact_callers_with_fentry(self):
        for level in ("-O0", "-O1", "-Os", "-O2"):
            with self.subTest(level):
                self.assert_callers("-mfentry", level)

    def test_exact_callers_with_clang(self):
        require("clang")
        for flags in (("-O1",), ("-Os",), ("-mfentry", "-O1")):
            with self.subTest(flags):
                self.assert_callers(*flags, compiler="clang")

    def test_exact_addresses(self):
        """`from` is the return address of a call, and `self` lies at the beginning of the function."""
        require("objdump")
        program = self.build("exact", ["callers.c"], "-O1", "-mfentry")
        self.profiled(program)
        lines = execute(["objdump", "-d", "--no-show-raw-insn", program], self.directory).stdout
        returns = re.findall(r"\bcall +[0-9a-f]+ <leaf>\n +([0-9a-f]+):", lines)
        symbols = gmon_profile.symbols_of(program)
        arcs = [arc for arc in self.profile().arcs if symbols.name_at(arc[1]) == "leaf"]
        self.assertEqual(sorted(from_ for from_, _, _ in arcs), sorted(int(r, 16) for r in returns))
        self.assertEqual(len({self_ for _, self_, _ in arcs}), 1)
