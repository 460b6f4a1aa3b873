"""Runs programs in turn and records what they cost.

CPU time is user plus system time, because the kernel's part of a sample is a cost of sampling. The
sum is exact (the scheduler's clock), while the kernel separates the two by its ticks.
"""

import dataclasses
import os
import pathlib
import statistics
import sys
import time


@dataclasses.dataclass
class Variant:
    """One way to run a program. `cost`: "cpu" or "clock" seconds of the process, or the number of
    the word of its output that is the figure."""
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    cost: object = "cpu"
    runs_a_turn: int = 1


class Runner:
    """Runs programs in its own folder, which profiles go to as well."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.runs = 0

    def environment(self, additions):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("GPROF_", "GMON_", "LD_"))}
        return {**kept, **additions}

    def run(self, variant):
        """The figure, and the standard output."""
        output = self.folder / "output"
        actions = [(os.POSIX_SPAWN_OPEN, 1, os.fspath(output),
                    os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
        command = [os.fspath(word) for word in variant.command]
        begin = time.perf_counter()
        process = os.posix_spawn(command[0], command, self.environment(variant.environment),
                                 file_actions=actions)
        _, status, usage = os.wait4(process, 0)
        clock = time.perf_counter() - begin
        if status != 0:
            sys.exit(f"{' '.join(command)} ended with status {status}")
        self.runs += 1
        text = output.read_text()
        if variant.cost == "cpu":
            return usage.ru_utime + usage.ru_stime, text
        if variant.cost == "clock":
            return clock, text
        return float(text.split()[variant.cost]), text

    def run_in_turns(self, title, variants, turns):
        """{name: [figure of each turn]}, the smallest if a turn has several runs. Variants whose
        figure is not in their output must print the same."""
        figures = {name: [] for name in variants}
        outputs = set()
        before = pathlib.Path.cwd()
        os.chdir(self.folder)
        try:
            for turn in range(turns):
                print(f"\r\033[K{title}: turn {turn + 1} of {turns}", end="", file=sys.stderr,
                      flush=True)
                for name, variant in variants.items():
                    best = None
                    for _ in range(variant.runs_a_turn):
                        figure, text = self.run(variant)
                        best = figure if best is None else min(best, figure)
                        if isinstance(variant.cost, str):
                            outputs.add(text)
                    figures[name].append(best)
        finally:
            os.chdir(before)
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if len(outputs) > 1:
            sys.exit(f"{title}: the programs did not print the same: {outputs}")
        return figures


def best(values):
    """The minimum: disturbances only ever add to a run."""
    return min(values)


def spread(values):
    """How far the median is above the minimum, as a share."""
    return statistics.median(values) / min(values) - 1
