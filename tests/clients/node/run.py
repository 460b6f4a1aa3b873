"""Runs the sessions of vscode-jsonrpc, after installing it: run.py DIRECTORY

DIRECTORY is where the npm packages go; a second run finds them there. GPROF_LSP_SERVER names the
server. The exit status is that of node's test runner.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from skipping import fetched, require_or_skip, skipped  # noqa: E402

OLDEST_NODE = 18


def require_node(oldest=OLDEST_NODE):
    require_or_skip("node")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    major = int(re.match(r"v(\d+)", version.stdout)[1])
    if major < oldest:
        raise skipped(f"node is {version.stdout.strip()}, older than {oldest}")
    require_or_skip("gcc")


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    try:
        require_node()
        fetched("node", str(directory))
    except unittest.SkipTest as reason:
        print(f"OK (skipped={reason})")
        return 0
    environment = {**os.environ, "NODE_PATH": str(directory / "node_modules")}
    return subprocess.run(["node", "--test", "--test-reporter=spec", HERE / "session.test.js"],
                          env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
