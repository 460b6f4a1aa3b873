"""Sees which files of a folder are opened, by whatever process.

The kernel says so (inotify), so no tracer is needed. A path that is only resolved, or whose status is asked for, is not
opened.
"""
import ctypes
import os
import struct

OPEN, IS_DIRECTORY = 0x20, 0x40000000
EVENT = struct.Struct("iIII")


class OpenedFiles:
    """Of one folder, without those below it, from now on."""

    def __init__(self, folder, add_cleanup):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        add_cleanup(os.close, self._descriptor)
        if self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def names(self):
        """Of the files that were opened since the last time; "" is the folder itself, when it is listed."""
        names = set()
        while True:
            try:
                events = os.read(self._descriptor, 65536)
            except BlockingIOError:
                return names
            while events:
                _, mask, _, size = EVENT.unpack_from(events)
                name = events[EVENT.size:EVENT.size + size].rstrip(b"\0").decode()
                if mask & OPEN and (name or mask & IS_DIRECTORY):
                    names.add(name)
                events = events[EVENT.size + size:]
