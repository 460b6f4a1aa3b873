"""Names of every shape in hovers, as the editors' readers of Markdown show them: run.py SAMPLES READER

SAMPLES is the program that prints them; READER is markdown-it, which VS Code uses, or a Neovim, as
"Neovim 0.10". Exit status 77, and the reason, where a tool is missing or cannot be fetched.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "clients"))
sys.path.insert(0, str(ROOT / "tests" / "editors" / "neovim"))

from run import neovim_of  # noqa: E402
from skipping import fetched, require_or_skip, status_of  # noqa: E402


def in_markdown_it(samples):
    require_or_skip("node")
    fetched("extension", limit=540)
    done = subprocess.run(["node", HERE / "parsed.mjs", ROOT / "editors" / "vscode"], input=samples,
                          text=True, check=False)
    return done.returncode


def in_neovim(samples, version):
    neovim = neovim_of(version)
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-test-") as folder:
        asked, seen = pathlib.Path(folder) / "samples.json", pathlib.Path(folder) / "seen"
        asked.write_text(samples, encoding="utf-8")
        subprocess.run([neovim, "--headless", "-u", "NONE", "-i", "NONE", "-S", HERE / "shown.lua"],
                       env=os.environ | {"SAMPLES": str(asked), "SEEN": str(seen)},
                       stdin=subprocess.DEVNULL, check=True, timeout=300)
        report = seen.read_text(encoding="utf-8", errors="replace")
    print(report[:20_000])
    assert report.startswith("0 of "), "names are not shown as they are"
    assert int(report.split()[2]) > 500, "too few samples were looked at"
    return 0


def test():
    program, reader = sys.argv[1:]
    samples = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    if reader == "markdown-it":
        return in_markdown_it(samples)
    return in_neovim(samples, reader.split()[1])


if __name__ == "__main__":
    sys.exit(status_of(test))
