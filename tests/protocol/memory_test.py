"""A reader of large profiles in little memory: it succeeds, or says that it cannot; what it does not
do is to print half of a report and end well, or to be killed."""
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys

import harness
from tested_build import NOT_HERE, not_sanitized

GENERATOR = pathlib.Path(__file__).resolve().parents[1] / "bench" / "generate_program.py"
FUNCTIONS = 20_000
MEGABYTE = 1 << 20
SAYS_THAT_IT_CANNOT = "not enough memory"


def limited(limit):
    """Limits a process's data before it starts: allocations fail from there on."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


@not_sanitized("a sanitizer's shadow memory needs more than any limit leaves")
class Memory(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        if platform.machine() != "x86_64" or not (shutil.which("as") and shutil.which("gcc")):
            self.skipTest(f"{NOT_HERE}programs are generated for x86-64, with as and gcc")
        subprocess.run([sys.executable, GENERATOR, "--functions", str(FUNCTIONS), "--files", "20",
                        "--output", self.folder], check=True)

    def run_in(self, limit, *words):
        return subprocess.run([harness.SERVER, *words, "program", "gmon.out"], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              preexec_fn=limited(limit * MEGABYTE))

    def test_a_report_is_whole_or_the_exit_status_says_so(self):
        for words in (("report", "-b"), ("report", "-b", "-l")):
            whole = self.run_in(4096, *words)
            self.assertEqual(0, whole.returncode, whole.stderr)
            outcomes = set()
            for limit in (12, 16, 24, 32, 48, 64, 96, 192):
                run = self.run_in(limit, *words)
                outcomes.add(run.returncode)
                with self.subTest(words=words, limit=limit):
                    if run.returncode == 0:
                        self.assertEqual(whole.stdout, run.stdout)
                    else:
                        self.assertEqual(1, run.returncode, run.stderr)
                        self.assertIn(SAYS_THAT_IT_CANNOT, run.stderr)
            self.assertEqual({0, 1}, outcomes, "limits on both sides were tried")

    def test_an_export_says_it_too(self):
        run = self.run_in(6, "export", "--format", "callgrind")
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertIn(SAYS_THAT_IT_CANNOT, run.stderr)

    def test_a_section_that_expands_takes_what_it_expands_to(self):
        if not shutil.which("objcopy"):
            self.skipTest("objcopy is not there")
        unpacked = 60 * MEGABYTE  # of the 64 that any file may expand to
        section = self.folder / "section"
        subprocess.run(["objcopy", f"--dump-section=.debug_str={section}", "program", "/dev/null"],
                       cwd=self.folder, check=True)
        os.truncate(section, unpacked)
        subprocess.run(["objcopy", f"--update-section=.debug_str={section}", "program", "large"],
                       cwd=self.folder, check=True)
        subprocess.run(["objcopy", "--compress-debug-sections=zlib", "large", "packed"],
                       cwd=self.folder, check=True)
        self.assertLess((self.folder / "packed").stat().st_size, unpacked / 8)
        peaks = {name: self.peak_of("report", "-b", name, "gmon.out")
                 for name in ("program", "packed")}
        # A buffer that doubles while it is filled would take half as much again.
        self.assertGreater(peaks["packed"] - peaks["program"], 0.8 * unpacked)
        self.assertLess(peaks["packed"] - peaks["program"], 1.25 * unpacked)

    def peak_of(self, *words):
        """Bytes: the largest resident set of the program."""
        script = ("import resource, subprocess, sys; "
                  "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
        run = subprocess.run([sys.executable, "-c", script, harness.SERVER, *words],
                             cwd=self.folder, capture_output=True, text=True, check=True)
        return int(run.stdout)
