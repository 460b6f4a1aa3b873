"""What tells of the commands beside the program: manual pages and completions; and how the tests of
packages run commands."""
import argparse
import gzip
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSUMER = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(gprof-lsp REQUIRED COMPONENTS runtime)
add_executable(profiled profiled.c)
target_link_libraries(profiled PRIVATE gprof::runtime_shared)
target_compile_options(profiled PRIVATE -pg)
target_link_options(profiled PRIVATE -pg)
"""

PAGES = ("gprof-lsp", "gprof-lsp-check", "gprof-lsp-diff", "gprof-lsp-export", "gprof-lsp-mcp",
         "gprof-lsp-query", "gprof-lsp-record", "gprof-lsp-report")
COMPLETIONS = ("share/bash-completion/completions/gprof-lsp",
               "share/fish/vendor_completions.d/gprof-lsp.fish",
               "share/zsh/vendor-completions/_gprof-lsp")
COMMAND_FILES = (*(f"share/man/man1/{page}.1.gz" for page in PAGES), *COMPLETIONS)


def options_of_test():
    """Where the packages are, of which version; and the CMake to build programs with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--made", required=True, type=pathlib.Path)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--version", required=True)
    return parser.parse_args()


def run(*command):
    """What it prints; a command that fails ends the test."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def check_command_files(root):
    """Each is there and tells of an option; `root` is what `bin` is in."""
    for name in COMMAND_FILES:
        path = root / name
        if not path.is_file():
            sys.exit(f"{name} is missing")
        data = path.read_bytes()
        text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
        if "help" not in text or "\n@" in text:
            sys.exit(f"{name} does not tell of the options:\n{text[:1000]}")


def skip_without(*tools):
    for tool in tools:
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            sys.exit(77)


def check_folders(root):
    """Nothing names the folder of the build: it would differ from build to build, and is nobody's concern."""
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and str(ROOT).encode() in path.read_bytes():
            sys.exit(f"{path.relative_to(root)} names {ROOT}")


def build_profiled(cmake, prefix, work):
    """A program of tests/package/consumer, linked with the collector below `prefix`."""
    source = work / "profiled"
    source.mkdir()
    shutil.copy(ROOT / "tests" / "package" / "consumer" / "profiled.c", source)
    (source / "CMakeLists.txt").write_text(CONSUMER)
    run(cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run(cmake, "--build", source / "build")
    return source / "build" / "profiled"


def check_record(program, profiled, work):
    """`record` finds the collector by itself, and `report` shows what it wrote."""
    folder = work / "recorded"
    run(program, "record", "--output", folder, "--", profiled)
    profile = run(program, "report", "-b", "-p", profiled, folder / "gmon.out")
    # It may have a sample by chance.
    if not re.search(r"^ *[\d.]+ .* 999 .* counted$", profile, re.MULTILINE):
        sys.exit(f"999 calls were expected:\n{profile}")
