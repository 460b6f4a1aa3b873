"""Runs a command once, in a folder of its own, and keeps everything that others can see of it: output,
status, the files and processes that it leaves, and what it cost.

A Runner makes this process the parent of every orphan below it, so that nothing that a command starts
gets lost; only one command may run at a time. It needs Linux 5.3 (pidfd_open).
"""
import contextlib
import ctypes
import dataclasses
import errno
import fnmatch
import hashlib
import os
import pathlib
import select
import shutil
import signal
import stat
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
POLL_MILLISECONDS = 50  # how often the size of the profile's folder is looked at
GRACE_SECONDS = 20  # for processes that end soon after the command
BLOCK = 512
MOST_DISK = 2 << 30  # ends a run: the machine is needed


@dataclasses.dataclass(frozen=True)
class Run:
    status: int | None  # negative: the signal; None: it was killed because it took too much time or disk
    stdout: str
    stderr: str
    files: dict  # {path in the folder: description}
    children: tuple  # names of the processes that are left, in order
    wall: float  # seconds
    cpu: float  # seconds, with all processes that were waited for
    disk: int  # the most bytes that the profile's folder took on disk


def parent_orphans():
    """Orphans below this process become its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def living_children():
    """{process: name} of this process's children, without those that have ended."""
    found = {}
    own = str(os.getpid())
    for path in pathlib.Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            text = (path / "stat").read_text(errors="replace")
            name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
            if rest[1] == own and rest[0] not in "ZX":
                found[int(path.name)] = name
    return found


def reap():
    """Whether there may still be children."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        return False
    return True


def remaining(expected):
    """The names of the processes that stay; waits for those that `expected` does not name."""
    deadline = time.monotonic() + GRACE_SECONDS
    pause = 0.001
    while reap():
        names = tuple(sorted(living_children().values()))
        if names == expected or time.monotonic() > deadline:
            return names
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return ()


def end_children():
    while reap():
        for process in living_children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.005)


def size_on_disk(folder):
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(directory, name)).st_blocks * BLOCK
    return total


def description(path, whole):
    """What a file is: its type and permissions; and, if `whole`, what it holds."""
    status = path.lstat()
    kind = f"{stat.filemode(status.st_mode)} {status.st_uid}:{status.st_gid}"
    if stat.S_ISLNK(status.st_mode):
        return f"{kind} -> {os.readlink(path)}" if whole else kind
    if stat.S_ISREG(status.st_mode) and whole:
        return f"{kind} {status.st_size} bytes {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    return kind


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def files_of(folder, varying, unseen):
    """Of files that `varying` names, only the type counts; those that `unseen` names do not count at all."""
    found = {}
    for directory, folders, names in os.walk(folder):
        for name in sorted(folders + names):
            path = pathlib.Path(directory, name)
            inside = str(path.relative_to(folder))
            if not matches(inside, unseen):
                found[inside] = description(path, not matches(inside, varying))
    return found


def text_of(path):
    return path.read_bytes().decode(errors="backslashreplace")


class Runner:
    """Gives each run the same folder, under the same path; `template` is what is in it at first."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.work = self.folder / "work"
        self.template = self.folder / "template"
        self.profiles = self.folder / "profiles"
        parent_orphans()

    def environment(self):
        """Nothing of the user's but what tools need to be found."""
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        home = pathlib.Path.home()
        rust = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
                "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo"))}
        return {**kept, **rust, "HOME": str(self.work), "TMPDIR": str(self.work), "LC_ALL": "C", "TZ": "UTC",
                "TERM": "dumb", "USER": "user", "LOGNAME": "user", "SHELL": "/bin/sh",
                "SOURCE_DATE_EPOCH": "1000000000"}

    def prepare(self, script, seconds=300):
        """Makes the template by a shell script. Returns what went wrong, or an empty text."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        done = subprocess.run(["/bin/sh", "-ec", script], cwd=self.work, env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, start_new_session=True, check=False)
        end_children()
        shutil.rmtree(self.template, ignore_errors=True)
        self.work.rename(self.template)
        return done.stdout.decode(errors="replace")[-2000:] if done.returncode != 0 else ""

    def fresh_folders(self):
        for folder in (self.work, self.profiles):
            shutil.rmtree(folder, ignore_errors=True)
        if self.template.exists():
            # Times and links stay: make and git look at them.
            subprocess.run(["cp", "-a", self.template, self.work], check=True)
        else:
            self.work.mkdir(parents=True)
        self.profiles.mkdir()

    def run(self, command, stdin=b"", seconds=300, leaves=(), varying=(), unseen=()):
        self.fresh_folders()
        given = self.folder / "stdin"
        given.write_bytes(stdin)
        paths = (self.folder / "stdout", self.folder / "stderr")
        with contextlib.ExitStack() as opened:
            streams = [opened.enter_context(open(given, "rb")),
                       *(opened.enter_context(open(path, "wb")) for path in paths)]
            started = time.monotonic()
            process = subprocess.Popen([str(word) for word in command], cwd=self.work, stdin=streams[0],
                                       stdout=streams[1], stderr=streams[2], env=self.environment(),
                                       start_new_session=True)
            status, usage, disk = self.await_end(process, started + seconds)
            wall = time.monotonic() - started
        children = remaining(tuple(sorted(leaves))) if status is not None else ()
        disk = max(disk, size_on_disk(self.profiles))
        end_children()
        return Run(status, text_of(paths[0]), text_of(paths[1]), files_of(self.work, varying, unseen),
                   children, wall, usage.ru_utime + usage.ru_stime, disk)

    def await_end(self, process, deadline):
        """Its status, what it used, and the most that was seen on disk."""
        disk = 0
        status = None
        with contextlib.closing(os.fdopen(os.pidfd_open(process.pid), "rb", buffering=0)) as descriptor:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            while not poll.poll(POLL_MILLISECONDS):
                disk = max(disk, size_on_disk(self.profiles))
                if time.monotonic() > deadline or disk > MOST_DISK:
                    break
            else:
                status = 0
        if status is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        while True:
            try:
                _, ended, usage = os.wait4(process.pid, 0)
                break
            except OSError as error:
                if error.errno != errno.EINTR:
                    raise
        process.returncode = os.waitstatus_to_exitcode(ended)
        return (None if status is None else process.returncode), usage, disk
