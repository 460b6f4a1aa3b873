"""Tests of the Neovim plugin: run.py KIND [WORD...]

style              what luacheck and stylua say of all Lua here
parts              the parts that use nothing of Neovim, in busted
specs VERSION      specs/ in a Neovim without a screen: 0.7.2, 0.10 or 0.12; words choose tests by name
screens VERSION    screens/ in a Neovim that a terminal shows
manager NAME       the plugin as a plugin manager takes it, in Neovim 0.12: vim.pack, lazy.nvim or packer.nvim
module FOLDER FILE one file of these, as the environment says

GPROF_LSP_SERVER names the server. Exit status 77, and the reason, where a tool is missing or what is
needed cannot be fetched.
"""
import concurrent.futures
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "clients"))

import managers  # noqa: E402
from skipping import fetched, require_or_skip, skipped, status_of  # noqa: E402

LUA_FOLDERS = (ROOT / "editors" / "neovim", HERE)
# Files of tests, of one version.
AT_A_TIME = 2
DEBIAN_PYTHON = "/usr/bin/python3"


def run(*words, **options):
    """Runs a program whose output is the test's; returns whether it ended well."""
    print("+", words[0], words[1] if len(words) > 1 else "", flush=True)
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, check=False,
                          **options)
    return done.returncode == 0


def lua_files():
    return sorted(file for folder in LUA_FOLDERS for file in folder.rglob("*.lua")
                  if "node_modules" not in file.parts)


def check_style():
    require_or_skip("luacheck")
    require_or_skip("node")
    stylua = fetched("stylua")
    files = lua_files()
    assert files, f"there is no Lua in {LUA_FOLDERS}"
    is_clean = run("luacheck", "--no-color", "--quiet", *(file.relative_to(ROOT) for file in files),
                   cwd=ROOT)
    is_formatted = run("node", HERE / "stylua.mjs", stylua, ROOT / ".stylua.toml", *files)
    assert is_clean and is_formatted, "run `node tests/editors/neovim/stylua.mjs --write " \
        f"{stylua} .stylua.toml FILE...` on what is not formatted"


def check_parts():
    require_or_skip("busted")
    lua = ROOT / "editors" / "neovim" / "lua"
    path = f"{lua}/?.lua;{lua}/?/init.lua"
    assert run("busted", "--output=TAP", "--pattern=_spec%.lua$", f"--lpath={path}", HERE / "parts"), \
        "parts are not as they should be"


def neovim_of(version):
    """The command that starts it."""
    if version != "0.7.2":
        return fetched("neovim", version)
    require_or_skip("nvim")
    said = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+\.\d+\.\d+)", said)
    if not found or found[1] != version:
        raise skipped(f"nvim is not Debian 12's, {version}: {said.splitlines()[0]}")
    return "nvim"


def with_pynvim():
    """Goes on in Debian's Python, where this one lacks Debian's pynvim."""
    if importlib.util.find_spec("pynvim"):
        return
    probe = [DEBIAN_PYTHON, "-c", "import pynvim"]
    if sys.executable == DEBIAN_PYTHON or not os.access(DEBIAN_PYTHON, os.X_OK) \
            or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        raise skipped("there is no pynvim")
    os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-B", *sys.argv])


def prepare(version):
    """What the tests of a version find in the environment."""
    require_or_skip("gcc")
    with_pynvim()
    os.environ["GPROF_LSP_NEOVIM"] = neovim_of(version)
    os.environ["GPROF_LSP_NEOVIM_VERSION"] = version
    if "GPROF_LSP_SERVER" not in os.environ:
        raise skipped("GPROF_LSP_SERVER does not name a server")
    for variable in ("GPROF_LSP_SERVER", "GPROF_RUNTIME_LIBRARY"):
        if variable in os.environ:
            os.environ[variable] = os.path.abspath(os.environ[variable])


def run_module(folder, pattern, names):
    """Runs the tests of the folder's files here. Exit status of the whole."""
    sys.path[:0] = [str(HERE / "support"), str(ROOT / "tests" / "support")]
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in names] or None
    suite = loader.discover(str(HERE / folder), pattern=pattern)
    assert suite.countTestCases() > 0, f"there are no tests in {folder}/{pattern}"
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, warnings="ignore").run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    return 1 if not result.wasSuccessful() else 77 if result.skipped else 0


def run_modules(folder, version, names):
    """Each file in a process of its own, some at a time: most of a session is waiting."""
    prepare(version)
    if names:
        return run_module(folder, "*_test.py", names)
    files = sorted((HERE / folder).glob("*_test.py"), key=lambda file: -file.stat().st_size)

    def run_file(file):
        return subprocess.run([sys.executable, "-B", __file__, "module", folder, file.name],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    statuses = set()
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for file, done in zip(files, pool.map(run_file, files)):
            print(f"== {file.name}: {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
            statuses.add(done.returncode)
    assert statuses <= {0, 77}, f"Neovim {version}"
    return 77 if 77 in statuses else 0


def check_manager(name):
    require_or_skip("git")
    neovim = neovim_of("0.12")
    managers.check(name, neovim, "" if name == "vim.pack" else fetched("manager", name))


def run_kind(kind, *words):
    """The exit status, or None for 0."""
    if kind == "style":
        check_style()
    elif kind == "parts":
        check_parts()
    elif kind == "manager" and len(words) == 1 and words[0] in managers.MANAGERS:
        check_manager(words[0])
    elif kind == "module" and len(words) == 2:
        return run_module(*words, [])
    elif kind in ("specs", "screens") and words:
        return run_modules(kind, words[0], words[1:])
    else:
        sys.exit(__doc__)
    return None


def main():
    return status_of(lambda: run_kind(*(sys.argv[1:] or [""])))


if __name__ == "__main__":
    sys.exit(main())
