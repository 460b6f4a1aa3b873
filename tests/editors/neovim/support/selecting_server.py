"""Stands between Neovim and the server, and answers what is asked of metrics, threads and time: a
profile whose figures are in `selecting.json`, in its folder, to the last digit. All else is the
server's. `selected.jsonl` there has what was chosen: one line of JSON each.
"""
import json
import pathlib
import re
import subprocess
import sys
import threading

LENGTH = re.compile(rb"Content-Length: *(\d+)", re.IGNORECASE)
FOLDER = pathlib.Path(sys.argv[0]).parent
INVALID_PARAMS = -32602


def messages(stream):
    while True:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = stream.read(1)
            if not byte:
                return
            head += byte
        yield json.loads(stream.read(int(LENGTH.search(head)[1])))


class Stream:
    def __init__(self, stream):
        self._stream, self._lock = stream, threading.Lock()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._lock:
            self._stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._stream.flush()


class Between:
    def __init__(self, plan):
        self._plan = plan
        self._server = subprocess.Popen([plan["server"], *sys.argv[1:]], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self._to_server, self._to_neovim = Stream(self._server.stdin), Stream(sys.stdout.buffer)
        self._initialize, self._status, self._chosen = None, {}, {"metric": "time"}

    def run(self):
        threading.Thread(target=self._from_server, daemon=True).start()
        for message in messages(sys.stdin.buffer):
            if message.get("method") == "initialize":
                self._initialize = message["id"]
            if not self._is_answered(message):
                self._to_server.send(message)
        self._server.stdin.close()
        return self._server.wait()

    def _from_server(self):
        for message in messages(self._server.stdout):
            if self._initialize is not None and message.get("id") == self._initialize:
                extensions = message["result"]["capabilities"]["experimental"]["gprof"]
                extensions["requests"] = sorted({*extensions["requests"], *self._plan["answers"]})
                self._initialize = None
            if message.get("method") == "gprof/status":
                self._status = message["params"]
                message["params"] = {**self._status, **self._chosen}
            self._to_neovim.send(message)

    def _is_answered(self, message):
        """Answers what the plan knows."""
        method, params = message.get("method"), message.get("params") or {}
        if method in self._plan["answers"]:
            self._answer(message, {**self._plan["answers"][method], "program": self._status.get("program", "")})
            return True
        command, arguments = params.get("command"), params.get("arguments")
        if method != "workspace/executeCommand" or command not in ("gprof.setSelection", "gprof.setMetric"):
            return False
        with open(FOLDER / "selected.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps({"command": command, "arguments": arguments}) + "\n")
        if command == "gprof.setSelection":
            self._select(message, arguments[0])
            return True
        return self._set_metric(message, arguments[0])

    def _answer(self, message, result):
        self._to_neovim.send({"id": message["id"], "result": result})

    def _refuse(self, message, text):
        self._to_neovim.send({"id": message["id"], "error": {"code": INVALID_PARAMS, "message": text}})

    def _select(self, message, selection):
        threads = self._plan["answers"]["gprof/metrics"]["threads"]
        known = {value for thread in threads for value in (thread["name"], thread["thread"])}
        unknown = [thread for thread in (selection or {}).get("threads", []) if thread not in known]
        if unknown:
            self._refuse(message, f"there is no thread {unknown[0]}")
            return
        self._chosen.pop("selection", None)
        self._chosen.pop("selectionText", None)
        if selection:
            self._chosen |= {"selection": selection, "selectionText": "selected " + json.dumps(selection, sort_keys=True)}
        self._answer(message, None)
        self._tell()

    def _set_metric(self, message, name):
        """Whether it is no metric of the server's own."""
        metrics = {metric["name"] for metric in self._plan["answers"]["gprof/metrics"]["metrics"]}
        usual = {"time", "calls", "executions", "self", "total"}
        if name not in metrics | usual:
            self._refuse(message, f"there is no metric {name}")
            return True
        self._chosen["metric"] = name
        self._tell()
        if name in usual:
            return False
        self._answer(message, None)
        return True

    def _tell(self):
        self._to_neovim.send({"method": "gprof/status", "params": {**self._status, **self._chosen}})


if __name__ == "__main__":
    sys.exit(Between(json.loads((FOLDER / "selecting.json").read_text())).run())
