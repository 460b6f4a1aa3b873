"""Reads the sidecar of a profile, NAME.gpx: docs/gmon-format.md, section "Sidecar".

parse(path) checks everything that the format promises (magic, sizes, checksum, padding, order, offsets) and
raises SidecarError on a violation. The result is a dictionary:

    machine, version    numbers
    process             a dictionary of the fields, by the names in FIELDS[PROCESS]; ending and
                        sample_source as the names in ENDINGS and SAMPLE_SOURCES; the header's
                        process_start
    modules, arcs, threads, samples
                        lists of such dictionaries. Offsets are replaced by texts, module numbers by
                        the module's dictionary, or None
    stacks              a list of {"count", "truncated", "frames": [(module or None, address)], "entries",
                        "inferred_from"}, the last the number of an entry, or 0;
                        an entry of a stack is a frame, (REPEAT, length, count) or (LEFT_OUT, count)
    slice_width, slices the time line, both 0 if there is none
    arc_parts, sample_parts, stack_parts
                        lists of {"whole", "thread", "slice", "count", "excess_variance",
                        "kernel_count"}, in which thread is its dictionary or None, and slice a
                        number or None
    wait_stacks         like stacks; count is nanoseconds
    waits               a list of {"stack", "kind", "times", "total", "longest", "function"}, in which
                        stack is a number and kind one of WAIT_KINDS
    wait_parts          like the other parts; excess_variance is a number of waits
    holders             a list of {"wait", "holder", "times", "time"}: numbers of a wait and a stack
    crashes             a list of {"signal", "code", "address", "thread", "stack"}, in which thread is its
                        dictionary or None, and stack like those above with a count of 0
"""
import struct
import zlib

MAGIC = b"gprofgpx"
NO_MODULE = 0xFFFFFFFF
HEADER = struct.Struct("<8sIIQIIQIIQQ")
SECTION = struct.Struct("<IIQ")

NO_THREAD = NO_SLICE = 0xFFFFFFFF
MOST_SLICES = 4096
(STRINGS, PROCESS, MODULES, ARCS, THREADS, SAMPLES, STACKS, TIMELINE, ARC_PARTS, SAMPLE_PARTS,
 STACK_PARTS, WAIT_STACKS, WAITS, WAIT_PARTS, WAIT_HOLDERS, CRASHES,
 CRASH_STACKS) = range(1, 18)
WAIT_KINDS = (None, "lock", "io", "sleep", "child", "other", "cpu")
ENDINGS = ("unknown", "returned", "exit_now", "aborted", "executed", "dumped", "killed")
SAMPLE_SOURCES = ("none", "thread_timers", "perf_clock", "process_timer")

# Flags of a module and of an arc.
MODULE_MAIN, MODULE_PROFILED, MODULE_BLOCKS, MODULE_UNLOADED = 1, 2, 4, 0x100
# Of a process: its samples say which of them are time in the kernel.
MARKS_KERNEL_TIME = 64
ARC_THROUGH = 1

FIELDS = {
    PROCESS: (struct.Struct("<IIQQIiIIIIQQQQQQQQQQQQQIIQQ"),
              ("process", "parent_process", "start_time", "end_time", "ending", "exit_status",
               "requested_rate", "sample_source", "flags", "image_number", "cpu_time", "signals",
               "samples", "calls", "lost_calls", "lost_samples", "lost_stacks",
               "price_picoseconds", "covered_time", "sampling_time", "excess_variance",
               "tick_samples", "tick_period", "recorded_process", "reserved", "unsampled_time",
               "earlier_time")),
    MODULES: (struct.Struct("<QQQIIIIII"),
              ("bias", "text_low", "text_high", "flags", "path", "soname", "build_id", "file",
               "reserved")),
    ARCS: (struct.Struct("<IIQQIIQIIQQ"),
           ("from_module", "self_module", "from", "self", "behind_module", "flags", "behind",
            "through_module", "through_name", "through", "count")),
    THREADS: (struct.Struct("<IIQQQQIIQ"),
              ("thread", "ended", "calls", "samples", "signals", "cpu_time", "name", "process",
               "start_time")),
    SAMPLES: (struct.Struct("<IIQQQQ"),
              ("module", "reserved", "address", "count", "excess_variance", "kernel_count")),
    WAITS: (struct.Struct("<IIQQQIIQ"),
            ("stack", "kind", "times", "total", "longest", "function", "reserved", "unused")),
    CRASHES: (struct.Struct("<iiQII"), ("signal", "code", "address", "thread", "reserved")),
    WAIT_HOLDERS: (struct.Struct("<IIQQQ"), ("wait", "holder", "times", "time", "unused")),
}
OLD_THREAD = struct.Struct("<IIQQQQ")
PART = struct.Struct("<IIIIQQ")
# What has parts, and their names in the result.
PARTS = {ARC_PARTS: ("arcs", "arc_parts"), SAMPLE_PARTS: ("samples", "sample_parts"),
         STACK_PARTS: ("stacks", "stack_parts"), WAIT_PARTS: ("waits", "wait_parts")}
