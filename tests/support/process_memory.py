"""A process's memory, as the kernel sees it."""
import pathlib
import re


def resident_bytes(pid, peak=False):
    """The resident set of a running process; with `peak`, the largest it had."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", status)[1]) * 1024
