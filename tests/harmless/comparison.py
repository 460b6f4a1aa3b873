"""Whether a recorded command did what it does without us.

How times are judged. No verdict of the short form depends on how fast the machine is: it judges output,
status, files, processes and disk, and a run ends after 60 seconds and thirty times what plain took, which
only a command that hangs reaches. The long form judges times as well: of runs without and with us, which
take turns, the shortest are compared, since other load makes a run longer and never shorter. There are
more runs until the bound is kept, and a command fails only if MOST_RUNS turns have not kept it: both CPU
time, which others hardly change, and the time by the clock must be at most half as much again and 0.3 s.
"""
import dataclasses
import difflib
import re

MODES = {
    "record": (),
    "record --wait --stacks": ("--wait", "--stacks"),
    "record --rate=20000 --live": ("--rate=20000", "--live"),
}
MOST_RUNS = 5
TIME_FACTOR = 1.5
TIME_MARGIN = 0.3  # seconds
# Of all processes of a command together; rows with many processes or threads name their own.
DISK_BOUND = 64 << 20
OWN_LINE = re.compile(r"^gprof(-lsp)?: ")


def time_limit(plain_seconds):
    """What ends a recorded run that hangs."""
    return 60 + 30 * plain_seconds


def normalised(text, replacements):
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def without_own_lines(text):
    """(the text, our lines)"""
    lines = text.splitlines(keepends=True)
    own = [line for line in lines if OWN_LINE.match(line)]
    return "".join(line for line in lines if not OWN_LINE.match(line)), own


def changes(plain, recorded):
    lines = difflib.unified_diff(plain.splitlines(), recorded.splitlines(), "plain", "recorded", "", "", 1, "")
    text = "\n".join(line[:300] for line in lines)
    return text[:2000]


@dataclasses.dataclass(frozen=True)
class Expectation:
    """What a row says of its output: what varies by itself, and how much we may take."""

    replacements: tuple = ()
    disk: int = DISK_BOUND
    # Programs that write to a closed standard error, or end everything, leave no last line.
    has_last_line: bool = True
    # Each process may say one line of why it has no profile.
    processes: int = 1


def differences_of_runs(plain, other, expectation):
    """What two runs differ in that should be the same, as lines; not time, and not our own lines."""
    found = []
    if plain.status != other.status:
        found.append(f"status {plain.status}, then {other.status}")
    for name in ("stdout", "stderr"):
        texts = [normalised(getattr(run, name), expectation.replacements) for run in (plain, other)]
        if texts[0] != texts[1]:
            found.append(f"{name}:\n{changes(*texts)}")
    if plain.children != other.children:
        found.append(f"processes left: {plain.children}, then {other.children}")
    for path in sorted(plain.files.keys() | other.files.keys()):
        before, after = plain.files.get(path), other.files.get(path)
        if before != after:
            found.append(f"file {path}: {before}, then {after}")
    return found


def differences(plain, recorded, expectation):
    """What is not as it would be without us, as lines."""
    if recorded.status is None:
        return [f"it ran for {recorded.wall:.1f} s and was ended, with {recorded.disk / 2**20:.0f} MiB on "
                f"disk; plain: {plain.wall:.1f} s\n"
                f"{recorded.stdout[-1000:]}\n{recorded.stderr[-1000:]}"]
    text, own = without_own_lines(recorded.stderr)
    found = differences_of_runs(plain, dataclasses.replace(recorded, stderr=text), expectation)
    last = [line for line in own if line.startswith("gprof-lsp: ")]
    if len(own) - len(last) > expectation.processes or len(last) > 1:
        found.append(f"more than one line of ours: {own}")
    if expectation.has_last_line and not last:
        found.append("our last line is missing")
    if recorded.disk > expectation.disk:
        found.append(f"{recorded.disk / 2**20:.1f} MiB of disk, {expectation.disk / 2**20:.1f} MiB allowed")
    return found


def too_slow(plain_seconds, recorded_seconds):
    return recorded_seconds > TIME_FACTOR * plain_seconds + TIME_MARGIN


def differences_of_time(plain, recorded):
    """Of the shortest of several runs each."""
    found = []
    for name, text in (("cpu", "CPU time"), ("wall", "time")):
        before, after = (min(getattr(run, name) for run in runs) for runs in (plain, recorded))
        if too_slow(before, after):
            found.append(f"{text}: {before:.2f} s, then {after:.2f} s")
    return found