NAMES = {PROCESS: "process", MODULES: "modules", ARCS: "arcs", THREADS: "threads",
         SAMPLES: "samples", WAITS: "waits", WAIT_HOLDERS: "holders", CRASHES: "crashes"}
TEXTS = ("path", "soname", "build_id", "file", "through_name", "name", "function")
MODULE_REFERENCES = ("from_module", "self_module", "behind_module", "through_module", "module")
STACK = struct.Struct("<QII")
# Marks among the frames of a stack.
REPEAT, LEFT_OUT, MARK_LEFT_OUT = "repeat", "left out", 0xFFFFFFFF
MARK_INFERRED = 1
FRAME = struct.Struct("<IIQ")


class SidecarError(Exception):
    pass


def check(condition, message):
    if not condition:
        raise SidecarError(message)


def split_sections(data, offset):
    """{kind: (entry size, count, bytes)}"""
    sections = {}
    while offset < len(data):
        check(offset + SECTION.size <= len(data), f"cut section header at {offset}")
        kind, entry_size, count = SECTION.unpack_from(data, offset)
        begin = offset + SECTION.size
        end = begin + entry_size * count
        offset = (end + 7) // 8 * 8
        check(offset <= len(data), f"section {kind} goes beyond the file")
        check(not any(data[end:offset]), f"section {kind} is not filled up with zeros")
        check(kind not in sections, f"section {kind} is there twice")
        sections[kind] = (entry_size, count, data[begin:end])
    return sections


def text_at(strings, offset):
    check(offset < len(strings), f"text at {offset} of {len(strings)}")
    check(offset == 0 or strings[offset - 1] == 0, f"text at {offset} begins within another")
    end = strings.find(b"\0", offset)
    check(end >= 0, f"text at {offset} has no end")
    return strings[offset:end].decode("utf-8", "surrogateescape")


def raw_entries(sections, kind, version):
    form, names = FIELDS[kind]
    entry_size, count, data = sections.get(kind, (form.size, 0, b""))
    if kind == THREADS and version == 1:
        form, names = OLD_THREAD, names[:len(OLD_THREAD.unpack(bytes(OLD_THREAD.size)))]
    check(entry_size >= form.size, f"entries of section {kind} are too small: {entry_size}")
    return [dict(zip(names, form.unpack_from(data, i * entry_size))) for i in range(count)]


def module_of(modules, number):
    if number == NO_MODULE:
        return None
    check(number < len(modules), f"module {number} of {len(modules)}")
    return modules[number]


def resolve(entry, strings, modules):
    for name in TEXTS:
        if name in entry:
            entry[name] = text_at(strings, entry[name])
    for name in MODULE_REFERENCES:
        if name in entry:
            entry[name] = module_of(modules, entry[name])
    return entry


def check_order(entries, names, what):
    keys = [tuple(entry[name] for name in names) for entry in entries]
    check(all(a < b for a, b in zip(keys, keys[1:])), f"{what} are not in ascending order")


def stack_entry(modules, module, mark, address):
    if mark == 0 or (mark == MARK_INFERRED and module != NO_MODULE):
        return module_of(modules, module), address
    check(module == NO_MODULE, f"mark {mark} beside module {module}")
    return (LEFT_OUT, address) if mark == MARK_LEFT_OUT else (REPEAT, mark, address)


