"""Firmware with its profile: built by Debian's cross compilers, run by qemu, judged by their gprof.

The programs are in tests/programs/boards. They count their calls and samples themselves and write them by semihosting,
in the formats and with the sections of the systems that they are named after. qemu counts instructions instead of time,
so that each run is the same.
"""
import dataclasses
import re
import shutil
import subprocess
import unittest

import gmon_files
from gmon_files import Arc, Histogram, Layout
from profiled_program import PROGRAMS, require, run

SOURCES = PROGRAMS / "boards"
COMMON_FLAGS = ("-O1", "-g", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns", "-Wl,--no-warnings")
EMULATION = ("-display", "none", "-monitor", "none", "-serial", "none", "-icount", "shift=5", "-semihosting-config",
             "enable=on,target=native", "-kernel", "program")
RISCV32 = ("-march=rv32imac_zicsr", "-mabi=ilp32", "-mcmodel=medany")
RISCV64 = ("-march=rv64imac_zicsr", "-mabi=lp64", "-mcmodel=medany")
ZEROS = "-DSPARE_WORDS=0"
# What NuttX's header happens to have; the first word is a size of bins on FreeBSD.
LEFT_OVERS = "-DSPARE_WORDS=32,0x80001234,7"


@dataclasses.dataclass(frozen=True)
class Board:
    """`tools`: the prefix of compiler and gprof. `code`: the sections of code, ascending."""
    name: str
    tools: str
    flags: tuple
    script: str
    code: tuple
    parts: tuple = ("work.c", "profile.c")
    emulator: tuple = ()

    @property
    def gprof(self):
        return self.tools + "-gprof"

    @property
    def has_text(self):
        return ".text" in self.code


def arm(name, *flags):
    return Board(name, "arm-none-eabi", ("-mcpu=cortex-m3", "-mthumb", *flags), "cortex_m.ld", (".text", ".ramfunc"),
                 ("work.c", "profile.c", "semihosting.c", "cortex_m.c"), ("qemu-system-arm", "-M", "mps2-an385"))


def riscv(name, bits, script, code, *flags):
    return Board(name, "riscv64-unknown-elf", ((RISCV32 if bits == 32 else RISCV64) + flags), script, code,
                 ("work.c", "profile.c", "semihosting.c", "riscv.c"),
                 (f"qemu-system-riscv{bits}", "-M", "virt", "-bios", "none"))


CORTEX_M = arm("cortex_m")
ZEPHYR = riscv("zephyr", 32, "zephyr.ld", ("rom_start", "text", ".ramfunc"))
ESP32 = Board("esp32", "xtensa-lx106-elf", (), "esp32.ld", (".iram0.text", ".flash.text"), ("work.c",))
BOARDS = (
    CORTEX_M,
    arm("cortex_m_bsd", "-DBSD_FORMAT", ZEROS),
    ZEPHYR,
    riscv("zephyr_64", 64, "zephyr.ld", ("rom_start", "text", ".ramfunc")),
    riscv("nuttx", 32, "nuttx.ld", (".text",), "-DBSD_FORMAT", LEFT_OVERS),
    riscv("nuttx_64", 64, "nuttx.ld", (".text",), "-DBSD_FORMAT", LEFT_OVERS),
    ESP32,
)


def build(board, directory):
    """The program, as `program` in the directory, and its sources."""
    require(board.tools + "-gcc", board.gprof, *board.emulator[:1])
    for file in SOURCES.iterdir():
        shutil.copy2(file, directory / file.name)
    profiled = ("-pg",) if board.emulator else ()
    run([board.tools + "-gcc", *COMMON_FLAGS, *profiled, *board.flags, "-T", board.script, *board.parts, "-lgcc", "-o",
         "program"], directory)
    return directory / "program"


def profile(board, directory):
    """Leaves gmon.out: the program's own, or one that the ESP32's component would have saved."""
    if board.emulator:
        run([*board.emulator, *EMULATION], directory)
    else:
        (directory / "gmon.out").write_bytes(saved_by_esp32(board, directory))


def made(board, directory):
    build(board, directory)
    profile(board, directory)
    return directory


def symbols(board, directory):
    lines = run([board.tools + "-nm", "program"], directory).splitlines()
    return {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}


def saved_by_esp32(board, directory):
    """What esp_gprof_save() of Espressif's component writes: GNU's format, with one histogram over the flash code that is
    profiled. The end of its range is not rounded, the number of bins is, and callers are rounded down to eight bytes."""
    address = symbols(board, directory)
    low, high = address["_gprof_text_start"], address["_gprof_text_end"]

    def rounded_up(size):
        return (size + 3) // 4 * 4

    bins = [0] * (rounded_up(rounded_up(high - low) // 2) // 2)

    def spend(function, ticks):
        for i in range(4):
            bins[(address[function] - low) // 4 + i] += ticks

    def call(caller, offset, callee, count):
        return Arc(low + (address[caller] + offset - low) // 8 * 8, address[callee], count)

    spend("transform", 30)
    spend("report", 4)
    spend("run", 1)
    arcs = [call("run", 16, "transform", 40), call("run", 24, "handle", 40), call("transform", 32, "filter", 160)]
    return gmon_files.gnu_file(Layout(4), [Histogram(low, high, bins, rate=100), *arcs])


def renamed(board, directory, section):
    """A copy whose section is called .text, which GNU gprof then reads: what Espressif's script makes of a program."""
    run([board.tools + "-objcopy", "--rename-section", f"{section}=.text", "program", "renamed"], directory)
    return "renamed"


FLAT_ROW = re.compile(r"^ *[\d.]+ +[\d.]+ +([\d.]+)(?: +\d+ +[\d.]+ +[\d.]+| {27})  (\S.*)$", re.M)


def seconds_of(flat):
    """{function: self seconds} of a flat profile."""
    return {name: float(seconds) for seconds, name in FLAT_ROW.findall(flat)}


class FirmwareTest(unittest.TestCase):
    """Builds each board once."""
    folders = {}

    def folder_of(self, board):
        if board not in self.folders:
            folder = self.directory / board.name
            folder.mkdir()
            self.folders[board] = made(board, folder)
        return self.folders[board]

    def judge(self, board, *words, folder=None):
        return subprocess.run([board.gprof, *words], cwd=folder or self.folder_of(board), capture_output=True,
                              timeout=60, check=False)
