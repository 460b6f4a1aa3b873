"""What is done to load a profile grows with its size, not with its square, however many processes, threads, modules,
mappings, names or parts it has.

Instructions are counted, by valgrind: they are the same on every machine, however busy. Of a file of n, 2n and 4n
elements the second difference is twice the first where the work is proportional, and four times where it is quadratic.
"""
import pathlib
import re
import struct
import subprocess
import sys

import harness
from naming_profiles import IN_LIBRARY, LIBRARY_BASE, address_of, field, varint
from profiled_program import require, run
from tested_build import not_sanitized

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import perf_recording as perf  # noqa: E402

COLLECTED = re.compile(rb"Collected : (\d+)")
ELEMENTS = 1000
# Of the second difference; n log n is 2.2 or less here.
LARGEST_GROWTH = 2.35


def script(program, main, count, sample):
    """`sample`: process, thread, module and offset of each."""
    text = []
    for i in range(count):
        process, thread, module, offset = sample(i)
        text.append(f"plain {process}/{thread} [000] {i // 1000}.{i % 1000:06}: 1 cycles:u: \n"
                    f"\t{offset:x} [unknown] ({module})\n\t{main:x} main+0x4 ({program})\n\n")
    return f"plain 1/1 [000] 0.000000: 1 cycles:u: \n\t{main:x} main+0x4 ({program})\n\n" + "".join(text)


def perf_data(program, main, happenings, samples):
    """`happenings`: records of processes; `samples`: process and time of each, in main()."""
    extent = perf.Extent(samples=0, stacks=0, threads=1)
    _, build = perf.executable_segment(program)
    attribute = perf.attribute(extent) + struct.pack("<QQ", 0, 0)
    begin = perf.HEADER.size + len(attribute)
    body = b"".join(happenings) + b"".join(
        perf.record(perf.SAMPLE, perf.USER, struct.pack(
            "<QIIQQQQQ", main, process, process, time, perf.NANOSECONDS, 2, perf.IN_USER, main))
        for process, time in samples)
    return perf.HEADER.pack(
        b"PERFILE2", perf.HEADER.size, len(attribute), perf.HEADER.size, len(attribute), begin, len(body), 0, 0,
        1 << perf.BUILD_IDS | 1 << perf.ARCH, 0, 0, 0) + attribute + body + perf.features(
            program, build or bytes(20), begin + len(body))


def ending(process, time):
    return struct.pack("<IIQ", process, process, time)


def mapping(program, segment, process, time):
    address, offset, size = segment
    page = address % 4096
    return perf.record(perf.MMAP2, perf.USER, struct.pack(
        "<IIQQQIIQQII", process, process, address - page, (size + page + 4095) // 4096 * 4096, offset - page, 8, 1, 0,
        0, 5, 2) + perf.padded(program) + ending(process, time))


def fork(parent, child, time):
    return perf.record(7, 0, struct.pack("<IIIIQ", child, parent, child, parent, time) + ending(child, time))


def pprof(program, main, texts, messages):
    texts = ["", "samples", "count", str(program), "main", *texts]
    head = field(1, field(1, 1) + field(2, 2))
    head += field(3, field(1, 1) + field(2, main) + field(3, main + 4096) + field(5, 3))
    head += field(5, field(1, 1) + field(2, 4)) + field(4, field(1, 1) + field(2, 1) + field(4, field(1, 1)))
    head += field(2, field(1, b"\x01") + field(2, 1))
    return head + b"".join(messages) + b"".join(field(6, text.encode()) for text in texts)


