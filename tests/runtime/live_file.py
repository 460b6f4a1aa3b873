"""Finds entries in gmon.live.PID, the mapped counters, by docs/gmon-format.md, section "Live counters"."""
import mmap
import struct

ARCS, SAMPLES, MODULE = 2, 4, 6
CHUNK = struct.Struct("<8sIIQQQQQQ")
# By kind: the entry, its first two words and its count among the fields, the count's offset.
ENTRIES = {ARCS: (struct.Struct("<QQQQ"), (0, 1, 2), 16),
           SAMPLES: (struct.Struct("<QQIIQQQ"), (0, 1, 4), 24)}


class LiveFile:
    """Opened for reading and writing while the process runs."""

    def __init__(self, path):
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)
        assert self.map[:8] == b"gprofliv", self.map[:8]
        assert struct.unpack_from("<I", self.map, 8)[0] == 3

    def close(self):
        self.map.close()
        self.file.close()

    def chunks(self):
        """(kind, offset of the payload, size of the payload, slot, epoch) of each chunk."""
        offset = struct.unpack_from("<I", self.map, 12)[0]
        while offset + CHUNK.size <= len(self.map):
            magic, kind, slot, size, _, _, epoch, _, _ = CHUNK.unpack_from(self.map, offset)
            if magic == b"gprofchk" and size >= 1024:
                if kind:
                    yield kind, offset + CHUNK.size, size - CHUNK.size, slot, epoch
                offset += size
            else:
                offset += 1024

    def tables(self, wanted):
        """(offset, size) of the payloads; of samples, those of each slot's last edition."""
        found = [chunk for chunk in self.chunks() if chunk[0] == wanted]
        if wanted == SAMPLES:
            last = {}
            for chunk in found:
                if chunk[4] > last.get(chunk[3], (0, 0, 0, 0, 0))[4]:
                    last[chunk[3]] = chunk
            found = list(last.values())
        return [(begin, size) for _, begin, size, _, _ in found]

    def entries(self, wanted):
        """(offset, first word, second word, count) of each entry of arcs or samples."""
        form, (first, second, count), _ = ENTRIES[wanted]
        for begin, size in self.tables(wanted):
            for offset in range(begin, begin + size - form.size + 1, form.size):
                fields = form.unpack_from(self.map, offset)
                if fields[first] and fields[count]:
                    yield offset, fields[first], fields[second], fields[count]

    def biases(self):
        """{path: bias} of the modules."""
        found = {}
        for kind, begin, size, _, _ in self.chunks():
            if kind == MODULE:
                path = bytes(self.map[begin + 264:begin + size]).split(b"\0")[0].decode()
                found[path] = struct.unpack_from("<Q", self.map, begin)[0]
        return found

    def set_count(self, offset, count, kind=ARCS):
        struct.pack_into("<Q", self.map, offset + ENTRIES[kind][2], count)
