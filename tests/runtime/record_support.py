"""For tests of `gprof-lsp record` and `gprof-lsp recover`: the program that they run, and the server."""
import os
import shutil
import subprocess

from harness import LIBRARY, SERVER, RuntimeTest, clean_environment, require_file

# For one process that lost nothing: the calls and the threads, then the main figures of the samples.
FIGURES = (r"([\d,]+) calls?, (?:no samples in [\d.]+ s of CPU time|"
           r"[\d,]+ samples?(?: at (?:[\d.,]+ of )?[\d,]+ Hz|, [\d,]+ Hz asked for)), "
           r"(\d+) threads?, nothing lost"
           r"; ran <?[\d.,]+ s, <?[\d.]+ s on CPU"
           r"(?:, waited [\d.,]+ s for a CPU)?"
           r"(?:: waiting is not in the figures|, waited <?[\d.,]+ s(?:, idle <?[\d.,]+ s)?)?"
           r"(?:; at [\d,]+ Hz, what takes less than [\d.]+ s may have no sample)?"
           r"(?:; times are about [\d.]+ % too (?:small|large)[^;]*)?"
           r"(?:; the places of [\d.]+ % of the samples go with [^;]*(?:; kernel[^;]*)?)?"
           r"(?:; [\d,]+ samples? \([\d.]+ %\) in [^;]*)?"
           r"(?:; [\d.]+ % of the stacks are truncated[^;]*)?"
           r"(?:; sampling took <?[\d.]+ % of the CPU time)?"
           r"(?:[;,] counting calls (?:took )?(?:about|at least) [\d.]+ %(?: of the CPU time)?)?")
# The same for several processes together.
ALL_FIGURES = FIGURES.replace(r"(\d+) threads", r"(\d+) processes, (\d+) threads")


class RecordTest(RuntimeTest):
    @classmethod
    def programs(cls):
        require_file(SERVER)
        cls.program = cls.build("recorded", ["recorded.c"], "-O1")
        cls.plain_program = cls.build("plain", ["recorded.c"], "-O1", pg=False)

    @classmethod
    def server_within_reach(cls):
        """The server, where another user may run it, with its collector."""
        if os.geteuid() != 0:
            return SERVER
        for path, folder in ((SERVER, "bin"), (LIBRARY, "lib")):
            (cls.built / folder).mkdir()
            shutil.copy(path, cls.built / folder)
        return cls.built / "bin" / SERVER.name

    def record(self, *words, **options):
        return self.run_server("record", *words, **options)

    def run_server(self, *words, directory=None, input="", variables=None, **options):
        done = subprocess.run([SERVER, *map(str, words)], cwd=directory or self.directory,
                              input=input, capture_output=True, text=True, timeout=120,
                              env=clean_environment(**(variables or {})), check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def start(self, *words, variables=None, **options):
        """A recording that has printed its process id and "ready"."""
        process = subprocess.Popen([SERVER, "record", *map(str, words)], cwd=self.directory,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=clean_environment(**(variables or {})), **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        number = int(process.stdout.readline())
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process, number

    def last_line(self, errors):
        self.assertTrue(errors.endswith("\n"), errors)
        line = errors.splitlines()[-1]
        self.assertTrue(line.startswith("gprof-lsp: "), errors)
        return line.removeprefix("gprof-lsp: ")
