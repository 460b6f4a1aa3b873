"""Builds the Debian package, unpacks it and looks at what is inside. Exits with 77 (skipped) where
the tools of Debian are missing."""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

from command_files import check_command_files, run

# The C and C++ runtime: everything else must be inside the program.
ALLOWED_LIBRARIES = re.compile(
    r"^(linux-vdso|ld-linux[-\w]*|libstdc\+\+|libgcc_s|libm|libc|libpthread|librt|libdl)\.so\.\d+$")
EXPECTED_NOTICES = ("libdwarf", "elfutils", "libiberty", "Capstone", "fmt", "JSON for Modern C++",
                    "Asio", "protozero", "zlib", "liblzma", "Zstandard", "libmd")


def check_fields(package):
    fields = run("dpkg-deb", "--field", package)
    for pattern in (r"^Package: gprof-lsp$", r"^Architecture: \w+$", r"^Depends: .*\blibc6\b"):
        if not re.search(pattern, fields, re.MULTILINE):
            sys.exit(f"the package's fields do not match {pattern}:\n{fields}")


def check_libraries(program):
    libraries = [line.split()[0].rpartition("/")[2] for line in run("ldd", program).splitlines()]
    foreign = [name for name in libraries if not ALLOWED_LIBRARIES.match(name)]
    if foreign or not libraries:
        sys.exit(f"the program needs {foreign or 'nothing at all'}; expected the C and C++ runtime")


def check_documents(folder):
    if "Apache License" not in (folder / "LICENSE").read_text():
        sys.exit("LICENSE is not the Apache License")
    notices = (folder / "THIRD_PARTY_NOTICES.md").read_text()
    missing = [name for name in EXPECTED_NOTICES if name not in notices]
    if missing:
        sys.exit(f"THIRD_PARTY_NOTICES.md does not tell about {', '.join(missing)}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--cpack"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "ldd"):
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-deb-") as work:
        work = pathlib.Path(work)
        run(options.cpack, "--config", options.build / "CPackConfig.cmake", "-G", "DEB",
            "-B", work)
        packages = list(work.glob("*.deb"))
        if len(packages) != 1:
            sys.exit(f"expected one package, cpack made {packages}")
        check_fields(packages[0])
        run("dpkg-deb", "-x", packages[0], work / "root")
        program = work / "root" / "usr" / "bin" / "gprof-lsp"
        check_libraries(program)
        for collector in (work / "root" / "usr" / "lib").rglob("libgprof_runtime.so"):
            break
        else:
            sys.exit("the package has no libgprof_runtime.so")
        version = run(program, "--version")
        if options.version not in version:
            sys.exit(f"--version says {version!r}, expected {options.version}")
        check_command_files(work / "root" / "usr")
        check_documents(work / "root" / "usr" / "share" / "doc" / "gprof-lsp")


if __name__ == "__main__":
    main()
