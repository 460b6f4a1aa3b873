"""Time in the kernel is sampled, too, where the program caused it, whatever that costs at a switch."""
import math
import re
import resource
import shutil
import signal
import unittest

import gmon_profile
import sidecar
from chance import NEVER
from editor import Editor
from harness import LIBRARY, PROGRAMS, SERVER, RuntimeTest, clean_environment, execute

RATE = 1000
# What, how many threads, and for how many milliseconds each. Of such times, what begins and ends
# between two ticks is less than a hundredth.
CASES = (("touch", 1, 2000), ("map", 1, 2000), ("discard", 1, 2000), ("grow", 1, 2000),
         ("mixed", 1, 2500), ("yield", 1, 2000), ("yield", 4, 2000), ("touch", 4, 1000),
         ("mixed", 4, 1000))
MOST_MISSED = 0.03
# A tick places a random number of samples, of this mean; ticks come at least so often.
SAMPLES_A_TICK = 10
# The share of a thread's CPU time that perf's event may cost at context switches.
BEARABLE_SHARE = 0.1


class KernelTime(RuntimeTest):
    @classmethod
    def programs(cls):
        # Beside its profile, for an editor.
        shutil.copy(PROGRAMS / "kernel_time.c", cls.built)
        cls.program = cls.build("kernel_time", ["kernel_time.c"], "-O1", "-pthread", pg=False)
        cls.refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        cls.hand_over = cls.build("hand_over", ["hand_over.c"], "-O1", "-pthread", pg=False)

    def run_case(self, *words):
        outcome = self.preloaded(self.program, *words, variables={"GPROF_RATE": RATE})
        self.assertEqual(outcome.status, 0)
        process = self.sidecar()["process"]
        if process["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        return outcome.numbers(), process

    def test_all_time_is_covered(self):
        for how, threads, milliseconds in CASES:
            with self.subTest(f"{how} in {threads}"):
                took, process = self.run_case(how, threads, milliseconds)
                self.assertLess(abs(process["cpu_time"] / took["cpu"] - 1), 0.02, (took, process))
                covered = process["covered_time"] / (process["cpu_time"] - process["sampling_time"])
                # Where threads give way to each other, no more is known of a tick than that it struck: the ticks of a
                # time are at worst a Poisson process.
                by_chance = NEVER * math.sqrt(process["tick_period"] / process["cpu_time"])
                self.assertLess(abs(covered - 1), MOST_MISSED + by_chance, process)
                for name in self.files():
                    (self.directory / name).unlink()

    def run_mixed(self):
        """One run of everything serves several tests. Its profile is in this test's directory, too."""
        kept = self.built / "mixed"
        if not kept.is_dir():
            figures = self.run_case("mixed", 1, 3000)
            shutil.copytree(self.directory, kept)
            type(self).mixed = figures
        shutil.copytree(kept, self.directory, dirs_exist_ok=True)
        return self.mixed

    def test_at_what_caused_it(self):
        took, process = self.run_mixed()
        samples = gmon_profile.samples(self.profile(), gmon_profile.symbols_of(self.program))
        own = 1 - process["sampling_time"] / process["cpu_time"]
        for name, groups in (("touch", SAMPLES_A_TICK), ("compute", 1)):
            expected = took[name] / 1e9 * RATE * own
            self.assertGreater(expected, 100, took)
            allowed = NEVER * math.sqrt(expected * (1 + groups)) + MOST_MISSED * expected
            self.assertLess(abs(samples[name] - expected), allowed, (samples, took))

    def check_share(self, took, process):
        """Of all samples, as many are in the kernel as getrusage says."""
        samples = self.sidecar()["samples"]
        kernel = sum(sample["kernel_count"] for sample in samples)
        others = sum(sample["count"] for sample in samples) - kernel
        share, expected = kernel / (kernel + others), took["kernel"] / took["cpu"]
        # Of our share, as KernelSamples has it, and of the kernel's, which is by its ticks, too.
        groups = 1 if process["sample_source"] == "perf_clock" else 1 + SAMPLES_A_TICK
        ours = (others ** 2 * kernel * (1 + SAMPLES_A_TICK) + kernel ** 2 * others * groups) / (kernel + others) ** 4
        of_ticks = expected * (1 - expected) * process["tick_period"] / took["cpu"]
        by_collector = process["sampling_time"] / process["cpu_time"]
        allowed = NEVER * math.sqrt(ours + of_ticks) + MOST_MISSED + by_collector
        self.assertLess(abs(share - expected), allowed, (kernel, others, took, process))

    def test_samples_are_marked(self):
        for how in ("touch", "mixed", "yield"):
            with self.subTest(how):
                took, process = self.run_mixed() if how == "mixed" else self.run_case(how, 1, 3000)
                self.assertTrue(process["flags"] & sidecar.MARKS_KERNEL_TIME)
                self.check_share(took, process)
                for name in self.files():
                    (self.directory / name).unlink()

    def test_samples_of_ticks_alone_are_marked(self):
        if execute([self.refuse, "EPERM", "perf_event_open", "/bin/true"], self.directory).status != 0:
            self.skipTest("skipped: no seccomp")
        outcome = execute([self.refuse, "EPERM", "perf_event_open", self.program, "mixed", 1, 3000], self.directory,
                          clean_environment(REFUSED_PRELOAD=LIBRARY, GPROF_RATE=RATE))
        self.assertEqual(outcome.status, 0)
        process = self.sidecar()["process"]
        self.assertEqual(process["sample_source"], "thread_timers")
        self.check_share(outcome.numbers(), process)

    def samples_in(self, function):
        """All of them, and those in the kernel."""
        parts = self.sidecar()
        symbols = gmon_profile.symbols_of(self.program)
        found = [sample for sample in parts["samples"] if sample["module"] is parts["modules"][0]
                 and symbols.name_at(sample["address"]) == function]
        return tuple(sum(sample[name] for sample in found) for name in ("count", "kernel_count"))

    def test_computing_is_not_marked(self):
        """An interrupt may strike it, but seldom."""
        self.run_mixed()
        count, kernel = self.samples_in("compute")
        self.assertGreater(count, 100)
        self.assertLess(kernel, MOST_MISSED * count + NEVER * math.sqrt(MOST_MISSED * count * (1 + SAMPLES_A_TICK)))

    def test_by_thread_and_time(self):
        """Nothing is lost between a place and its parts."""
        self.run_case("mixed", 4, 1000)
        parts = self.sidecar()
        sums = [0] * len(parts["samples"])
        for part in parts["sample_parts"]:
            sums[part["whole"]] += part["kernel_count"]
        self.assertEqual(sums, [sample["kernel_count"] for sample in parts["samples"]])
        threads = {part["thread"]["thread"] for part in parts["sample_parts"] if part["kernel_count"] > 0}
        self.assertEqual(len(threads), 4)

    def test_hover(self):
        """On the function and on the line that touches pages; nothing where there is only computing."""
        self.run_mixed()
        count, kernel = self.samples_in("touch")
        for name in self.files():
            shutil.copy(self.directory / name, self.built)
        with Editor(self.built, opened=["kernel_time.c"], server=str(SERVER)) as editor:
            editor.wait_for(lambda: editor.lenses("kernel_time.c"), "lenses")
            lines = (self.built / "kernel_time.c").read_text().splitlines()

            def share_at(fragment):
                number = next(i for i, line in enumerate(lines) if fragment in line)
                hover = editor.client.request("textDocument/hover", {
                    "textDocument": {"uri": editor.uri("kernel_time.c")}, "position": {"line": number, "character": 0}})
                found = re.search(r"of that in the kernel: (\d+) %", hover["contents"]["value"])
                return int(found[1]) / 100 if found else None

            share = kernel / count
            self.assertAlmostEqual(share_at("static void touch(volatile"), share, delta=0.011)
            # What the kernel does, it does for this line alone.
            self.assertGreaterEqual(share_at("memory[i] = 1;"), share - 0.011)
            self.assertIsNone(share_at("static void compute(long"))

    def test_recovered(self):
        """The live counters of a killed process have the marks as well."""
        took, _ = self.run_mixed()
        share = min(took["kernel"] / took["touch"], 1)
        for name in self.files():
            (self.directory / name).unlink()
        outcome = self.preloaded(self.program, "touch", 1, 60000, variables={"GPROF_RATE": RATE},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
        self.assertEqual(outcome.status, -signal.SIGKILL)
        self.assertEqual(self.recover().status, 0)
        found = self.sidecar()
        if found["process"]["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        self.assertTrue(found["process"]["flags"] & sidecar.MARKS_KERNEL_TIME)
        kernel, count = (sum(sample[name] for sample in found["samples"]) for name in ("kernel_count", "count"))
        self.assertGreater(count, 300)
        self.assertGreater(kernel / count, share / 2)

    def test_threads_that_switch_often_have_no_event(self):
        """perf's events cost at each switch; a thread gets one back when its switches are rare."""
        outcome = self.preloaded(self.hand_over, variables={"GPROF_RATE": RATE})
        self.assertEqual(outcome.status, 0)
        events = outcome.numbers()
        if events["before"] == 0:
            self.skipTest("skipped: perf's clock is not allowed")
        self.assertEqual((events["before"], events["after"]), (1, 1), events)
        # If an event is cheap, or hand-overs are slow, threads keep theirs.
        if events["price"] > BEARABLE_SHARE * 2 * events["cpu_of_switch"]:
            self.assertEqual((events["handing"], events["started"]), (0, 0), events)


if __name__ == "__main__":
    unittest.main()
