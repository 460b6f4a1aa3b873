"""Names of every shape in hovers, as the editors' readers of Markdown show them: run.py SAMPLES READER

SAMPLES is the program that prints them; READER is markdown-it, which VS Code uses, or a Neovim, as
"Neovim 0.10". Exit status 77, and the reason, where a tool is missing or cannot be fetched.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "clients"))
sys.path.insert(0, str(ROOT / "tests" / "editors" / "neovim"))

from run import neovim_of, with_pynvim  # noqa: E402
from skipping import fetched, require_or_skip, status_of  # noqa: E402


FIELDS = ("name", "made_up", "where", "markdown")


def samples_of(program):
    printed = subprocess.run([program], capture_output=True, check=True).stdout.decode(errors="replace")
    fields = printed.split("\0")[:-1]
    assert len(fields) % len(FIELDS) == 0, "a sample has a null character"
    return [dict(zip(FIELDS, fields[i:])) for i in range(0, len(fields), len(FIELDS))]


def in_markdown_it(samples):
    require_or_skip("node")
    fetched("extension", limit=540)
    done = subprocess.run(["node", HERE / "parsed.mjs", ROOT / "editors" / "vscode"], input=json.dumps(samples),
                          text=True, check=False)
    return done.returncode


def some_of(samples, version):
    """Those of names that there are, and some of those made up: a window is opened for each."""
    made_up = next(i for i, sample in enumerate(samples) if sample["made_up"])
    if version == "0.7.2":
        # It reads marks in code as if they were outside.
        return [sample for sample in samples[:made_up] if not set(sample["name"]) & set("\\`")]
    return samples[:made_up] + samples[made_up::17]


def in_neovim(samples, version):
    with_pynvim()
    import pynvim  # pylint: disable=import-outside-toplevel
    neovim = pynvim.attach("child", argv=[neovim_of(version), "--embed", "--headless", "--clean"])
    # Only what is drawn for somebody has floating windows on its screen.
    neovim.ui_attach(240, 40)
    looked_at, wrong = neovim.exec_lua((HERE / "shown.lua").read_text(encoding="utf-8"),
                                       some_of(samples, version))
    neovim.quit("qa!")
    print(f"{looked_at} samples were looked at, {len(wrong)} are not shown as they are", *wrong[:20], sep="\n")
    assert not wrong, "names are not shown as they are"
    assert looked_at > 100, "too few samples were looked at"
    return 0


def test():
    program, reader = sys.argv[1:]
    samples = samples_of(program)
    return in_markdown_it(samples) if reader == "markdown-it" else in_neovim(samples, reader.split()[1])


if __name__ == "__main__":
    sys.exit(status_of(test))
