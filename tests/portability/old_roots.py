"""Folders with what an older or newer Debian consists of, as far as it takes to compile and run programs
there; kept in the user's cache. Nothing in them is configured: their files are only unpacked."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import unittest

from profiled_program import require

PACKAGES = "gcc,libc6-dev"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gprof-lsp-tests/roots"


def require_root():
    """A root can be entered only by the superuser who may make mounts."""
    require("chroot", "unshare", "mount")
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if os.geteuid() != 0 or done.returncode != 0:
        raise unittest.SkipTest("skipped: not the superuser, or no mounts may be made")


@contextlib.contextmanager
def _alone(name):
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unpack(suite, root):
    log = CACHE / f"{suite}.log"
    with open(log, "w", encoding="utf-8") as output:
        done = subprocess.run(["debootstrap", "--foreign", "--variant=minbase", f"--include={PACKAGES}", suite,
                               root], stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise unittest.SkipTest(f"skipped: debootstrap could not fetch {suite}, see {log}")
    for package in sorted((root / "var/cache/apt/archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        package.unlink()


def debian(suite):
    """The root of that version; fetched if it is not there."""
    require_root()
    root = CACHE / suite
    with _alone(suite):
        if not (root / "usr/bin/gcc").exists():
            require("debootstrap", "dpkg-deb")
            begun = CACHE / f"{suite}.new"
            shutil.rmtree(begun, ignore_errors=True)
            _unpack(suite, begun)
            begun.rename(root)
    return root


def write_entrance(script, root, folder):
    """A script that runs its arguments in the root, in the folder, which has the same path there."""
    inside = root / str(folder).lstrip("/")
    inside.mkdir(parents=True, exist_ok=True)
    script.write_text(f"""#!/bin/sh
exec unshare --mount sh -c '
mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && mount --bind {folder} {inside} &&
exec chroot {root} /bin/sh -c "cd {folder} && exec \\"\\$@\\"" sh "$@"' sh "$@"
""")
    script.chmod(0o755)
    return script
