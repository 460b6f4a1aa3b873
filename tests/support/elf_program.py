"""Writes ELF executables without a compiler: symbols at chosen addresses and code bytes, no more.

A report needs little of a program: `.text`, `.symtab` and the string table. A file with just these
is written quickly, for any machine, so that reports of thousands of random programs can be compared
with GNU gprof's. Descriptions are not checked, so that odd files can be made, too.
"""
import dataclasses
import struct

BINDINGS = {"local": 0, "global": 1, "weak": 2, "unique": 10}
KINDS = {"notype": 0, "object": 1, "function": 2, "section": 3, "file": 4, "common": 5, "tls": 6,
         "ifunc": 10}

PROGBITS, SYMTAB, STRTAB, NOBITS = 1, 2, 3, 8
WRITE, ALLOC, EXECUTE = 1, 2, 4


@dataclasses.dataclass(frozen=True)
class Machine:
    """Fields of the ELF header, which also determine width and byte order in gmon files."""
    name: str
    number: int
    bits: int = 64
    order: str = "little"
    pointer_size: int = 8  # of gmon files: 4 for x32, although its registers have 64 bits
    flags: int = 0


X86_64 = Machine("x86-64", 62)
I386 = Machine("i386", 3, bits=32, pointer_size=4)
X32 = Machine("x32", 62, bits=32, pointer_size=4)
AARCH64 = Machine("aarch64", 183)
ARM = Machine("arm", 40, bits=32, pointer_size=4)
POWERPC = Machine("ppc", 20, bits=32, order="big", pointer_size=4)
POWERPC64 = Machine("ppc64", 21, order="big", flags=2)
POWERPC64LE = Machine("ppc64le", 21, flags=2)
MIPS = Machine("mips", 8, bits=32, order="big", pointer_size=4, flags=0x70001000)
SPARC = Machine("sparc", 2, bits=32, order="big", pointer_size=4)
SPARC64 = Machine("sparc64", 43, order="big")
S390X = Machine("s390x", 22, order="big")
RISCV64 = Machine("riscv64", 243)

MACHINES = (X86_64, I386, X32, AARCH64, ARM, POWERPC, POWERPC64, POWERPC64LE, MIPS, SPARC, SPARC64,
            S390X, RISCV64)


@dataclasses.dataclass(frozen=True)
class Symbol:
    """`section` is the name of one of the program's sections, "undefined", "absolute"."""
    name: str
    address: int
    kind: str = "function"
    binding: str = "global"
    section: str = ".text"
    size: int = 0


@dataclasses.dataclass
class Section:
    name: str
    address: int
    data: bytes
    kind: int = PROGBITS
    flags: int = ALLOC | EXECUTE
    link: int = 0
    info: int = 0
    entry_size: int = 0


@dataclasses.dataclass
class Program:
    """`.text` is `text_size` bytes at `text_address`, filled with no-ops unless `text` is given."""
    symbols: list
    machine: Machine = X86_64
    text_address: int = 0x401000
    text_size: int = 0x1000
    text: bytes = b""
    text_name: str = ".text"
    other_sections: list = dataclasses.field(default_factory=list)
    with_symbols: bool = True

    @property
    def text_end(self):
        return self.text_address + self.text_size

    def bytes(self):
        return _Writer(self).bytes()

    def write(self, path):
        path.write_bytes(self.bytes())
        path.chmod(0o755)
        return path


def functions(names, start=0x401000, step=0x40, **options):
    """One global function each, `step` bytes apart."""
    return [Symbol(name, start + i * step, size=step, **options) for i, name in enumerate(names)]


