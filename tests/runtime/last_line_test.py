"""The last line of `gprof-lsp record`, compared with the sidecars that it summarises."""
import re

from gmon_profile import symbols_of
from harness import ARCHIVE
from record_support import ALL_FIGURES, FIGURES, RecordTest

MANY_CALLS = 100_000_000


def number(text):
    return int(text.replace(",", ""))


class LastLine(RecordTest):
    def line_of(self, *words):
        _, _, errors = self.record(*words)
        return self.last_line(errors)

    def sidecars(self):
        return [self.sidecar(name) for name in self.files() if name.endswith(".gpx")]

    def totals(self, *names):
        processes = [sidecar["process"] for sidecar in self.sidecars()]
        return tuple(sum(process[name] for process in processes) for name in names)

    def test_several_processes_are_told_of_together(self):
        line = self.line_of("--rate=1000", self.program, "fork")
        figures = re.match(rf"gmon\.out: {ALL_FIGURES}; further processes: gmon\.out\.\d+, ", line)
        self.assertTrue(figures, line)
        sidecars = self.sidecars()
        self.assertEqual(len(sidecars), 4)
        threads = sum(len(sidecar["threads"]) for sidecar in sidecars)
        self.assertEqual([number(group) for group in figures.groups()],
                         [*self.totals("calls"), 4, threads])
        self.assertGreater(number(figures[1]), sidecars[0]["process"]["calls"])

    def test_waiting_is_told(self):
        line = self.line_of("sh", "-c", f"sleep 0.5 | '{self.program}' echo")
        times = re.search(r"; ran ([\d.]+) s, ([\d.]+) s on CPU: waiting is not in the figures",
                          line)
        self.assertTrue(times, line)
        process = self.sidecars()[0]["process"]
        ran = (process["end_time"] - process["start_time"]) / 1e9
        self.assertAlmostEqual(float(times[1]), ran, delta=0.06 * ran)
        self.assertAlmostEqual(float(times[2]), process["cpu_time"] / 1e9,
                               delta=0.06 * process["cpu_time"] / 1e9)

    def test_what_no_sample_means(self):
        # One sample a second at random times: even a run of milliseconds has one now and then.
        for _ in range(5):
            line = self.line_of("--rate=1", self.program)
            self.assertRegex(line, f"^gmon.out: {FIGURES}$")
            if not self.sidecar()["samples"]:
                break
        self.assertRegex(line, r"no samples in .*; at 1 Hz, what takes less than 3 s may have no sample")
        self.assertNotIn("no sample", self.line_of("--rate=0", self.program).partition("; ran")[2])

    def test_samples_in_the_collector(self):
        """As a shared library, and linked in, where its functions identify it."""
        linked = self.build("linked", ["recorded.c"], "-O1", "-static", libraries=[ARCHIVE])
        symbols = symbols_of(linked)

        def is_collector(sample):
            if program == self.program:
                module = sample["module"]
                return module and module["path"].endswith("/libgprof_runtime.so")
            name = symbols.name_at(sample["address"])
            return name.startswith(("_ZN13gprof_runtime", "mcount", "_mcount", "__fentry__"))

        for program in self.program, linked:
            line = self.line_of("--rate=1000", program, "calls", MANY_CALLS)
            told = re.search(r"; ([\d,]+) samples \([\d.]+ %\) in the collector itself", line)
            self.assertTrue(told, line)
            self.assertEqual(number(told[1]), sum(
                sample["count"] for sample in self.sidecar()["samples"] if is_collector(sample)))
            price = re.search(r"counting calls (?:took )?(?:about|at least) ([\d.]+) %", line)
            self.assertTrue(price, line)
            process = self.sidecar()["process"]
            share = process["price_picoseconds"] / 1e3 * process["calls"] / process["cpu_time"]
            self.assertAlmostEqual(float(price[1]), min(100 * share, 100), delta=1)
