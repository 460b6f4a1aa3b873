"""When a client cannot be had, its test is skipped and says why.

Where GPROF_LSP_REQUIRE_CLIENTS is set to anything but 0, that is a failure instead: so a machine
that has to run every test finds out that it does not.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

INSTALL = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "install-test-clients"
# Seconds that fetching may take; more than the time limit of the tests would say nothing.
INSTALL_LIMIT = 240


def skipped(reason):
    """The exception that ends the test."""
    if os.environ.get("GPROF_LSP_REQUIRE_CLIENTS", "0") != "0":
        return AssertionError(f"GPROF_LSP_REQUIRE_CLIENTS is set, but {reason}")
    return unittest.SkipTest(reason)


def require_or_skip(tool, reason=None):
    """Needs the tool; with a reason, skips whatever there is."""
    if reason or shutil.which(tool) is None:
        raise skipped(reason or f"there is no {tool}")


def fetched(*words, limit=INSTALL_LIMIT):
    """What `scripts/install-test-clients WORDS` prints, when it has been installed."""
    try:
        done = subprocess.run([INSTALL, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired as expired:
        raise skipped(f"{' '.join(map(str, expired.cmd))} took too long") from None
    if done.returncode == 77:
        raise skipped(done.stderr.strip().splitlines()[-1])
    if done.returncode != 0:
        raise AssertionError(f"install-test-clients ended with {done.returncode}:\n{done.stderr}")
    return done.stdout.strip()


def status_of(test):
    """The exit status of a test that unittest does not run: 77, and why, where it is skipped."""
    try:
        return test() or 0
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        return 77
    except AssertionError as problem:
        print(problem, file=sys.stderr)
        return 1