def check_marks(entries):
    """The frames that repeat come before the mark."""
    plain = 0
    for entry in entries:
        if entry[0] == REPEAT:
            check(0 < entry[1] <= plain, f"{entry[1]} of {plain} frames repeat")
        plain = plain + 1 if entry[0] not in (REPEAT, LEFT_OUT) else 0


def parse_stacks(section, modules):
    entry_size, _, data = section
    check(entry_size == 8, f"unit of the stacks is {entry_size}")
    stacks, offset = [], 0
    while offset < len(data):
        check(offset + STACK.size <= len(data), "cut stack")
        count, depth, truncated = STACK.unpack_from(data, offset)
        offset += STACK.size
        check(depth > 0 and offset + depth * FRAME.size <= len(data), "stack beyond its section")
        frames = [FRAME.unpack_from(data, offset + i * FRAME.size) for i in range(depth)]
        offset += depth * FRAME.size
        entries = [stack_entry(modules, *frame) for frame in frames]
        check_marks(entries)
        inferred = (i for i, (module, mark, _) in enumerate(frames)
                    if mark == MARK_INFERRED and module != NO_MODULE)
        stacks.append({"count": count, "truncated": truncated, "entries": entries,
                       "inferred_from": next(inferred, 0),
                       "frames": [entry for entry in entries if entry[0] not in (REPEAT, LEFT_OUT)]})
    counts = [stack["count"] for stack in stacks]
    check(counts == sorted(counts, reverse=True), "the most frequent stack is not the first")
    return stacks


def check_waits(result):
    """Each wait has its stack, whose count is the time; holders have theirs, and a wait."""
    check_order(result["waits"], ("stack", "kind"), "waits")
    check_order(result["holders"], ("wait", "holder"), "holders")
    sums = [0] * len(result["wait_stacks"])
    for wait in result["waits"]:
        check(wait["stack"] < len(sums), f"wait with stack {wait['stack']} of {len(sums)}")
        check(0 < wait["kind"] < len(WAIT_KINDS), f"wait of kind {wait['kind']}")
        if wait["kind"] == WAIT_KINDS.index("cpu"):
            check(wait["longest"] == wait["times"] == 0 < wait["total"], f"wait {wait}")
        else:
            check(0 < wait["longest"] <= wait["total"] and wait["times"] > 0, f"wait {wait}")
        sums[wait["stack"]] += wait["total"]
    for total, stack in zip(sums, result["wait_stacks"]):
        check(total == stack["count"], f"waits of {total} ns with a stack of {stack['count']} ns")
    held = [0] * len(result["waits"])
    for holder in result["holders"]:
        check(holder["wait"] < len(held) and holder["holder"] < len(sums), f"holder {holder}")
        held[holder["wait"]] += holder["time"]
    for time, wait in zip(held, result["waits"]):
        check(time <= wait["total"], f"held for {time} of {wait['total']} ns")
    for part in result["wait_parts"]:
        check(part["excess_variance"] <= result["waits"][part["whole"]]["times"], f"part {part}")
    for wait in result["waits"]:
        wait["kind"] = WAIT_KINDS[wait["kind"]]


def check_crashes(result, stacks):
    check(len(result["crashes"]) == len(stacks), f"{len(stacks)} stacks of crashes")
    for crash, stack in zip(result["crashes"], stacks):
        check(stack["count"] == 0 and crash.pop("reserved") == 0, f"crash {crash} with {stack}")
        crash["stack"] = stack
        thread = crash["thread"]
        check(thread == NO_THREAD or thread < len(result["threads"]), f"crash of thread {thread}")
        crash["thread"] = None if thread == NO_THREAD else result["threads"][thread]


def parse_timeline(section):
    entry_size, count, data = section
    if count == 0:
        return 0, 0
    check(count == 1 and entry_size >= 16, f"{count} time lines of {entry_size} bytes")
    width, slices, reserved = struct.unpack_from("<QII", data)
    check(width > 0 and slices <= MOST_SLICES and reserved == 0, f"{slices} slices of {width}")
    return width, slices


