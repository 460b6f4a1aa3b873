"""A process's memory, as the kernel sees it."""
import os
import pathlib
import re

# A sanitizer keeps and shadows freed memory, so that the figures say nothing about the program.
SANITIZED = os.environ.get("GPROF_LSP_SANITIZED", "0") not in ("", "0")


def resident_bytes(pid, peak=False):
    """The resident set of a running process; with `peak`, the largest it had."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", status)[1]) * 1024
