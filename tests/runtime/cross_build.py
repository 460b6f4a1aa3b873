"""Builds the collector for 64-bit Arm (cmake --preset aarch64). Exits with 77 (skipped) if the cross
compiler is missing."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    for tool in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}")
            return 77
    cmake = sys.argv[1]
    if not (ROOT / "build/aarch64/build.ninja").exists():
        subprocess.run([cmake, "--preset", "aarch64"], cwd=ROOT, check=True)
    return subprocess.run([cmake, "--build", "--preset", "aarch64"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