@not_sanitized("sanitizers do not run under valgrind")
class LoadGrowth(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        require("valgrind")
        self.compiler()
        source = self.folder / "prog.c"
        source.write_text("int main(void) { volatile int n = 0; while (n < 1000) ++n; return 0; }\n")
        self.program = self.folder / "prog"
        run(["gcc", "-g", "-no-pie", source, "-o", self.program], self.folder)
        self.main = address_of(self.program, "main") + 4
        self.segment, _ = perf.executable_segment(self.program)

    def instructions(self, name, content):
        profile = self.folder / name
        profile.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", harness.SERVER, "report", "--accurate",
             "-b", "-p", self.program, profile], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        found = COLLECTED.search(done.stderr)
        if not found:
            self.skipTest("skipped: valgrind cannot run the server here")
        self.assertEqual(0, done.returncode, done.stderr[-2000:])
        self.assertIn(b"main", done.stdout)
        return int(found[1])

    def grows(self, name, made):
        """`made(n)`: a profile of n elements."""
        once, twice, four_times = (self.instructions(name, made(n * ELEMENTS)) for n in (1, 2, 4))
        growth = (four_times - twice) / max(1, twice - once)
        self.assertLess(growth, LARGEST_GROWTH, (once, twice, four_times))

    def test_processes_of_a_text(self):
        self.grows("perf.txt", lambda n: script(self.program, self.main, n, lambda i: (i + 2, i + 2, "/l.so", 16)))

    def test_threads_of_a_text(self):
        self.grows("perf.txt", lambda n: script(self.program, self.main, n, lambda i: (2, i + 2, "/l.so", 16)))

    def test_modules_and_stacks_of_a_text(self):
        self.grows("perf.txt", lambda n: script(self.program, self.main, n, lambda i: (2, 2, f"/l{i}.so", 16 * i + 16)))

    def test_processes_of_a_recording(self):
        def made(n):
            return perf_data(self.program, self.main,
                             [mapping(self.program, self.segment, i + 2, 1) for i in range(n)],
                             [(i + 2, 5 + i) for i in range(n)])
        self.grows("perf.data", made)

    def test_forks_of_a_recording(self):
        def made(n):
            return perf_data(self.program, self.main,
                             [mapping(self.program, self.segment, 2, 1),
                              *(fork(2 + i // 8, i + 3, i + 2) for i in range(n))],
                             [(i + 2, 5 + n) for i in range(n)])
        self.grows("perf.data", made)

    def test_mappings_of_one_range(self):
        def made(n):
            return perf_data(self.program, self.main,
                             [mapping(self.program, self.segment, 2, 1 + i) for i in range(n)],
                             [(2, 2) for i in range(n)])
        self.grows("perf.data", made)

    def test_parts_of_callgrind(self):
        def made(n):
            head = f"# callgrind format\ncmd: {self.program}\nevent: Sum = " + "+".join(["Ir"] * (2 * n)) + " + none\n"
            return head + "".join(f"pid: {i + 1}\nthread: 1\nevents: Ir\nfl={self.folder}/prog.c\nfn=main\n1 1\n"
                                  for i in range(n))
        self.grows("callgrind.out", made)

    def test_calls_of_callgrind(self):
        def made(n):
            return (f"# callgrind format\ncmd: {self.program}\nevents: Ir\nfl={self.folder}/prog.c\nfn=main\n1 1\n" +
                    "".join(f"fn=main'{i + 2}\n1 1\ncob=/l{i}.so\ncfn=f{i}\ncalls=1 1\n1 1\n" for i in range(n)))
        self.grows("callgrind.out", made)

    def test_names_of_pprof(self):
        def made(n):
            return pprof(self.program, self.main, [f"/l{i}.so" for i in range(n)], [
                piece for i in range(n) for piece in (
                    field(3, field(1, i + 2) + field(2, LIBRARY_BASE) + field(3, LIBRARY_BASE + 65536) + field(5, 5 + i)),
                    field(5, field(1, i + 2) + field(2, 5 + i)),
                    field(4, field(1, 2 * i + 2) + field(2, i + 2) + field(3, LIBRARY_BASE + IN_LIBRARY)),
                    field(4, field(1, 2 * i + 3) + field(4, field(1, i + 2))),
                    field(2, field(1, varint(2 * i + 2) + varint(2 * i + 3) + b"\x01") + field(2, 1)))])
        self.grows("cpu.pprof", made)

    def test_names_of_folded_stacks(self):
        self.grows("stacks.folded", lambda n: "main 1\n" + "".join(
            f"main-{i}/{i};main;f{i} [l{i}.so] 1\n" for i in range(n)))

