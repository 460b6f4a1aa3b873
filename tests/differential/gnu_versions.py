"""Where versions of GNU gprof differ from each other, and so not all of them from `gprof-lsp report`.

Ours prints the bytes of 2.40 but for docs/gnu-differences.md. The judge is the installed gprof,
whichever version it is: a test that meets one of these differences asks `may_show` whether to allow
for it. What a version is known not to show is never excused; report_gnu_versions_test.py holds the
installed one to this table.
"""
import dataclasses
import functools
import re
import shutil
import subprocess


@dataclasses.dataclass(frozen=True)
class Difference:
    """`seen`: versions of binutils that were tried, and whether they differ from ours.

    `allowance`: how tests allow for it.
    """
    what: str
    allowance: str
    seen: tuple  # ((version, bool), ...), ascending

    def shown_by(self, version):
        """None between two versions of which one differs and the other does not."""
        before = [shown for known, shown in self.seen if known <= version]
        after = [shown for known, shown in self.seen if known >= version]
        answers = {*before[-1:], *after[:1]}
        return answers.pop() if len(answers) == 1 else None


DIFFERENCES = {
    "first file": Difference(
        "code of the first file of a DWARF 5 unit, often a header, is named after the unit's main "
        "file: in the index, -A, -C, -l and in the files of symbol specifications",
        "GNU gprof reads a twin of the program, with the same code and DWARF 4",
        (((2, 40), True), ((2, 42), True), ((2, 44), False))),
    "final calls": Difference(
        "-c misses a call in the last bytes of a function, as of one that does not return",
        "no program that is compared by -c has one",
        (((2, 40), False), ((2, 42), True), ((2, 44), True))),
    "warnings of clang's files": Difference(
        "what clang compiled with DWARF 5 makes it warn of a bad file number; the reports are good",
        "messages on standard error may differ",
        (((2, 40), False), ((2, 42), False), ((2, 44), True))),
    "names of D": Difference(
        "names of D are demangled without being asked for; ours does as the libiberty in it does",
        "programs have none",
        (((2, 40), False), ((2, 42), False), ((2, 44), True))),
}


@functools.cache
def installed():
    """(2, 40), or None where there is no gprof that says its version."""
    if shutil.which("gprof") is None:
        return None
    said = subprocess.run(["gprof", "--version"], capture_output=True, text=True, check=False)
    # The package that it is of stands in brackets before the version.
    version = re.match(r"GNU gprof (?:\(.*\) )?(\d+)\.(\d+)", said.stdout)
    return (int(version[1]), int(version[2])) if version else None


def shown(name):
    """Whether the installed gprof differs; None where that is not known."""
    version = installed()
    return None if version is None else DIFFERENCES[name].shown_by(version)


def may_show(name):
    return shown(name) is not False
