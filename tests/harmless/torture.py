#!/usr/bin/env python3
"""Random programs do the same under `gprof-lsp record` as without it.

  torture.py [--seed N] [--runs M] [--jobs J]

Runs the programs of M seeds from N on (1, 100), each without and with us. A seed also chooses the mode of the
recording, and whether the recorded program counts its calls (is built with -pg). A run that differs is
printed with its seed: programs/random/random_program.h says what the program does, and with
RANDOM_PROGRAM_DEBUG set it prints its actions.
"""
import argparse
import concurrent.futures
import dataclasses
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

import comparison
import runs

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
SOURCES = sorted((FOLDER / "programs" / "random").glob("*.c"))
# Clobbered: of variables that a jump leaves alone, since they do not change.
FLAGS = ("-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-clobbered", "-pthread")
PLAIN, COUNTING = "random_program", "random_program_counting"
PLAIN_SECONDS = 300
MEBIBYTE = 1 << 20
# A program starts some tens of processes and threads.
EXPECTATION = comparison.Expectation(disk=256 * MEBIBYTE, processes=100)


def build(folder):
    """Both programs; raises CalledProcessError."""
    for name, flags in ((PLAIN, ()), (COUNTING, ("-pg",))):
        subprocess.run(["gcc", *FLAGS, *flags, "-o", folder / name, *SOURCES, "-ldl", "-lm"], check=True)


@dataclasses.dataclass(frozen=True)
class Choice:
    mode: str
    counts: bool

    @staticmethod
    def of(seed):
        modes = list(comparison.MODES)
        return Choice(modes[seed % len(modes)], seed // len(modes) % 3 == 0)


class Torture:
    """`programs`: where build() has put them; `folder`: for the runs, which it has for itself."""

    def __init__(self, programs, server, folder):
        self.programs = programs
        self.server = server
        self.runner = runs.Runner(folder)

    def plain(self, seed):
        return self.runner.run([self.programs / PLAIN, seed], seconds=PLAIN_SECONDS)

    def recorded(self, seed, choice, seconds):
        program = self.programs / (COUNTING if choice.counts else PLAIN)
        return self.runner.run([self.server, "record", f"--output={self.runner.profiles}",
                                *comparison.MODES[choice.mode], "--", program, seed], seconds=seconds)

    def differences(self, seed):
        choice = Choice.of(seed)
        plain = self.plain(seed)
        if plain.status is None or plain.stderr:
            return [f"plain fails: {plain.status} {plain.stderr[:2000]}"]
        recorded = self.recorded(seed, choice, comparison.time_limit(plain.wall))
        found = comparison.differences(plain, recorded, EXPECTATION)
        if not found:
            return []
        by_itself = comparison.differences_of_runs(plain, self.plain(seed), EXPECTATION)
        if by_itself:
            return [f"two plain runs differ: {line}" for line in by_itself]
        return [f"{choice.mode}{', counting calls' if choice.counts else ''}: {line}" for line in found]


_torture = None


def _start(programs, server, folder):
    global _torture
    _torture = Torture(programs, server, pathlib.Path(folder) / f"runs-{os.getpid()}")


def _differences(seed):
    return _torture.differences(seed)


def run_many(server, folder, seeds, jobs, report):
    """Calls report(seed, differences) for each. Processes, since each is the parent of its orphans."""
    folder = pathlib.Path(folder)
    build(folder)
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start,
                                                (folder, server, folder)) as pool:
        for seed, found in zip(seeds, pool.map(_differences, seeds)):
            report(seed, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    server = pathlib.Path(os.path.abspath(os.environ.get("GPROF_LSP_SERVER") or
                                          ROOT / "build/release/bin/gprof-lsp"))
    different = []
    done = 0

    def report(seed, found):
        nonlocal done
        done += 1
        if found:
            different.append(seed)
            print(f"seed {seed}:", *found, sep="\n    ", flush=True)
        if done % 500 == 0:
            print(f"{done} runs, {len(different)} differ", flush=True)

    with tempfile.TemporaryDirectory(prefix="gprof-lsp-torture-") as folder:
        run_many(server, folder, range(given.seed, given.seed + given.runs), given.jobs, report)
    print(f"{done} runs, {len(different)} differ: {different}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
