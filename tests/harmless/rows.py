"""The tables of what is run: commands.toml and programs.toml."""
import dataclasses
import pathlib
import shutil
import tomllib

from comparison import DISK_BOUND, Expectation

FOLDER = pathlib.Path(__file__).resolve().parent
PLAIN_SECONDS = 300  # a busy machine is no reason to fail


@dataclasses.dataclass(frozen=True)
class Row:
    """commands.toml describes the members."""

    name: str
    run: str
    needs: tuple = ()
    prepare: str = ""
    replace: tuple = ()
    varying: tuple = ()
    unseen: tuple = ()
    leaves: tuple = ()
    disk: float = DISK_BOUND / 2**20
    seconds: float = PLAIN_SECONDS
    short: bool = False
    last_line: bool = True
    lines: int = 1

    def missing(self):
        return [tool for tool in self.needs if shutil.which(tool) is None]

    def expectation(self):
        return Expectation(self.replace, int(self.disk * 2**20), self.last_line, self.lines)


def unique(rows):
    names = [row.name for row in rows]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"rows of the same name: {repeated}")
    return rows


def members(row):
    """Lists of a table become tuples."""
    def fixed(value):
        return tuple(fixed(one) for one in value) if isinstance(value, list) else value

    return {key: fixed(value) for key, value in row.items()}


def table(name):
    return [members(row) for row in tomllib.loads((FOLDER / name).read_text())["row"]]


def commands():
    return unique([Row(**row) for row in table("commands.toml")])


# Clobbered: variables that a jump leaves alone, since they do not change. The others: on purpose.
FLAGS = ("-D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -Wno-clobbered -Wno-nonnull -Wno-infinite-recursion "
         "-pthread")
CXX_FLAGS = "-std=c++17 -O1 -g -Wall -Wextra -Werror -pthread"


def program(source, words="", flags="", compiler="gcc", prepare="", needs=(), **others):
    sources = FOLDER / "programs" / "hostile"
    own_flags = FLAGS if compiler == "gcc" else CXX_FLAGS
    building = f"SOURCES={sources}; {compiler} {own_flags} {flags} -o p $SOURCES/{source} -ldl; {prepare}"
    return Row(**{"run": f"exec ./p {words}", "prepare": building, "needs": (compiler, *needs), **others})


def programs():
    return unique([program(**row) for row in table("programs.toml")])
