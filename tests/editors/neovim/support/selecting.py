"""A profile of three threads, of which it is known when each took its time."""
import json
import pathlib
import sys

STAND_IN = pathlib.Path(__file__).resolve().parent / "selecting_server.py"

PARSER = [4, 8, 4, 2, 1, 0, 0, 0, 0, 0]
SOLVER = [0, 0, 0, 0, 0, 8, 8, 8, 8, 8]
THREADS = [{"process": 7, "thread": 11, "name": "parser", "cpu": 0.19},
           {"process": 7, "thread": 12, "name": "my solver", "cpu": 0.4},
           {"process": 7, "thread": 13, "name": "", "cpu": 0}]
ANSWERS = {
    "gprof/metrics": {
        "generation": 1,
        "metrics": [
            {"name": "cpu", "label": "CPU time", "unit": "seconds", "kind": "sampled",
             "origin": "sampled 100 times per CPU second", "total": 0.59, "totalError": 0.08},
            {"name": "calls", "label": "calls", "unit": "calls", "kind": "exact", "origin": "exact: each one was counted", "total": 45100},
            {"name": "page-faults", "label": "page faults", "unit": "events", "kind": "exact",
             "origin": "exact: counted by perf", "total": 1234},
            {"name": "seconds per call", "label": "seconds per call", "unit": "seconds", "kind": "derived",
             "origin": "cpu / calls"},
        ],
        "processes": [{"process": 7, "name": "gmon.out", "from": 0, "to": 5}],
        "threads": THREADS,
        "length": 5,
        "sliceWidth": 0.5,
    },
    "gprof/timeline": {
        "generation": 1, "metric": "cpu", "unit": "seconds", "from": 0, "to": 5,
        "rows": [{"process": 7, "thread": 11, "name": "parser", "total": 0.19,
                  "values": [value / 100 for value in PARSER]},
                 {"process": 7, "thread": 12, "name": "my solver", "total": 0.4,
                  "values": [value / 100 for value in SOLVER]},
                 {"process": 7, "thread": 13, "name": "", "total": 0, "values": [0] * 10}],
        "untimed": 0.02,
    },
}


def answer_in_between(path, server, answers):
    """From now on the server on this part of the PATH has these answers, by method."""
    wrapper = path / "gprof-lsp"
    wrapper.unlink()
    wrapper.write_text(f"#!{sys.executable}\n" + STAND_IN.read_text())
    wrapper.chmod(0o755)
    (path / "selecting.json").write_text(json.dumps({"server": server, "answers": answers}))
