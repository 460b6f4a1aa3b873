"""Stands between Neovim and the server, and writes down each message of Neovim's: one line of JSON
each. Its folder holds `recording.json`, which names the server and the file to write to."""
import json
import pathlib
import re
import subprocess
import sys
import threading

LENGTH = re.compile(rb"Content-Length: *(\d+)", re.IGNORECASE)


def messages(stream, taken):
    """The messages of the stream; taken() is told of all bytes that were read."""
    while True:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = stream.read(1)
            if not byte:
                return
            head += byte
        body = stream.read(int(LENGTH.search(head)[1]))
        taken(head + body)
        yield body


def main():
    plan = json.loads((pathlib.Path(sys.argv[0]).parent / "recording.json").read_text())
    server = subprocess.Popen([plan["server"], *sys.argv[1:]], stdin=subprocess.PIPE)

    def give(data):
        server.stdin.write(data)
        server.stdin.flush()

    def record():
        with open(plan["record"], "ab", buffering=0) as out:
            for body in messages(sys.stdin.buffer, give):
                out.write(json.dumps(json.loads(body)).encode() + b"\n")
        server.stdin.close()

    threading.Thread(target=record, daemon=True).start()
    sys.exit(server.wait())


if __name__ == "__main__":
    main()
