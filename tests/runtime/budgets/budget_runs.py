"""Runs a budget program under the collector, and compares its times with the truth."""
import pathlib
import sys
import tempfile

# The full form is run without tests/run.py.
RUNTIME = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(RUNTIME), str(RUNTIME.parent / "support")]

import gmon_profile  # noqa: E402
import sidecar  # noqa: E402
from budget_cases import REFUSED  # noqa: E402
from budget_statistics import Observation, claimed_error  # noqa: E402
from harness import LIBRARY, clean_environment, execute  # noqa: E402

FUNCTIONS = ("dear", "cheap")


def figures_of(profile):
    """The process's, and the part in the program's own code."""
    own = [sample for sample in profile["samples"]
           if sample["module"] is not None and sample["module"]["flags"] & sidecar.MODULE_MAIN]
    return profile["process"] | {
        "own_samples": sum(sample["count"] for sample in own),
        "own_excess_variance": sum(sample["excess_variance"] for sample in own)}


class Bench:
    def __init__(self, program, refuse):
        self.program = program
        self.refuse = refuse
        self.symbols = gmon_profile.symbols_of(program)

    def run(self, case):
        """An Observation of each function."""
        with tempfile.TemporaryDirectory(prefix="gprof-budget-") as place:
            directory = pathlib.Path(place)
            outcome = execute(self.command(case), directory, self.environment(case))
            if (outcome.status, outcome.stderr) != (0, ""):
                raise AssertionError(f"{case}: {outcome}")
            return self.observe(case, directory, outcome.numbers())

    def command(self, case):
        command = [self.program, *case.program.split()]
        refused = REFUSED[case.source]
        return command if refused is None else [self.refuse, "EPERM", refused, *command]

    def environment(self, case):
        preload = "LD_PRELOAD" if REFUSED[case.source] is None else "REFUSED_PRELOAD"
        return clean_environment(**{preload: LIBRARY, "GPROF_RATE": case.rate})

    def observe(self, case, directory, took):
        counted = dict.fromkeys(FUNCTIONS, 0)
        total = {}
        for path in directory.glob("gmon.out*"):
            if path.suffix == ".gpx":
                self.add_process(case, total, figures_of(sidecar.parse(str(path))))
                continue
            samples = gmon_profile.samples(gmon_profile.read(path), self.symbols)
            for name in FUNCTIONS:
                counted[name] += sum(number for symbol, number in samples.items()
                                     if symbol.startswith(name))
        # The program's own clock includes the time that sampling took.
        own = 1 - total["sampling_time"] / total["cpu_time"]
        return [Observation(counted[name], took[name] / 1e9 * own * case.rate,
                            claimed_error(counted[name], total)) for name in FUNCTIONS]

    @staticmethod
    def add_process(case, total, process):
        if process["sample_source"] not in (case.source, "none"):
            raise AssertionError(f"{case}: sampled by {process['sample_source']}")
        total["sample_source"] = case.source
        total["requested_rate"] = case.rate
        for name in ("samples", "excess_variance", "tick_samples", "sampling_time", "cpu_time",
                     "covered_time", "own_samples", "own_excess_variance"):
            total[name] = total.get(name, 0) + process[name]
