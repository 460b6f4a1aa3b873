"""Runs a row plain and in every mode, and says what differs."""
import shutil

import comparison
from comparison import MODES, differences, differences_of_runs, differences_of_time, time_limit


class Checker:
    """`timed`: the long form. It runs plain twice, and judges times."""

    def __init__(self, runner, server, timed=False):
        self.runner = runner
        self.server = server
        self.timed = timed
        self.largest_disk = 0

    def run(self, row, options=None, seconds=None):
        command = ["/bin/sh", "-c", row.run]
        if options is not None:
            command = [self.server, "record", f"--output={self.runner.profiles}", *options, "--", *command]
        return self.runner.run(command, seconds=seconds or row.seconds, leaves=row.leaves,
                               varying=row.varying, unseen=row.unseen)

    def check(self, row, modes=MODES):
        """What differs, as lines; none if all is as it should be."""
        problem = self.runner.prepare(row.prepare or ":")
        if problem:
            return [f"preparation failed: {problem}"]
        plain = self.run(row)
        if plain.status is None:
            return [f"plain hangs: {plain.stderr[-1000:]}"]
        # Processes that stay without being named would make each run wait for them.
        if plain.children != tuple(sorted(row.leaves)):
            return [f"plain leaves {plain.children}, and the row says {row.leaves}"]
        if self.timed:
            found = self.varies(row, plain)
            if found:
                return found
        found = []
        for mode, options in modes.items():
            found += [f"{mode}: {line}" for line in self.check_mode(row, plain, options)]
        return found

    def varies(self, row, plain):
        """A command whose plain runs differ says nothing about us."""
        again = differences_of_runs(plain, self.run(row), row.expectation())
        return [f"two plain runs differ: {line}" for line in again]

    def unlike_every_plain_run(self, row, plain, recorded, found):
        """A busy machine may change what a command prints, with and without us: what counts is whether it does by
        itself what it did with us."""
        for _ in range(comparison.MOST_RUNS):
            if not differences(self.run(row), recorded, row.expectation()):
                return []
        return self.varies(row, plain) or found

    def check_mode(self, row, plain, options):
        recorded = self.run(row, options, time_limit(plain.wall))
        self.largest_disk = max(self.largest_disk, recorded.disk)
        found = differences(plain, recorded, row.expectation())
        if found and not self.timed and recorded.status is not None:
            return self.unlike_every_plain_run(row, plain, recorded, found)
        if found or not self.timed:
            return found
        runs = [plain], [recorded]
        while slow := differences_of_time(*runs):
            if len(runs[1]) == comparison.MOST_RUNS:
                return slow
            runs[0].append(self.run(row))
            runs[1].append(self.run(row, options, time_limit(plain.wall)))
        return []

    def clear(self):
        shutil.rmtree(self.runner.folder, ignore_errors=True)
