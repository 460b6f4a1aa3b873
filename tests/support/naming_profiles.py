"""Profiles of each kind that name a program and a library, and have samples in both.

They are written byte by byte: no tool of the kind is needed, and the library is one that never ran.
"""
import pathlib
import struct
import subprocess
import sys

import gmon_files
import sidecar_files

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import perf_recording as perf  # noqa: E402

LIBRARY_BASE = 0x7f0000000000
IN_LIBRARY = 0x1100  # of the library's code, in the file and in memory


def address_of(program, function):
    """At link time; the program is not position-independent."""
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[0], 16) for line in listed.splitlines() if line.endswith(" " + function))


def perf_data(path, program, library, build_id=""):
    """With samples in the library and in main()."""
    del build_id
    extent = perf.Extent(samples=0, stacks=0, threads=1)
    (address, offset, size), build = perf.executable_segment(program)
    main = address_of(program, "main") + 4
    attribute = perf.attribute(extent) + struct.pack("<QQ", 0, 0)
    page = address % 4096
    base = address - page
    records = [perf.record(perf.COMM, perf.EXEC, struct.pack("<II", perf.PROCESS, perf.PROCESS) +
                           perf.padded("program") + perf.ending(perf.PROCESS)),
               perf.mapping(program, perf.USER, (base, (size + page + 4095) // 4096 * 4096), offset - page, 5),
               perf.mapping(library, perf.USER, (LIBRARY_BASE, 1 << 16), 0, 5)]
    for time, frames in enumerate(((main,), (LIBRARY_BASE + IN_LIBRARY, main))):
        chain = struct.pack(f"<{2 + len(frames)}Q", 1 + len(frames), perf.IN_USER, *frames)
        records.append(perf.record(perf.SAMPLE, perf.USER, struct.pack(
            "<QIIQQ", frames[0], perf.PROCESS, perf.PROCESS, 2 + time, perf.NANOSECONDS) + chain))
    begin = perf.HEADER.size + len(attribute)
    body = b"".join(records)
    ids = perf.features(program, build or bytes(20), begin + len(body))
    path.write_bytes(perf.HEADER.pack(
        b"PERFILE2", perf.HEADER.size, len(attribute), perf.HEADER.size, len(attribute), begin, len(body), 0, 0,
        1 << perf.BUILD_IDS | 1 << perf.ARCH, 0, 0, 0) + attribute + body + ids)


def perf_script(path, program, library, build_id=""):
    del build_id
    main = address_of(program, "main") + 4
    own = f"\t{main:x} main+0x4 ({program})\n\n"
    path.write_text(f"program 12/12 1.000001: 1000 cycles:u: \n\t{LIBRARY_BASE + IN_LIBRARY:x} [unknown] ({library})\n"
                    f"{own}program 12/12 1.000002: 1000 cycles:u: \n{own}")


def callgrind(path, program, library, build_id=""):
    del build_id
    path.write_text(f"# callgrind format\ncmd: {program}\nevents: Ir\n\nob={program}\nfl={program}.c\nfn=main\n3 10\n"
                    f"cob={library}\ncfi={library}.c\ncfn=canary\ncalls=1 1\n4 20\n\n"
                    f"ob={library}\nfl={library}.c\nfn=canary\n1 20\n")


def folded(path, program, library, build_id=""):
    del build_id
    path.write_text(f"main 3\nmain;canary [{library}] 4\nmain;{library}`other 5\n")


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """Of a message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof(path, program, library, build_id=""):
    texts = ["", "samples", "count", str(program), str(library), build_id, "main"]
    main = address_of(program, "main")
    message = field(1, field(1, 1) + field(2, 2))
    message += field(3, field(1, 1) + field(2, main) + field(3, main + 4096) + field(5, 3))
    message += field(3, field(1, 2) + field(2, LIBRARY_BASE) + field(3, LIBRARY_BASE + (1 << 16)) + field(5, 4) +
                     field(6, 5))
    message += field(4, field(1, 1) + field(2, 1) + field(4, field(1, 1) + field(2, 3)))
    message += field(4, field(1, 2) + field(2, 2) + field(3, LIBRARY_BASE + IN_LIBRARY))
    message += field(5, field(1, 1) + field(2, 6))
    message += field(2, field(1, 1) + field(2, 3)) + field(2, field(1, b"\x02\x01") + field(2, 4))
    path.write_bytes(message + b"".join(field(6, text.encode()) for text in texts))


def gmon(path, program, library, build_id=""):
    """A gmon file, and beside it the sidecar that names the library."""
    del build_id
    main = address_of(program, "main")
    low = main // 16 * 16
    bins = [0] * 32
    bins[(main + 4 - low) // 2] = 7
    gmon_files.write(path, [gmon_files.Histogram(low, low + 64, tuple(bins), 100)])
    sidecar = path.with_name(path.name + ".gpx")
    sidecar.write_bytes(sidecar_files.sidecar_file(
        [sidecar_files.Module(str(program), path.name), sidecar_files.Module(str(library))], (),
        [sidecar_files.Sample(0, (main + 4) // 2 * 2, 7), sidecar_files.Sample(1, IN_LIBRARY, 9)],
        [sidecar_files.Stack(9, ((1, IN_LIBRARY), (0, main + 4))), sidecar_files.Stack(7, ((0, main + 4),))],
        process=7, start_time=10**18, end_time=4 * 10**18, requested_rate=100, cpu_time=10**9))


# By the name of the file: some kinds are known by it.
KINDS = {"perf.data": perf_data, "perf.txt": perf_script, "callgrind.out.1": callgrind, "stacks.folded": folded,
         "cpu.pprof": pprof, "gmon.out": gmon}
