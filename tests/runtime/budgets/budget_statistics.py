"""Are sampled times right? Deviations of many runs, in units of their claimed errors."""
import dataclasses
import math


def claimed_error(samples, process):
    """One standard deviation: docs/gmon-format.md, "How good samples are"."""
    in_step = process["tick_samples"]
    if process["sample_source"] != "perf_clock":
        missing = process["cpu_time"] - process["sampling_time"] - process["covered_time"]
        in_step += abs(missing) / 1e9 * process["requested_rate"]
    total = process["samples"]
    if total == 0:
        return in_step
    own = process["own_samples"]
    dispersion = process["own_excess_variance"] / own if own > 0 else process["excess_variance"] / total
    variance = samples * (1 + (1 - samples / total) * dispersion)
    return math.hypot(math.sqrt(variance), in_step * max(samples, total - samples) / total)


@dataclasses.dataclass
class Observation:
    """One function in one run, in samples."""
    counted: float
    expected: float
    error: float

    @property
    def deviation(self):
        if self.error == 0:  # no sample: less than three with 95 %, less than 1.15 with 68 %
            return self.expected / 1.15
        return (self.counted - self.expected) / self.error


class Deviations:
    def __init__(self):
        self.observations = []

    def add(self, observations):
        self.observations += observations

    def held(self, errors):
        """How many of the intervals of that many standard deviations contain the truth."""
        return sum(abs(o.deviation) <= errors for o in self.observations)

    def within(self, errors):
        """Their share."""
        return self.held(errors) / len(self.observations)

    @property
    def bias(self):
        """Of all that was counted, relative to what should have been."""
        expected = sum(o.expected for o in self.observations)
        return sum(o.counted for o in self.observations) / expected - 1

    @property
    def bias_error(self):
        """The random error of the bias, one standard deviation."""
        expected = sum(o.expected for o in self.observations)
        return math.sqrt(sum(o.error ** 2 for o in self.observations)) / expected

    def __str__(self):
        return (f"{len(self.observations)} times: 1 sigma holds {self.within(1):.1%}, "
                f"2 sigma {self.within(2):.1%}, bias {self.bias:+.2%} +- {self.bias_error:.2%}")