class _Writer:
    def __init__(self, program):
        self.program = program
        self.machine = program.machine
        self.order = "<" if self.machine.order == "little" else ">"

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def bytes(self):
        sections = self.sections()
        header_size = 64 if self.machine.bits == 64 else 52
        segment_size = 56 if self.machine.bits == 64 else 32
        body, offsets = bytearray(), []
        start = header_size + segment_size
        for section in sections:
            body += b"\0" * (-(start + len(body)) % 16)
            offsets.append(start + len(body))
            if section.kind != NOBITS:
                body += section.data
        body += b"\0" * (-(start + len(body)) % 16)
        table = b"".join(self.section_header(section, offset, sections)
                         for section, offset in zip(sections, offsets))
        table = bytes(self.section_header_size()) + table
        return (self.file_header(start + len(body), len(sections) + 1)
                + self.segment(offsets[0]) + bytes(body) + table)

    def sections(self):
        program = self.program
        text = program.text.ljust(program.text_size, b"\x90")[:program.text_size]
        sections = [Section(program.text_name, program.text_address, text),
                    *program.other_sections]
        if program.with_symbols:
            symbols, names, local_count = self.symbol_table(sections)
            entry = 24 if self.machine.bits == 64 else 16
            sections.append(Section(".symtab", 0, symbols, SYMTAB, 0, len(sections) + 2,
                                    local_count, entry))
            sections.append(Section(".strtab", 0, names, STRTAB, 0))
        names = b"\0".join([b"", *(s.name.encode() for s in sections), b".shstrtab", b""])
        sections.append(Section(".shstrtab", 0, names, STRTAB, 0))
        return sections

    def symbol_table(self, sections):
        """The table with its null symbol, its strings, and the number of local symbols.

        The string table has the names in the order of the description. ELF requires local symbols
        first, so symbols are sorted (stably) if necessary.
        """
        indices = {section.name: i for i, section in enumerate(sections, 1)}
        indices |= {"undefined": 0, "absolute": 0xfff1}
        ordered = sorted(self.program.symbols, key=lambda s: s.binding != "local")
        table, names = bytearray(self.symbol(0, 0, 0, 0, 0)), bytearray(b"\0")
        offsets = {}
        for symbol in self.program.symbols:
            offsets[symbol] = len(names)
            names += symbol.name.encode("utf-8", "surrogateescape") + b"\0"
        for symbol in ordered:
            info = BINDINGS[symbol.binding] << 4 | KINDS[symbol.kind]
            table += self.symbol(offsets[symbol], symbol.address, symbol.size, info,
                                 indices[symbol.section])
        return (bytes(table), bytes(names),
                1 + sum(symbol.binding == "local" for symbol in ordered))

    def symbol(self, name, address, size, info, section):
        if self.machine.bits == 64:
            return self.pack("IBBHQQ", name, info, 0, section, address, size)
        return self.pack("IIIBBH", name, address, size, info, 0, section)

    def section_header_size(self):
        return 64 if self.machine.bits == 64 else 40

    def section_header(self, section, offset, sections):
        names = sections[-1].data
        name = names.index(b"\0" + section.name.encode() + b"\0") + 1
        layout = "IIQQQQIIQQ" if self.machine.bits == 64 else "IIIIIIIIII"
        return self.pack(layout, name, section.kind, section.flags, section.address, offset,
                         len(section.data), section.link, section.info,
                         16 if section.flags else 1, section.entry_size)

    def file_header(self, section_table, section_count):
        identity = b"\x7fELF" + bytes([2 if self.machine.bits == 64 else 1,
                                       1 if self.machine.order == "little" else 2, 1]) + bytes(9)
        wide = self.machine.bits == 64
        layout = "HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"
        return identity + self.pack(
            layout, 2, self.machine.number, 1, self.program.text_address, 64 if wide else 52,
            section_table, self.machine.flags, 64 if wide else 52, 56 if wide else 32, 1,
            self.section_header_size(), section_count, section_count - 1)

    def segment(self, text_offset):
        address, size = self.program.text_address, self.program.text_size
        if self.machine.bits == 64:
            return self.pack("IIQQQQQQ", 1, 5, text_offset, address, address, size, size, 16)
        return self.pack("IIIIIIII", 1, text_offset, address, address, size, size, 5, 16)
