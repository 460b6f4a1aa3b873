"""Profiles of a program with more than 128 KiB of code: several runs add up, here and in GNU gprof."""
import collections
import json
import unittest

import gmon_files
import gmon_profile
from harness import SERVER, RuntimeTest, execute, require, require_file

LARGEST_BIN = 65535
WINDOW = 1024


class LargeCode(RuntimeTest):
    @classmethod
    def programs(cls):
        require_file(SERVER)
        # The flag keeps the padding in its place before the loops.
        cls.program = cls.build("large_code", ["large_code.c"], "-O1", "-fno-toplevel-reorder")

    def run_into(self, name, *words, rate=1000):
        self.profiled(self.program, *words, variables={"GPROF_RATE": rate})
        (self.directory / "gmon.out").rename(self.directory / name)
        (self.directory / "gmon.out.gpx").unlink()
        return self.profile(name)

    def report(self, tool, *words):
        done = execute([*tool, *words], self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""), words)
        return done.stdout

    def gnu(self, *words):
        require("gprof")
        return self.report(["gprof"], *words)

    def ours(self, *words):
        return self.report([SERVER, "report"], *words)

    def exported(self, *profiles):
        text = self.report([SERVER, "export"], "--format=json", self.program, *profiles)
        return {entry["name"]: entry["self"] for entry in json.loads(text)["functions"]}

    def samples_of(self, *profiles):
        total = collections.Counter()
        symbols = gmon_profile.symbols_of(self.program)
        for profile in profiles:
            total += gmon_profile.samples(profile, symbols)
        return total

    def write(self, name, histograms, arcs):
        records = [gmon_files.Histogram(h.low, h.high, list(h.bins), h.rate) for h in histograms]
        records += [gmon_files.Arc(*arc) for arc in arcs]
        gmon_files.write(self.directory / name, records)

    def assert_summed_alike(self, total, *names):
        """By GNU gprof's -s and by ours, each reading both sums, and by exports of several profiles."""
        self.gnu("-s", self.program, *names)
        by_gnu = self.gnu("-b", "-p", self.program, "gmon.sum")
        self.ours("-s", self.program, *names)
        self.assertEqual(self.gnu("-b", "-p", self.program, "gmon.sum"), by_gnu)
        self.assertEqual(self.ours("-b", "-p", self.program, "gmon.sum"), by_gnu)
        self.assertEqual(self.profile("gmon.sum").samples, sum(total.values()))
        self.assert_exported(total, *names)

    def assert_exported(self, total, *names):
        seconds = self.exported(*names)
        for name in ("first", "second", "third", "far"):
            self.assertAlmostEqual(seconds.get(name, 0), total[name] / 1000, delta=1e-6)

    def test_two_runs_add_up(self):
        a = self.run_into("gmon.a", "first", 200, "second", 200)
        b = self.run_into("gmon.b", "second", 200, "third", 200, "far", 200)
        total = self.samples_of(a, b)
        self.assertGreater(total["second"], 100)
        self.assertGreater(len({h.low for h in a.histograms}), 1)
        for histogram in (*a.histograms, *b.histograms):
            self.assertEqual(histogram.low // WINDOW, (histogram.high - 1) // WINDOW)
        self.assert_summed_alike(total, "gmon.a", "gmon.b")

    def test_a_bin_beyond_16_bits_in_one_of_them(self):
        a = self.run_into("gmon.a", "pinned", 4500, rate=20000)
        if max(self.samples_of(a).values()) <= LARGEST_BIN:
            raise unittest.SkipTest("skipped: too few samples a second for 16 bits to overflow")
        b = self.run_into("gmon.b", "first", 100, "pinned", 100, rate=20000)
        records = collections.Counter((h.low, h.high) for h in a.histograms)
        self.assertGreater(max(records.values()), 1)
        ranges = sorted({(h.low, h.high) for h in (*a.histograms, *b.histograms)})
        self.assertTrue(all(x[1] <= y[0] for x, y in zip(ranges, ranges[1:])), ranges)
        # GNU gprof's own sums wrap at 16 bits; its reports of both files do not.
        both = self.gnu("-b", "-p", self.program, "gmon.a", "gmon.b")
        self.assertEqual(self.ours("-b", "-p", self.program, "gmon.a", "gmon.b"), both)
        self.ours("-s", self.program, "gmon.a", "gmon.b")
        self.assertEqual(self.gnu("-b", "-p", self.program, "gmon.sum"), both)

    def test_files_with_joined_windows(self):
        """As older versions wrote them: adjacent windows joined, and bins beyond 16 bits separate."""
        a = self.run_into("gmon.a", "first", 200, "second", 200)
        b = self.run_into("gmon.b", "second", 200, "third", 200)
        total = self.samples_of(a, b)
        self.write("gmon.old", with_bin_apart(joined(a.histograms)), a.arcs)
        self.write("gmon.old2", joined(b.histograms), b.arcs)
        done = execute(["gprof", "-b", "-p", self.program, "gmon.old", "gmon.old2"],
                       self.directory)
        self.assertIn("overlapping histogram records", done.stderr)
        self.ours("-s", self.program, "gmon.old", "gmon.old2")
        self.assertEqual(self.profile("gmon.sum").samples, sum(total.values()))
        self.assertEqual(self.gnu("-b", "-p", self.program, "gmon.sum"),
                         self.gnu("-b", "-p", self.program, "gmon.a", "gmon.b"))
        self.assert_exported(total, "gmon.old", "gmon.old2")
        self.assert_exported(total, "gmon.old", "gmon.b")


def joined(histograms):
    result = []
    for histogram in sorted(histograms, key=lambda h: h.low):
        if result and result[-1].high == histogram.low:
            before = result.pop()
            histogram = gmon_profile.Histogram(before.low, histogram.high, histogram.rate,
                                               histogram.dimension, before.bins + histogram.bins)
        result.append(histogram)
    return result


def with_bin_apart(histograms):
    """Moves the largest bin to a record of its own."""
    hottest = max(histograms, key=lambda h: max(h.bins))
    at = hottest.bins.index(max(hottest.bins))
    low = hottest.low + 2 * at

    def part(begin, end, bins):
        return gmon_profile.Histogram(begin, end, hottest.rate, hottest.dimension, bins)
    return [*(h for h in histograms if h is not hottest),
            part(hottest.low, low, hottest.bins[:at]), part(low, low + 2, hottest.bins[at:at + 1]),
            part(low + 2, hottest.high, hottest.bins[at + 1:])]
