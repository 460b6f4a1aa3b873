"""Remembers which tests passed, and with what inputs: with the same inputs they need not be run again.

Inputs are compared by their contents: the test and the modules that it loads; every other file of the repository,
except for tests, editors' extensions and what is compiled into the product; the environment, and the files that it
names; the machine's packages; and the product. A test that drives the language server depends on the whole program,
any other on its commands alone (tests/commands_alone.cc), which most changes of the server's features leave as they are.

A test is remembered only if it passed without skipping anything, and if no input changed while it ran. If an input
cannot be read, the test is run.
"""
import hashlib
import json
import os
import pathlib
import platform
import sys
import time

from tested_build import NOT_HERE

ROOT = pathlib.Path(__file__).resolve().parents[2]
APART = {ROOT / name for name in (".git", "build", "editors", "engine", "server", "tests/editors", "tests/unit")}
# All others drive the server.
FOLDERS_OF_COMMANDS = ("differential", "harmless", "runtime")
CLIENTS_OF_THE_SERVER = ("lsp_client", "listening_server")
PRODUCT = ("GPROF_LSP_SERVER", "GPROF_LSP_COMMANDS_ALONE", "GPROF_LSP_STATIC_SERVER")
# What test_summary.py looks for.
UNCHANGED = "unchanged since it passed"


def digest(*parts):
    sums = hashlib.sha256()
    for part in parts:
        data = str(part).encode()
        sums.update(len(data).to_bytes(8, "little") + data)
    return sums.hexdigest()


def digest_of_file(file):
    """Reads piece by piece: a child's peak of memory starts at that of the test's process."""
    sums = hashlib.sha256()
    with open(file, "rb") as opened:
        while piece := opened.read(1 << 18):
            sums.update(piece)
    return sums.hexdigest()


def digest_of_repository():
    parts = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders
                            if name not in ("__pycache__", "node_modules") and pathlib.Path(folder, name) not in APART)
        for name in sorted(files):
            if not name.endswith("_test.py"):
                file = pathlib.Path(folder, name)
                parts += [file.relative_to(ROOT), digest_of_file(file)]
    return digest(*parts)


def digest_of_environment():
    packages = pathlib.Path("/var/lib/dpkg/status")
    parts = [sys.version, *platform.uname(), os.environ.get("PATH"), digest_of_file(packages) if packages.is_file() else ""]
    for name, value in sorted(os.environ.items()):
        if name.startswith(("GPROF_", "LSP_")) and name not in PRODUCT:
            file = pathlib.Path(value)
            parts += [name, value, digest_of_file(file) if value and file.is_file() else ""]
    return digest(*parts)


def digest_of_product(drives_server):
    """Falls back to the server if the build has no program of the commands."""
    commands = os.environ.get("GPROF_LSP_COMMANDS_ALONE", "")
    program = os.environ.get("GPROF_LSP_SERVER", "") if drives_server or not commands else commands
    return digest_of_file(program) if program else None


class RememberedPass:
    """Whether a test, given by its path, passed before. `folder` has a file for each test."""

    def __init__(self, test, folder):
        self._test = test
        self._file = pathlib.Path(folder) / (digest(test.relative_to(ROOT)) + ".json")
        self._begun = time.time()
        self._now = {"repository": digest_of_repository(), "environment": digest_of_environment()}
        self._products = {drives_server: digest_of_product(drives_server) for drives_server in (False, True)}

    def holds(self):
        try:
            kept = json.loads(self._file.read_text())
            return (all(kept[name] == value for name, value in self._now.items())
                    and kept["product"] == self._products[kept["drives_server"]]
                    and all(digest_of_file(ROOT / name) == value for name, value in kept["modules"].items()))
        except (OSError, ValueError, KeyError):
            return False

    def keep(self, result):
        """Call after a run, with its unittest result."""
        skipped = any(not reason.startswith(NOT_HERE) for _, reason in result.skipped)
        modules = self._own_modules()
        changed = (digest_of_repository() != self._now["repository"]
                   or any(file.stat().st_mtime >= self._begun for file in modules))
        if not result.wasSuccessful() or skipped or changed:
            self._file.unlink(missing_ok=True)
            return
        drives_server = (self._test.relative_to(ROOT / "tests").parts[0] not in FOLDERS_OF_COMMANDS
                         or any(name in sys.modules for name in CLIENTS_OF_THE_SERVER))
        kept = {**self._now, "drives_server": drives_server, "product": self._products[drives_server],
                "modules": {str(file.relative_to(ROOT)): digest_of_file(file) for file in modules}}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(kept, indent=1))

    def _own_modules(self):
        files = {pathlib.Path(module.__file__).resolve() for module in sys.modules.values()
                 if getattr(module, "__file__", None)}
        return sorted(file for file in files | {self._test} if file.is_relative_to(ROOT))
