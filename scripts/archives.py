"""Archives whose bytes depend on their files' names, contents and executable bits alone: not on the folder, the time,
the user, or the order in which a folder lists them."""

import gzip
import io
import os
import pathlib
import stat
import subprocess
import tarfile

READABLE, EXECUTABLE = 0o644, 0o755


def entries(folder):
    """Everything below it, sorted by path."""
    return sorted(path for path in folder.rglob("*"))


def tar_of(folder, epoch):
    """A tar of the folder, which stands in it by its name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in [folder, *entries(folder)]:
            entry = archive.gettarinfo(path, arcname=str(path.relative_to(folder.parent)))
            # Two links to one file are two files.
            if entry.islnk():
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = epoch
            executable = path.is_dir() or stat.S_IMODE(path.lstat().st_mode) & stat.S_IXUSR
            entry.mode = EXECUTABLE if executable else READABLE
            if entry.isreg():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return buffer.getvalue()


def write_zst(file, folder, epoch, level):
    """FILE.tar.zst, for which `zstd` is needed."""
    packed = subprocess.run(["zstd", f"-{level}", "--single-thread", "--quiet", "--stdout"], input=tar_of(folder, epoch),
                            stdout=subprocess.PIPE, check=True).stdout
    pathlib.Path(file).write_bytes(packed)


def write_gz(file, folder, epoch):
    """FILE.tar.gz"""
    pathlib.Path(file).write_bytes(gzip.compress(tar_of(folder, epoch), 9, mtime=0))


def strip_all(folder, strip):
    """Programs, libraries and archives without debug information: what only a debugger reads has the names of the
    folders of the build. `strip` is the tool for their processor."""
    for path in entries(folder):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            start = file.read(8)
        if start.startswith(b"\x7fELF"):
            subprocess.run([strip, "--strip-unneeded", path], check=True)
        elif start == b"!<arch>\n":
            subprocess.run([strip, "--strip-debug", "--enable-deterministic-archives", path], check=True)
        else:
            continue
        os.chmod(path, EXECUTABLE if start.startswith(b"\x7fELF") and not path.name.count(".so") else READABLE)
