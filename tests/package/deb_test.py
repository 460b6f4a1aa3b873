"""Unpacks Debian's packages, and looks at what is inside and uses it. Exits with 77 (skipped) where there are none."""

import gzip
import pathlib
import re
import shutil
import sys
import tempfile

from command_files import (build_profiled, check_command_files, check_folders, check_record, options_of_test, run,
                           skip_without)

# The C and C++ runtime: everything else must be inside the program.
ALLOWED_LIBRARIES = re.compile(
    r"^(linux-vdso|ld-linux[-\w]*|libstdc\+\+|libgcc_s|libm|libc|libpthread|librt|libdl)\.so\.\d+$")
EXPECTED_NOTICES = ("libdwarf", "elfutils", "libiberty", "Capstone", "fmt", "JSON for Modern C++",
                    "Asio", "protozero", "zlib", "liblzma", "Zstandard", "libmd")


PACKAGES = ("gprof-lsp", "libgprof-runtime0", "libgprof-runtime-dev", "libgprof-engine-dev")
ENGINE_FILES = ("usr/include/gprof-lsp/engine/analysis.h", "usr/lib/cmake/gprof-lsp/StaticDependencies.cmake")


def check_fields(name, package):
    fields = run("dpkg-deb", "--field", package)
    for pattern in (rf"^Package: {name}$", r"^Architecture: \w+$", r"^Depends: \w"):
        if not re.search(pattern, fields, re.MULTILINE):
            sys.exit(f"the package's fields do not match {pattern}:\n{fields}")


def check_lintian(packages):
    """What Debian's own checks say of them."""
    if not shutil.which("lintian"):
        print("no lintian: the packages are not looked at by it")
        return
    said = run("lintian", "--allow-root", "--tag-display-limit", "0", "--fail-on", "error,warning", *packages)
    if said.strip():
        sys.exit(f"lintian says:\n{said}")


def check_libraries(program):
    libraries = [line.split()[0].rpartition("/")[2] for line in run("ldd", program).splitlines()]
    foreign = [name for name in libraries if not ALLOWED_LIBRARIES.match(name)]
    if foreign or not libraries:
        sys.exit(f"the program needs {foreign or 'nothing at all'}; expected the C and C++ runtime")


def check_documents(folder):
    if "Apache-2.0" not in (folder / "copyright").read_text():
        sys.exit("copyright does not name the Apache License")
    notices = gzip.decompress((folder / "THIRD_PARTY_NOTICES.md.gz").read_bytes()).decode()
    missing = [name for name in EXPECTED_NOTICES if name not in notices]
    if missing:
        sys.exit(f"THIRD_PARTY_NOTICES.md does not tell about {', '.join(missing)}")


def unpacked(packages, names, root):
    for name in names:
        run("dpkg-deb", "-x", packages[name], root)
    return root


def main():
    options = options_of_test()
    skip_without("dpkg-deb", "dpkg", "ldd", "gcc")
    # Those for other processors may lie beside them.
    architecture = run("dpkg", "--print-architecture").strip()
    packages = {path.name.split("_")[0]: path for path in options.made.glob(f"*_{architecture}.deb")}
    if not packages:
        print(f"skipped: no packages in {options.made}")
        sys.exit(77)
    if sorted(packages) != sorted(PACKAGES):
        sys.exit(f"expected {', '.join(PACKAGES)}, there are {', '.join(packages)}")
    for name, package in packages.items():
        check_fields(name, package)
    check_lintian(options.made.glob("*.deb"))
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-deb-") as work:
        work = pathlib.Path(work)
        # What a user has who installs the server, and then one who links programs.
        root = unpacked(packages, PACKAGES[:2], work / "root")
        program = root / "usr" / "bin" / "gprof-lsp"
        check_libraries(program)
        version = run(program, "--version")
        if options.version not in version:
            sys.exit(f"--version says {version!r}, expected {options.version}")
        check_command_files(root / "usr")
        check_documents(root / "usr" / "share" / "doc" / "gprof-lsp")
        both = unpacked(packages, PACKAGES[:3], work / "both")
        profiled = build_profiled(options.cmake, both / "usr", work)
        check_record(program, profiled, work)
        everything = unpacked(packages, PACKAGES[3:], both)
        missing = [name for name in ENGINE_FILES if not (everything / name).is_file()]
        if missing:
            sys.exit(f"not in libgprof-engine-dev: {missing}")
        check_folders(everything)


if __name__ == "__main__":
    main()
