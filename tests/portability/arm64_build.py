"""Cross-builds the collector, all that is packaged, or the unit tests, by the preset aarch64. Exits with 77
(skipped) where the cross compiler is missing, or the libraries for 64-bit Arm, which the collector does not need.

  arm64_build.py CMAKE runtime|server|units
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = {"runtime": ("gprof_runtime", "gprof_runtime_static"), "server": ("all",), "units": ("unit_tests",)}


def main():
    cmake, part = sys.argv[1:]
    for tool in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}")
            return 77
    fetched = subprocess.run([ROOT / "scripts/arm64-libraries"], check=False).returncode
    if fetched != 0 and (fetched != 77 or part != "runtime"):
        return fetched
    runtime_only = "ON" if fetched != 0 else "OFF"
    with_tests = "ON" if part == "units" else "OFF"
    subprocess.run([cmake, "--preset", "aarch64", "--log-level=WARNING", f"-DGPROF_LSP_RUNTIME_ONLY={runtime_only}",
                    f"-DGPROF_LSP_BUILD_TESTS={with_tests}"], cwd=ROOT, check=True)
    return subprocess.run([cmake, "--build", "--preset", "aarch64", "--target", *TARGETS[part]], cwd=ROOT,
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
