"""Unpacks the archive of a release somewhere, and uses it there: the server, the collector that it finds by itself,
and a project of CMake that links with the collector."""

import pathlib
import platform
import shutil
import sys
import tempfile

from command_files import (build_profiled, check_command_files, check_folders, check_record, options_of_test, run,
                           skip_without)


def main():
    options = options_of_test()
    skip_without("zstd", "tar", "gcc")
    architecture = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine())
    archive = options.made / f"gprof-lsp-{options.version}-linux-{architecture}.tar.zst"
    if not archive.exists():
        print(f"skipped: no {archive}")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-archive-") as work:
        work = pathlib.Path(work)
        run("tar", "--zstd", "-xf", archive, "-C", work)
        # Where it was unpacked first must not matter.
        prefix = work / "elsewhere"
        shutil.move(work / archive.name.removesuffix(".tar.zst"), prefix)
        said = run(prefix / "bin" / "gprof-lsp", "--version")
        if said != f"gprof-lsp {options.version}\n":
            sys.exit(f"--version says {said!r}")
        check_command_files(prefix)
        check_folders(prefix)
        check_record(prefix / "bin" / "gprof-lsp", build_profiled(options.cmake, prefix, work), work)


if __name__ == "__main__":
    main()
