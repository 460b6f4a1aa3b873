"""The mapped counters of a running program: read by others, and preset beyond 32 and 16 bits."""
import subprocess

import gmon_profile
from harness import LIBRARY, RuntimeTest, clean_environment, execute, require
from live_file import ARCS, SAMPLES, LiveFile
from profiled_program import FLAT_ROW, PRIMARY


class Live(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("presettable", ["presettable.c"], "-O1")

    def setUp(self):
        super().setUp()
        self.process = subprocess.Popen(
            [self.program], cwd=self.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env=clean_environment(LD_PRELOAD=LIBRARY, GPROF_LIVE=1, GPROF_RATE=250))
        self.addCleanup(self.end)
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        self.live = LiveFile(self.directory / f"gmon.live.{self.process.pid}")
        self.addCleanup(self.live.close)
        self.symbols = gmon_profile.symbols_of(self.program)
        self.bias = self.live.biases()[str(self.program)]

    def end(self):
        if self.process.returncode is None:
            _, stderr = self.process.communicate("", timeout=60)
            self.assertEqual((self.process.returncode, stderr), (0, ""))

    def more(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.stdout.readline(), "more\n")

    def name(self, address):
        return self.symbols.name_at(address - self.bias)

    def entry_of(self, caller, callee):
        found = [offset for offset, from_, self_, _ in self.live.entries(ARCS)
                 if (self.name(from_ - 1), self.name(self_)) == (caller, callee)]
        self.assertEqual(len(found), 1)
        return found[0]

    def count_of(self, caller, callee):
        offset = self.entry_of(caller, callee)
        return next(e[3] for e in self.live.entries(ARCS) if e[0] == offset)

    def test_counts_grow(self):
        seen = []
        for _ in range(4):
            seen.append(self.count_of("caller", "counted"))
            self.more()
        self.assertEqual(seen, [5, 10, 15, 20])
        self.end()
        self.assert_calls(self.calls(self.program), {("caller", "counted"): 25})

    def test_more_calls_than_32_bits_hold(self):
        self.live.set_count(self.entry_of("caller", "counted"), 5_000_000_000)
        self.more()
        self.end()
        self.assert_calls(self.calls(self.program), {("caller", "counted"): 5_000_000_005})
        self.assertTrue(all(count < 1 << 32 for _, _, count in self.profile().arcs))
        sidecar = self.sidecar()
        self.assertEqual(max(arc["count"] for arc in sidecar["arcs"]), 5_000_000_005)
        require("gprof")
        text = execute(["gprof", "-b", "-q", self.program, "gmon.out"], self.directory).stdout
        rows = {row[7]: row[5] for row in filter(None, map(PRIMARY.match, text.splitlines()))}
        self.assertEqual(rows["counted"], "5000000005")

    def test_more_samples_than_16_bits_hold(self):
        wanted = [(offset, count) for offset, address, _, count in self.live.entries(SAMPLES)
                  if self.name(address) == "burn"]
        self.assertGreater(len(wanted), 0)
        offset = max(wanted, key=lambda entry: entry[1])[0]
        others = sum(count for place, count in wanted if place != offset)
        self.live.set_count(offset, 200_000, SAMPLES)
        self.end()
        profile = self.profile()
        found = gmon_profile.samples(profile, self.symbols)["burn"]
        self.assertEqual(found, 200_000 + others)
        self.assertLess((self.directory / "gmon.out").stat().st_size, 200_000)
        require("gprof")
        text = execute(["gprof", "-b", "-p", self.program, "gmon.out"], self.directory).stdout
        rows = {row[7]: float(row[3]) for row in filter(None, map(FLAT_ROW.match,
                                                                 text.splitlines()))}
        self.assertAlmostEqual(rows["burn"], found / 250, delta=0.02)

    def test_saturated_counts_do_not_wrap(self):
        self.live.set_count(self.entry_of("caller", "counted"), (1 << 64) - 3)
        outcome = self.process.communicate("", timeout=60)
        self.assertEqual((self.process.returncode, outcome[1].count("\n") <= 1), (0, True))
