"""Runs the conversations of the official clients of the Model Context Protocol, after installing them: run.py DIRECTORY

DIRECTORY is where the npm packages go; a second run finds them there. GPROF_LSP_SERVER names the server. The exit status
is that of node's test runner.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "node")]

from run import require_node  # noqa: E402
from skipping import fetched  # noqa: E402


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    try:
        require_node(oldest=20)
        fetched("mcp", str(directory))
    except unittest.SkipTest as reason:
        print(f"OK (skipped={reason})")
        return 0
    # Modules are looked for beside the file that imports them.
    for file in HERE.glob("*.mjs"):
        shutil.copy(file, directory)
    return subprocess.run(["node", "--test", "--test-reporter=spec", directory / "session.test.mjs"],
                          env=os.environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
