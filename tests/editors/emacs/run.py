"""Tests of the Emacs package: run.py KIND VERSION [WORD...]

style VERSION  what the byte compiler and checkdoc say of all Lisp in editors/emacs
specs VERSION  specs.el, in an Emacs without a screen, with the real server; words select tests by name. Where eglot is a
               package, once without Debian's packages, as most people have it, and once with them

VERSION is 28 (Debian 12's own, with its package of eglot) or 30, which scripts/install-test-clients fetches. How the
package looks on a screen is among the sessions of tests/clients. GPROF_LSP_SERVER names the server. Exit status 77, and
the reason, if a tool is missing or what is needed cannot be fetched.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = ROOT / "editors" / "emacs"
sys.path[:0] = [str(ROOT / "tests" / "clients"), str(ROOT / "tests" / "clients" / "emacs"),
                str(ROOT / "tests" / "support")]

from client_test import ClientTest, NAME  # noqa: E402
from session import site_lisp  # noqa: E402
from skipping import fetched, require_or_skip, skipped, status_of  # noqa: E402

# Seconds until an Emacs that does not end counts as broken; its own waits end earlier.
PATIENCE = 240


def emacs_of(version):
    """The command that starts it."""
    if version == "30":
        return fetched("emacs")
    require_or_skip("emacs")
    said = subprocess.run(["emacs", "--version"], capture_output=True, text=True, check=True).stdout
    if not re.match(rf"GNU Emacs {version}\.", said):
        raise skipped(f"emacs is not of version {version}: {said.splitlines()[0]}")
    return "emacs"


def run_emacs(emacs, *words, packages=None, environment=None, folder=None):
    """Runs it in batch mode; its output is the test's. `packages`: options that name folders. Exit status."""
    packages = site_lisp(emacs) if packages is None else packages
    command = [emacs, "-Q", "--batch", *packages, "-L", str(PACKAGE), *map(str, words)]
    print("+", emacs, *words, flush=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, cwd=folder, check=False,
                          timeout=PATIENCE).returncode


def has_eglot(emacs, packages):
    done = subprocess.run([emacs, "-Q", "--batch", *packages, "--eval",
                           "(kill-emacs (if (locate-library \"eglot\") 0 1))"], check=False)
    return done.returncode == 0


def check_style(version):
    emacs = emacs_of(version)
    if not has_eglot(emacs, site_lisp(emacs)):
        raise skipped("this Emacs has no eglot (Debian's package elpa-eglot)")
    files = sorted(PACKAGE.glob("*.el"))
    assert files, f"there is no Lisp in {PACKAGE}"
    with tempfile.TemporaryDirectory() as folder:
        assert run_emacs(emacs, "-l", HERE / "style.el", folder, *files) == 0, \
            "the byte compiler or checkdoc complains"


class Specs(ClientTest):
    """specs.el, with the program of all sessions."""
    emacs = None
    selector = "t"

    def check(self, packages):
        environment = self.environment(
            GPROF_LSP_SPEC_FOLDER=str(self.workspace.directory), GPROF_LSP_SPEC_FILE=NAME,
            GPROF_LSP_SPEC_PYTHON=sys.executable,
            GPROF_LSP_SPEC_STAND_IN=str(HERE / "other_server.py"))
        status = run_emacs(self.emacs, "-l", HERE / "specs.el", "--eval",
                           f"(ert-run-tests-batch-and-exit {self.selector})", packages=packages,
                           environment=environment, folder=self.home)
        self.assertEqual(status, 0)

    def test_with_what_emacs_has(self):
        self.check([])

    def test_with_packages(self):
        packages = site_lisp(self.emacs)
        if has_eglot(self.emacs, []):
            return  # all was tested with it
        if not has_eglot(self.emacs, packages):
            raise skipped("this Emacs has no eglot (Debian's package elpa-eglot)")
        self.check(packages)


def run_specs(version, words):
    require_or_skip("gcc")
    if "GPROF_LSP_SERVER" not in os.environ:
        raise skipped("GPROF_LSP_SERVER does not name a server")
    os.environ["GPROF_LSP_SERVER"] = os.path.abspath(os.environ["GPROF_LSP_SERVER"])
    Specs.emacs = emacs_of(version)
    if words:
        Specs.selector = f"\"{'.*'.join(words)}\""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Specs)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    return 1 if not result.wasSuccessful() else 77 if result.skipped else 0


def main():
    kind, version, *words = [*sys.argv[1:], "", ""][:max(2, len(sys.argv) - 1)]
    if version not in ("28", "30") or kind not in ("style", "specs"):
        sys.exit(__doc__)
    return status_of(lambda: check_style(version) if kind == "style" else run_specs(version, words))


if __name__ == "__main__":
    sys.exit(main())
