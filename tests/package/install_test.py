"""Installs the build into a fresh prefix and builds and runs a project that finds it there."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command_files import COMMAND_FILES, check_command_files, run

EXPECTED_FILES = ("bin/gprof-lsp", "include/gprof/runtime.h", "share/doc/gprof-lsp/LICENSE",
                  "share/doc/gprof-lsp/README.md",
                  "share/doc/gprof-lsp/THIRD_PARTY_NOTICES.md",
                  "share/nvim/site/pack/gprof-lsp/opt/gprof/plugin/gprof.lua",
                  "share/nvim/site/pack/gprof-lsp/opt/gprof/doc/gprof.txt",
                  "share/emacs/site-lisp/gprof-lsp/gprof-lsp.el",
                  "share/zsh/site-functions/_gprof-lsp", *COMMAND_FILES)


def install(cmake, build, prefix):
    run(cmake, "--install", build, "--prefix", prefix)
    missing = [name for name in EXPECTED_FILES if not (prefix / name).is_file()]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    check_command_files(prefix)


def write_every_header(prefix, file):
    """Each header must stand on its own where only the installed files are."""
    root = prefix / "include" / "gprof-lsp"
    headers = sorted(root.rglob("*.h"))
    if not headers:
        sys.exit(f"no headers were installed below {root}")
    file.write_text("".join(f'#include "{h.relative_to(root)}"\n' for h in headers))


def check_collector(build, prefix, work):
    """Programs that link the installed collector, and `record`, which finds it by itself."""
    for name in ("profiled_shared", "profiled_static"):
        folder = work / name
        folder.mkdir()
        subprocess.run([build / name], cwd=folder, check=True)
        profile = run(prefix / "bin" / "gprof-lsp", "report", "-b", "-p", build / name,
                      folder / "gmon.out")
        # It may have a sample by chance.
        if not re.search(r"^ *[\d.]+ .* 999 .* counted$", profile, re.MULTILINE):
            sys.exit(f"{name}: 999 calls were expected:\n{profile}")
    folder = work / "recorded"
    folder.mkdir()
    run(prefix / "bin" / "gprof-lsp", "record", "--output", folder, "--", build / "profiled_shared")
    if not (folder / "gmon.out").is_file():
        sys.exit(f"record wrote {list(folder.iterdir())}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--cmake", "--consumer"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-install-") as work:
        work = pathlib.Path(work)
        prefix, project = work / "prefix", work / "consumer"
        install(options.cmake, options.build, prefix)
        program = prefix / "bin" / "gprof-lsp"
        version = run(program, "--version")
        if options.version not in version:
            sys.exit(f"--version says {version!r}, expected {options.version}")

        shutil.copytree(options.consumer, project)
        write_every_header(prefix, project / "every_header.cc")
        run(options.cmake, "-G", "Ninja", "-S", project, "-B", work / "build",
            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
        run(options.cmake, "--build", work / "build")
        # Not the installed program: an install may strip it.
        consumer = work / "build" / "consumer"
        said = run(consumer, consumer)
        found = re.fullmatch(r"(\d+) functions\n", said)
        if not found or int(found.group(1)) == 0:
            sys.exit(f"the consumer printed {said!r}, expected a number of functions")
        check_collector(work / "build", prefix, work)


if __name__ == "__main__":
    main()
