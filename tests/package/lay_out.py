"""Lays out the archive and Debian's packages twice, at different times, under different umasks, as users of different
time zones: the bytes must be the same. The first are what other tests look at."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lay_out(build, out, umask, zone):
    os.umask(umask)
    done = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "release", "--untested", "--fast", "--build", build,
                           "--out", out, "--only", "archive", "deb", "sbom"],
                          env=dict(os.environ, TZ=zone), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scripts/release failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    for line in done.stdout.splitlines():
        if line.startswith("left out: "):
            print(line)
    return (out / "SHA256SUMS").read_text()


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--made"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    again = options.made.with_name(options.made.name + "-again")
    for folder in (options.made, again):
        shutil.rmtree(folder, ignore_errors=True)
    first = lay_out(options.build, options.made, 0o022, "UTC")
    time.sleep(1.1)
    second = lay_out(options.build, again, 0o077, "Pacific/Auckland")
    if first != second:
        sys.exit(f"the bytes differ; compare {options.made} with {again}:\n{first}\n{second}")
    shutil.rmtree(again)
    if not first:
        print("skipped: nothing could be made")
        sys.exit(77)


if __name__ == "__main__":
    main()