def parse_parts(section, wholes, result):
    entry_size, count, data = section
    check(count == 0 or entry_size >= PART.size, f"parts of {entry_size} bytes")
    parts, sums, in_kernel, keys = [], [0] * len(wholes), [0] * len(wholes), []
    for i in range(count):
        whole, thread, piece, kernel, number, excess = PART.unpack_from(data, i * entry_size)
        check(whole < len(wholes) and kernel <= number, f"part of {whole} of {len(wholes)}")
        check(thread == NO_THREAD or thread < len(result["threads"]), f"part of thread {thread}")
        check(piece == NO_SLICE or piece < result["slices"], f"part in slice {piece}")
        keys.append((whole, thread, piece))
        sums[whole] += number
        in_kernel[whole] += kernel
        parts.append({"whole": whole, "count": number, "excess_variance": excess,
                      "kernel_count": kernel,
                      "thread": None if thread == NO_THREAD else result["threads"][thread],
                      "slice": None if piece == NO_SLICE else piece})
    check(all(a < b for a, b in zip(keys, keys[1:])), "parts are not in ascending order")
    for whole, total, kernel in zip(wholes, sums, in_kernel):
        check(kernel <= whole.get("kernel_count", 0), f"parts of {kernel} samples in the kernel")
        count = whole["total"] if "total" in whole else whole["count"]
        check(min(total, (1 << 64) - 1) <= count, f"parts of {total} of {count}")
    return parts


def parse_bytes(data):
    check(len(data) >= HEADER.size, "no header")
    (magic, version, header_size, file_size, checksum, machine, process_start, process_number,
     ending, start_time, end_time) = HEADER.unpack_from(data)
    check(magic == MAGIC, f"magic {magic}")
    check(version in (1, 2, 3), f"version {version}")
    check(header_size == HEADER.size, f"header of {header_size} bytes")
    check(file_size == len(data), f"{len(data)} bytes, {file_size} announced")
    check(zlib.crc32(data[header_size:]) == checksum, "checksum")
    sections = split_sections(data, header_size)
    for kind in (STRINGS, PROCESS, MODULES):
        check(kind in sections, f"no section {kind}")
    check(sections[PROCESS][1] == 1, "not one process")
    strings = sections[STRINGS][2]
    check(strings[:1] == b"\0" and strings[-1:] == b"\0", "texts without a beginning or an end")

    entries = {kind: raw_entries(sections, kind, version) for kind in FIELDS}
    check_order(entries[ARCS], [name for name in FIELDS[ARCS][1][:-1] if name != "through_name"],
                "arcs")
    check_order(entries[SAMPLES], ("module", "address"), "samples")
    check(all(sample["kernel_count"] <= sample["count"] for sample in entries[SAMPLES]),
          "more samples in the kernel than samples")
    modules = [resolve(entry, strings, []) for entry in entries[MODULES]]
    result = {NAMES[kind]: [resolve(entry, strings, modules) for entry in entries[kind]]
              for kind in (ARCS, THREADS, SAMPLES, WAITS, WAIT_HOLDERS, CRASHES)}
    result["modules"] = modules
    result["stacks"] = parse_stacks(sections.get(STACKS, (8, 0, b"")), modules)
    result["wait_stacks"] = parse_stacks(sections.get(WAIT_STACKS, (8, 0, b"")), modules)
    result["machine"], result["version"] = machine, version
    result["slice_width"], result["slices"] = parse_timeline(sections.get(TIMELINE, (16, 0, b"")))
    for kind, (wholes, parts) in PARTS.items():
        result[parts] = parse_parts(sections.get(kind, (PART.size, 0, b"")), result[wholes], result)
    check_waits(result)
    check_crashes(result, parse_stacks(sections.get(CRASH_STACKS, (8, 0, b"")), modules))
    process = entries[PROCESS][0]
    check((process_number, ending, start_time, end_time)
          == tuple(process[name] for name in ("process", "ending", "start_time", "end_time")),
          "the header tells of another process, ending or time than the section")
    process["process_start"] = process_start
    check(process["ending"] < len(ENDINGS), f"ending {process['ending']}")
    check(process["sample_source"] < len(SAMPLE_SOURCES),
          f"sample source {process['sample_source']}")
    process["ending"] = ENDINGS[process["ending"]]
    process["sample_source"] = SAMPLE_SOURCES[process["sample_source"]]
    result["process"] = process
    return result


def parse(path):
    with open(path, "rb") as file:
        return parse_bytes(file.read())
