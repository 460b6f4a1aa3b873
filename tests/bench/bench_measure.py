"""Runs programs and measures wall time, processor time and peak memory."""

import dataclasses
import hashlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

# A small process in between starts the command and waits for it: the kernel includes in a process's
# peak what its parent had resident at the fork. This one's memory, some 8 MB, is the least that is
# ever measured. Stacks may grow: GNU gprof walks graphs recursively.
LAUNCHER = r"""
import json, os, resource, sys, time
hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
begun = time.monotonic()
pid = os.fork()
if pid == 0:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
json.dump({"wall": time.monotonic() - begun, "cpu": usage.ru_utime + usage.ru_stime,
           "peak": usage.ru_maxrss * 1024, "status": os.waitstatus_to_exitcode(status)}, sys.stdout)
"""


@dataclasses.dataclass
class Sample:
    """One run, in seconds and bytes; status None: it was stopped after `wall` seconds."""
    wall: float
    cpu: float
    peak: int
    status: int | None = 0


def run_command(command, longest, directory=None):
    """A Sample of the command, and the end of its standard error."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)], cwd=directory,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True)
    try:
        out, err = process.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Sample(time.monotonic() - begun, 0, 0, None), ""
    said = err.decode(errors="replace")[-2000:]
    if process.returncode != 0 or not out:
        return Sample(time.monotonic() - begun, 0, 0, process.returncode or 1), said
    return Sample(**json.loads(out)), said


def digest_of(command, directory=None):
    """The digest of the command's output, whatever its size."""
    digest = hashlib.sha256()
    with subprocess.Popen(list(map(str, command)), cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while block := process.stdout.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Contender:
    """A task done by one program. `take()` does it once and returns a Sample."""

    def __init__(self, take):
        self.take = take
        self.samples = []
        self.stopped = False  # it failed or exceeded the time limit

    def median(self, what):
        values = [getattr(sample, what) for sample in self.samples]
        return statistics.median(values) if values else None

    def summary(self):
        return {"wall": [sample.wall for sample in self.samples],
                "cpu": [sample.cpu for sample in self.samples],
                "peak": [sample.peak for sample in self.samples],
                "status": [sample.status for sample in self.samples]}


def measure_in_turn(contenders, runs, patience, note):
    """Runs all once, then all again, and so on: changes of the machine's speed affect all alike.
    One that takes longer than `patience` seconds runs once."""
    for number in range(runs):
        for name, contender in contenders.items():
            slow = contender.samples and contender.samples[0].wall > patience
            if contender.stopped or slow:
                continue
            note(f"run {number + 1} of {runs}: {name}")
            sample = contender.take()
            contender.samples.append(sample)
            contender.stopped = sample.status != 0


# --- Memory limits ----------------------------------------------------------------------------------


def _group_v1(limit):
    folder = pathlib.Path("/sys/fs/cgroup/memory") / f"gprof-lsp-bench-{os.getpid()}"
    if not folder.parent.joinpath("memory.limit_in_bytes").exists():
        return None
    folder.mkdir(exist_ok=True)
    (folder / "memory.limit_in_bytes").write_text(str(limit))
    return folder


def _group_v2(limit):
    root = pathlib.Path("/sys/fs/cgroup")
    if "memory" not in (root / "cgroup.subtree_control").read_text().split():
        return None
    folder = root / f"gprof-lsp-bench-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    (folder / "memory.max").write_text(str(limit))
    if (folder / "memory.swap.max").exists():
        (folder / "memory.swap.max").write_text("0")
    return folder


class MemoryLimit:
    """`prefix` before a command limits it to that many bytes; `way` says how: by a control group,
    systemd-run or, if the system has neither, a limit of its data segment."""

    def __init__(self, limit):
        self._folder = None
        for make in (_group_v2, _group_v1):
            try:
                self._folder = make(limit)
            except OSError:
                continue
            if self._folder:
                self.way = "control group"
                self.prefix = ["sh", "-c", f'echo $$ > {self._folder}/cgroup.procs && exec "$@"', "sh"]
                return
        scope = ["systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={limit}", "-p",
                 "MemorySwapMax=0"]
        if _works([*scope, "true"]):
            self.way, self.prefix = "systemd-run", scope
        else:
            self.way, self.prefix = "prlimit --data", ["prlimit", f"--data={limit}"]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._folder:
            for _ in range(50):  # a group ends shortly after its last process
                try:
                    self._folder.rmdir()
                    return
                except OSError:
                    time.sleep(0.1)


def _works(command):
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def limited_verdict(command, limit, longest):
    """(verdict, way of limiting): "succeeds", "says that it cannot", or how else it ended."""
    with MemoryLimit(limit) as limited:
        sample, said = run_command([*limited.prefix, *command], longest)
    if sample.status == 0:
        return "succeeds", limited.way
    if sample.status is None:
        return "does not end", limited.way
    if sample.status > 0 and "memory" in said.lower():
        return "says that it cannot", limited.way
    how = f"killed by signal {-sample.status}" if sample.status < 0 else f"ends with {sample.status}"
    return f"{how}, says: {said.strip()[:80] or 'not a word'}", limited.way
