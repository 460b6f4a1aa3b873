"""Finds entries in gmon.live.PID, the mapped counters, by docs/gmon-format.md, section "Live counters"."""
import mmap
import struct

ARCS, SAMPLES, MODULE = 2, 4, 6
CHUNK = struct.Struct("<8sIIQQQQQQ")
CALL = struct.Struct("<QQQQ")


class LiveFile:
    """Opened for reading and writing while the process runs."""

    def __init__(self, path):
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)
        assert self.map[:8] == b"gprofliv", self.map[:8]

    def close(self):
        self.map.close()
        self.file.close()

    def chunks(self):
        """(kind, offset of the payload, size of the payload, epoch) of each chunk."""
        offset = struct.unpack_from("<I", self.map, 12)[0]
        while offset + CHUNK.size <= len(self.map):
            magic, kind, _, size, _, _, epoch, _, _ = CHUNK.unpack_from(self.map, offset)
            if magic == b"gprofchk" and size >= 4096:
                if kind:
                    yield kind, offset + CHUNK.size, size - CHUNK.size, epoch
                offset += size
            else:
                offset += 4096

    def entries(self, wanted):
        """(offset, first word, second word, count) of each entry of arcs or samples."""
        for kind, begin, size, _ in self.chunks():
            if kind == wanted:
                for offset in range(begin, begin + size - CALL.size + 1, CALL.size):
                    first, second, count, _ = CALL.unpack_from(self.map, offset)
                    if first and count:
                        yield offset, first, second, count

    def biases(self):
        """{path: bias} of the modules."""
        found = {}
        for kind, begin, size, _ in self.chunks():
            if kind == MODULE:
                path = bytes(self.map[begin + 264:begin + size]).split(b"\0")[0].decode()
                found[path] = struct.unpack_from("<Q", self.map, begin)[0]
        return found

    def set_count(self, offset, count):
        struct.pack_into("<Q", self.map, offset + 16, count)
