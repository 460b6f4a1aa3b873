"""What `perf record` and `gprof-lsp record` say of one run: each function's share of the time.

Both sample the same run, so that only their own errors are between them: the machine's load, which
makes some functions slower than others, is the same for both. Functions are told apart in the
program and in libraries of its own; of each other library, the whole is compared, because the names
of its functions depend on the debug information that is installed.
"""
import collections
import csv
import dataclasses
import io
import math
import re

HOTTEST = 10
# What is not among perf's hottest, and takes less than this in our profile, is not looked at.
NOTICEABLE = 0.03
LIMIT = 3.7  # standard deviations
# The kernel's time in system calls is in our figures alone, in the C library. It is little in these
# programs, but so may be the library's own time.
LEAST_OF_LIBC = 0.05
# The collector, and what runs before it is there.
APART = re.compile(r"libgprof_runtime|ld-linux|\[")


@dataclasses.dataclass
class Recording:
    shares: dict  # (object, function): share
    samples: float  # how many independent samples have the same error


@dataclasses.dataclass(frozen=True)
class Difference:
    place: tuple
    reference: float
    share: float
    deviations: float

    def __str__(self):
        return (f"{self.place[1] or 'all'} of {self.place[0]}: {100 * self.share:.1f} % for "
                f"{100 * self.reference:.1f} % ({self.deviations:+.1f} standard deviations)")


def place_of(binary, function, own):
    if APART.search(binary):
        return None
    if binary not in own:
        return re.sub(r"\.so.*", "", binary), ""
    # Stubs have no symbols; what perf calls them is its own.
    if not function or function.endswith("@plt"):
        return None
    return binary, own[binary].get(function, function)


def one_name_each(symbols):
    """{name: the first of those at its address}, from nm's output."""
    names = collections.defaultdict(list)
    for address, name in re.findall(r"(?m)^([0-9a-f]+) [tTwWuVi] (\S+)$", symbols):
        names[address].append(name)
    return {name: min(aliases) for aliases in names.values() for name in aliases}


def recording(amounts, samples_an_amount):
    total = sum(amounts.values())
    return Recording({place: amount / total for place, amount in amounts.items()} if total else {},
                     total * samples_an_amount)


def of_perf(report, program, own):
    """From `perf report -n -s comm,dso,sym -t TAB`. `own`: {name of a file of the program's: one_name_each}."""
    counts = collections.Counter()
    for line in report.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if line.startswith("#") or len(fields) < 5 or fields[2] != program[:15]:
            continue
        place = place_of(fields[3], re.sub(r"^\[.\] ", "", fields[4]), own)
        if place:
            counts[place] += int(fields[1])
    return recording(counts, 1)


def of_export(table, program, own):
    """From `gprof-lsp export --format=csv --no-demangle`."""
    seconds = collections.Counter()
    time = variance = 0
    for row in csv.DictReader(io.StringIO(table)):
        library = re.search(r"\[(\S+\.so\S*)\]$", row["function"])
        place = place_of(library[1] if library else program, row["linkage_name"], own)
        if place and float(row["self"]) > 0:
            seconds[place] += float(row["self"])
            time += float(row["self"])
            variance += float(row["self_error"]) ** 2
    return recording(seconds, time / variance if variance else 0)


def differences(reference, recorded):
    """Of each function that is among the hottest."""
    def hottest(one):
        return sorted(one.shares, key=lambda place: -one.shares[place])[:HOTTEST]

    looked_at = hottest(reference) + [place for place in hottest(recorded)
                                      if recorded.shares[place] >= NOTICEABLE]
    found = []
    for place in dict.fromkeys(looked_at):
        if place == ("libc", "") and reference.shares.get(place, 0) < LEAST_OF_LIBC:
            continue
        shares = [one.shares.get(place, 0) for one in (reference, recorded)]
        weights = [reference.samples, recorded.samples]
        share = sum(a * b for a, b in zip(shares, weights)) / sum(weights)
        error = math.sqrt(share * (1 - share) * (1 / weights[0] + 1 / weights[1]))
        found.append(Difference(place, *shares, (shares[1] - shares[0]) / error if error else 0))
    return found
