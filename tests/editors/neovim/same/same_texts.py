"""Holds the texts of the two plugins of ours against each other: a count is 26.3k in both."""
import itertools
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

COUNTS = [*range(0, 1200, 7), *(count * 10 ** power for count in (1, 999.4, 999.6, 9.994, 9.996, 99.94, 99.96)
                                for power in range(3, 16)), 2 ** 53 - 1]
# Halves of the last digit are left out: the two languages' own libraries round them differently.
SHARES = [0, 1e-6, 0.00049, 0.00051, 0.0051, 0.0123, 0.0994, 0.0996, 0.333, 0.5, 0.9951, 1]
AMOUNTS = [0, 0.0041, 0.0051, 0.314, 1, 12.3456, 59.996, 3600.1]
METRICS = ("calls", "executions", "self", "total")
STATES = ("current", "changed", "approximate")

SCALE = {"sampleSeconds": 0.01, "unsampledBelow": 0.03}


def lines():
    """Lines of gprof/lineData, of every kind."""
    times = ({}, {"selfSeconds": 0.31, "selfError": 0.056, "totalSeconds": 0.62},
             {"selfSeconds": 0.31, "selfError": 0.056, "totalSeconds": 0.31},
             {"selfSeconds": 0.004, "selfError": 0.0063, "totalSeconds": 0.004},
             {"selfSeconds": 0, "selfError": 0, "totalSeconds": 12.3})
    counts = ({}, {"calls": 26345}, {"calls": 1, "executions": 1_300_000}, {"executions": 12})
    differences = ({}, *({"selfDifference": {"baseSeconds": 0.1, "difference": difference, "error": 0.05,
                                             "verdict": verdict}}
                         for difference, verdict in ((0.21, "regressed"), (-0.21, "improved"), (0.01, "noise"))))
    heats = ({"calls": 0.7, "executions": 0.4, "self": 0.31, "total": 0.45},
             {"calls": 0, "executions": 0, "self": 0.05, "total": 0.06})
    for state, time, count, difference, heat in itertools.product(STATES, times, counts, differences, heats):
        yield {"line": 4, "state": state, "heat": heat["self"], "heats": heat, **time, **count, **difference}


def questions():
    for count in COUNTS:
        yield ["exactCount", round(count)]
        yield ["shortCount", round(count)]
    for share in SHARES:
        yield ["percent", share]
    for amount, unit in itertools.product(AMOUNTS, ("seconds", "Ir")):
        yield ["amount", amount, unit]
        yield ["signedAmount", -amount, unit]
        for error in (None, 3e-8, 0.00012, 0.0041, 0.0561):
            yield ["amountWithError", amount, error, unit]
    for below, unit in itertools.product((3e-8, 0.00012, 0.003, 0.00361, 0.03, 0.0301, 12), ("seconds", "Ir")):
        yield ["unsampled", 0, {"sampleSeconds": below / 3, "unsampledBelow": below}, unit]
    for heat, metric in itertools.product((0, 0.07, 0.2, 0.32, 0.5, 0.71, 0.94, 1), METRICS):
        yield ["heatLevel", heat, metric]
    for line, metric, threshold, errors, basis in itertools.product(
            lines(), METRICS, (0, 0.005), (True, False), ("measured", "estimated")):
        yield ["lineText", line, {"metric": metric, "threshold": threshold, "withErrors": errors,
                                  "basis": basis, "unit": "seconds", "scale": SCALE}]


def answers(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def check(extension, lua_path):
    """`extension` is the folder of the VS Code extension, `lua_path` where the plugin's modules are."""
    asked = list(questions())
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(asked, file)
        file.flush()
        there = answers("node", HERE / "as_vscode.mjs", extension, file.name)
        here = answers("lua5.1", "-e", f"package.path = '{lua_path};' .. package.path",
                       HERE / "as_neovim.lua", file.name)
    assert len(asked) == len(there) == len(here), (len(asked), len(there), len(here))
    others = [(question, vscode, neovim) for question, vscode, neovim in zip(asked, there, here)
              if vscode.rstrip() != neovim.rstrip()]
    print(f"{len(asked)} texts, of which {len(others)} differ from those of the VS Code extension")
    assert not others, others[:5]
