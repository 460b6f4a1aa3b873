#!/usr/bin/env python3
"""Writes the seeds of the ELF and DWARF fuzz targets: tiny programs without any library.

usage: make_seeds.py CORPUS    (the directory that holds elf/ and dwarf/)

Needs gcc, clang with lld for other machines, and MinGW's gcc for Windows. A compiler that is missing leaves its seeds as
they are and is named.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
static inline __attribute__((always_inline)) int twice(int n) { return n + n; }
__attribute__((noinline)) static int leaf(int n) { return twice(n) + 1; }
__attribute__((noinline)) int middle(int n) { return leaf(n) * twice(leaf(n + 1)); }
void _start(void) { middle(1); for (;;) middle(2); }
"""

SMALL = ["-nostdlib", "-static", "-ffreestanding", "-fno-asynchronous-unwind-tables",
         "-fno-stack-protector", "-Wl,-z,norelro", "-Wl,--build-id=sha1"]
GNU = [*SMALL, "-Wl,-z,noseparate-code"]
PE = ["-nostdlib", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-Wl,--build-id",
      "-Wl,--file-alignment,16"]
LLD = [*SMALL, "-fuse-ld=lld", "-Wl,-z,noseparate-code"]

# corpus, name of the seed, compiler, options
SEEDS = [
    ("elf", "x86_64_static", ["gcc", "-O1", *GNU]),
    ("elf", "x86_64_pie", ["gcc", "-O1", *GNU[:1], *GNU[2:], "-static-pie", "-fPIE"]),
    ("elf", "x86_64_gz", ["gcc", "-g", "-gz", "-O1", *GNU]),
    ("elf", "i386_static", ["gcc", "-m32", "-O1", *GNU]),
    ("elf", "aarch64_static", ["clang", "--target=aarch64-linux-gnu", "-O1", *LLD]),
    ("elf", "powerpc64_be", ["clang", "--target=powerpc64-linux-gnu", "-O1", *LLD]),
    ("elf", "mips32_be", ["clang", "--target=mips-linux-gnu", "-O1", *LLD]),
    ("elf", "x86_64_windows", ["x86_64-w64-mingw32-gcc", "-O1", *PE, "-Wl,-e,_start"]),
    ("elf", "i386_windows", ["i686-w64-mingw32-gcc", "-O1", *PE, "-Wl,-e,__start"]),
    ("dwarf", "gcc_dwarf5", ["gcc", "-g", "-gdwarf-5", "-O2", *GNU]),
    ("dwarf", "gcc_dwarf4", ["gcc", "-g", "-gdwarf-4", "-O2", *GNU]),
    ("dwarf", "gcc_dwarf2", ["gcc", "-g", "-gdwarf-2", "-gstrict-dwarf", "-O2", *GNU]),
    ("dwarf", "gcc_dwarf5_gz", ["gcc", "-g", "-gdwarf-5", "-gz", "-O2", *GNU]),
    ("dwarf", "clang_dwarf5", ["clang", "-g", "-gdwarf-5", "-O1", *GNU]),
    ("dwarf", "clang_dwarf3", ["clang", "-g", "-gdwarf-3", "-O1", *GNU]),
    ("dwarf", "windows_dwarf5", ["x86_64-w64-mingw32-gcc", "-g", "-O2", *PE, "-Wl,-e,_start"]),
    ("dwarf", "clang_split", ["clang", "-g", "-gdwarf-5", "-gsplit-dwarf", "-O1", *GNU]),
    ("dwarf", "mips32_be", ["clang", "--target=mips-linux-gnu", "-g", "-O1", *LLD]),
]


def make_seed(command, work):
    if shutil.which(command[0]) is None:
        return f"no {command[0]}"
    (work / "seed.c").write_text(SOURCE)
    # MinGW adds an ending to a name without one.
    result = subprocess.run([*command, "seed.c", "-o", "seed.out"], cwd=work, capture_output=True,
                            text=True, check=False)
    return result.stderr if result.returncode != 0 else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for corpus, name, command in SEEDS:
        with tempfile.TemporaryDirectory(prefix="seed") as temporary:
            work = pathlib.Path(temporary)
            mapped = [f"-ffile-prefix-map={temporary}=/src"]
            if error := make_seed([*command, *mapped], work):
                print(f"skipped {corpus}/{name}: {error.strip()}", file=sys.stderr)
                continue
            target = pathlib.Path(sys.argv[1]) / corpus / name
            shutil.copyfile(work / "seed.out", target)
            print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
