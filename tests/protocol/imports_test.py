"""Profiles of other tools give the same annotations: what callgrind and perf wrote, held against what their
own tools print."""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

from bench_measure import run_command  # noqa: E402
from feature_session import FeatureTest, capabilities, document  # noqa: E402
from perf_recording import Extent, write_recording  # noqa: E402
from profiled_program import Workspace, require, run  # noqa: E402
from tested_build import NOT_HERE, SANITIZED  # noqa: E402

SOURCE = """\
#include <stdio.h>
#include <stdlib.h>

static int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += i ^ n;
  return sum;
}

int recurse(int n) {
  if (n == 0) return leaf(5);
  return recurse(n - 1) + leaf(2);
}

int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += leaf(i % 100);
  }
  return sum;
}

int main(int count, char **words) {
  int n = count > 1 ? atoi(words[1]) : 1000;
  printf("%d\\n", work(n) + recurse(10));
  return 0;
}
"""
WAITS = """\
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

__attribute__((noinline)) void rest(int milliseconds) {
  struct timespec time = {0, milliseconds * 1000000L};
  nanosleep(&time, 0);
}

__attribute__((noinline)) void sleeps(void) {
  for (int i = 0; i < 10; ++i) rest(20);
}

static void *hold(void *unused) {
  pthread_mutex_lock(&lock);
  if (write(ends[1], "h", 1) != 1) return unused;
  rest(200);
  pthread_mutex_unlock(&lock);
  return unused;
}

__attribute__((noinline)) void locks(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void reads(void) {
  char c;
  for (int i = 0; i < 4; ++i)
    if (read(ends[0], &c, 1) != 1) return;
}

__attribute__((noinline)) void waits(pid_t child) { waitpid(child, 0, 0); }

int main(void) {
  pthread_t other;
  char c;
  if (pipe(ends)) return 1;
  sleeps();
  pthread_create(&other, 0, hold, 0);
  if (read(ends[0], &c, 1) != 1) return 1;
  locks();
  pthread_join(other, 0);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 4; ++i) {
      rest(50);
      if (write(ends[1], "x", 1) != 1) _exit(1);
    }
    rest(200);
    _exit(0);
  }
  reads();
  waits(child);
  return 0;
}
"""
# An event of `perf script`: thread, seconds, and what it is.
EVENT = re.compile(r"^\S+ +(\d+) +(?:\[\d+\] +)?(\d+\.\d+): +(.*)", re.DOTALL)
# "1,234 (12.3%)  text" and the line's number before it, of annotated sources.
COST = re.compile(r"^\s*([\d,]+) \([ \d.]+%\)\s\s(.*)$")


def waited_in(script, function, states):
    """The seconds for which threads were off the processor in these states, with the function on their stacks."""
    waited, since = 0, {}
    for event in filter(None, map(EVENT.match, re.split(r"\n(?=\S)", script))):
        thread, when, what = event[1], float(event[2]), event[3]
        # Its own event says when a thread goes on, or that of the thread before it.
        follows = thread if what.startswith("PERF_RECORD_SWITCH IN") else None
        if switch := re.search(r"prev_state=(\S).* next_pid=(\d+)", what):
            follows = switch[2]
        waited += when - since.pop(follows, when)
        if switch and switch[1] in states and re.search(rf"^\s+[0-9a-f]+ {function}\+0x", what, re.MULTILINE):
            since[thread] = when
    return waited


class Imports(FeatureTest):
    def setUp(self):
        super().setUp()
        require("gcc")
        self.workspace = Workspace(self.folder)
        self.workspace.write("prog.c", SOURCE)

    def build(self, *flags):
        run(["gcc", "-g", *flags, "prog.c", "-o", "prog"], self.folder)

    def session(self, profile):
        return self.editor(settings={"programs": [{"executable": "prog", "profiles": [profile]}]})

    def line_data(self, editor):
        editor.open("prog.c")
        answer = editor.client.request("gprof/lineData", document(editor, "prog.c"))
        return {line["line"] + 1: line for line in answer["lines"]}

    def callgrind(self, *options):
        require("valgrind", "callgrind_annotate")
        done = subprocess.run(["valgrind", "--tool=callgrind", *options,
                               "--callgrind-out-file=callgrind.out.1", "./prog", "500"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def annotated(self):
        """Line -> instructions of prog.c, as callgrind_annotate prints them, without calls."""
        text = run(["callgrind_annotate", "--auto=yes", "--threshold=100", "--context=10000",
                    "callgrind.out.1"], self.folder)
        source = SOURCE.splitlines()
        lines, at = {}, 0
        section = re.search(r"^-- Auto-annotated source: \S*prog\.c\n(.*?)(?:\n-{80}\n(?!Ir)|\Z)", text,
                            re.MULTILINE | re.DOTALL)[1]
        for row in section.splitlines():
            match = COST.match(row)
            if not match or "=>" in row:
                continue
            at = source.index(match[2], at) + 1
            lines[at] = int(match[1].replace(",", ""))
        return lines

    def check_callgrind(self, *options):
        self.callgrind(*options)
        wanted = self.annotated()
        self.assertGreater(len(wanted), 8, wanted)
        with self.session("callgrind.out.1") as editor:
            lines = self.line_data(editor)
            found = {line: round(data["selfSeconds"]) for line, data in lines.items()
                     if data.get("selfSeconds")}
            self.assertEqual(found, wanted)
            calls = self.workspace.line_of("prog.c", "leaf(i % 100)")
            self.assertEqual(lines[calls]["calls"], 500)
            profile = editor.client.request("gprof/flatProfile", {})
            self.assertEqual(profile["unit"], "instructions")
            rows = {row["name"]: row for row in profile["rows"]}
            self.assertEqual((rows["leaf"]["calls"], rows["work"]["calls"]), (511, 1))
            self.assertEqual([m for m in editor.all_messages() if m["type"] == 1], [])

    def test_callgrind_by_lines(self):
        self.build("-O0")
        self.check_callgrind()

    def test_callgrind_by_instructions(self):
        self.build("-O0")
        self.check_callgrind("--dump-instr=yes")

    def test_callgrind_is_found(self):
        self.build("-O0")
        self.callgrind()
        with self.editor(settings={}) as editor:
            lines = self.line_data(editor)
            calls = self.workspace.line_of("prog.c", "leaf(i % 100)")
            self.assertEqual(lines[calls]["calls"], 500)
            loaded = editor.client.request("gprof/programs", {})["programs"]
            self.assertEqual([[pathlib.Path(p).name for p in program["profiles"]] for program in loaded],
                             [["callgrind.out.1"]])
            hover = editor.hover("prog.c", self.workspace.line_of("prog.c", "int work(int n)"), "work")
            self.assertNotIn("±", hover)
            self.assertIn(", counted", hover)
            self.assertNotIn("stacks", hover)
            # Another program's is not spoken of.
            text = (self.folder / "callgrind.out.1").read_text()
            (self.folder / "callgrind.out.2").write_text(re.sub(r"cmd: +\./prog", "cmd: ./other", text))
        with self.editor(settings={}) as editor:
            self.assertTrue(self.line_data(editor))
            self.assertEqual(editor.all_messages(), [])
            # Damage is told of, and hides nothing.
            (self.folder / "callgrind.out.3").write_text(text + "fn=work\n7 x\n")
        with self.editor(settings={}) as editor:
            self.assertTrue(self.line_data(editor))
            editor.wait_for_message()
            self.assertIn("callgrind.out.3: a cost expected", editor.all_messages()[0]["message"])

    def test_commands_take_callgrind(self):
        self.build("-O0")
        self.callgrind()
        document = json.loads(self.command("export", "--format=json", "prog", "callgrind.out.1"))
        counted = int(re.search(r"^(?:summary|totals): (\d+)", (self.folder / "callgrind.out.1").read_text(),
                                re.MULTILINE)[1])
        self.assertEqual((document["unit"], document["basis"]), ("instructions", "measured"))
        self.assertEqual(round(document["total"]), counted)
        functions = {function["name"]: function for function in document["functions"]}
        self.assertEqual({function["totalError"] for function in document["functions"]}, {0})
        # leaf is called by work and by recurse, 500 and 11 times; main calls both.
        parts = [arc["time"] for arc in document["arcs"] if arc["callee"] == functions["leaf"]["id"]]
        self.assertEqual(len(parts), 2)
        self.assertEqual(sum(parts), functions["leaf"]["total"])
        self.assertLessEqual(functions["main"]["total"], document["total"])
        self.assertGreater(functions["main"]["total"],
                           functions["work"]["total"] + functions["recurse"]["total"])
        folded = self.command("export", "--format=folded", "prog", "callgrind.out.1")
        self.assertRegex(folded, r"(?m)^.*main;work;leaf \d+$")
        same = json.loads(self.command("diff", "--json", "prog", "callgrind.out.1", "--", "prog",
                                       "callgrind.out.1"))
        self.assertEqual({function["verdict"] for function in same["functions"]}, {"noise"})
        self.assertIn("callgrind.out.1", self.command("check", "."))

    def command(self, *words):
        return run([os.environ["GPROF_LSP_SERVER"], *words], self.folder)

    def test_perf(self):
        require("perf")
        self.build("-O1", "-fno-inline", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
        recorded = subprocess.run(["perf", "record", "-e", "cpu-clock:u", "-g", "-o", "perf.data",
                                   "./prog", "5000000"], cwd=self.folder, capture_output=True,
                                  text=True, timeout=120)
        if recorded.returncode != 0:
            raise unittest.SkipTest("skipped: perf may not record here")
        text = subprocess.run(["perf", "script", "-i", "perf.data"], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=True).stdout
        (self.folder / "perf.txt").write_text(text)
        innermost = re.findall(r"^\S.*: +(\d+) cpu-clock:u:\s*\n\t\s*\S+ (\w+)\+0x\S+ \(.*/prog\)$", text,
                               re.MULTILINE)
        with self.session("perf.txt") as editor:
            editor.open("prog.c")
            profile = editor.client.request("gprof/flatProfile", {})
            rows = {row["name"]: row["selfSeconds"] for row in profile["rows"]}
            self.assertEqual(profile["unit"], "seconds")
            for name in ("leaf", "work"):
                wanted = sum(int(period) for period, function in innermost if function == name) / 1e9
                self.assertAlmostEqual(rows[name], wanted, delta=1e-6)
            self.assertTrue(self.line_data(editor))

    def perf_data(self, *options):
        require("perf")
        recorded = subprocess.run(["perf", "record", "-e", "cpu-clock:u", *options, "-o", "perf.data",
                                   "./prog", "3000000"], cwd=self.folder, capture_output=True,
                                  text=True, timeout=120)
        if recorded.returncode != 0:
            raise unittest.SkipTest("skipped: perf may not record here")

    @unittest.skipIf(SANITIZED or platform.machine() != "x86_64", f"{NOT_HERE}measured on x86-64 alone")
    def test_copied_stacks_are_not_kept(self):
        require("nm", "readelf")
        self.build()
        symbols = run(["nm", "prog"], self.folder).splitlines()
        place = int(next(line.split()[0] for line in symbols if line.endswith(" T main")), 16) + 8
        peaks = []
        for samples in (1000, 8000):
            write_recording(self.folder / "perf.data", self.folder / "prog", [(place,)],
                            Extent(samples, stacks=1, threads=1, copied=8192))
            sample, said = run_command([os.environ["GPROF_LSP_SERVER"], "report", "-b", "-p", "prog",
                                        "perf.data"], 60, self.folder)
            self.assertEqual(sample.status, 0, said)
            peaks.append(sample.peak)
        # Of 57 MiB more.
        self.assertLess(peaks[1] - peaks[0], 6 << 20)

    def test_a_recording_in_a_folder_is_read_again(self):
        """As perf writes it with --threads or --kcore: its folder stays as it is when the file in it is written again."""
        require("nm", "readelf")
        self.build()
        symbols = run(["nm", "prog"], self.folder).splitlines()
        place = {name: int(next(line.split()[0] for line in symbols if line.endswith(f" {name}")), 16) + 8
                 for name in ("main", "leaf")}
        recording = self.folder / "perf.data" / "data"

        def write(name, samples):
            write_recording(self.folder / "written", self.folder / "prog", [(place[name],)], Extent(samples, 1, 1))
            recording.write_bytes((self.folder / "written").read_bytes())

        able = capabilities()
        able["workspace"]["didChangeWatchedFiles"] = {"dynamicRegistration": False}
        settings = {"programs": [{"executable": "prog", "profiles": ["perf.data"]}]}
        recording.parent.mkdir()
        for chosen in ({}, settings):
            write("main", 30)
            with self.subTest(chosen), self.editor(settings=chosen, capabilities=able) as editor:
                editor.open("prog.c")

                def shown():
                    rows = editor.client.request("gprof/flatProfile", {})["rows"]
                    return {row["name"]: round(row["selfSeconds"], 6) for row in rows if row["selfSeconds"]}

                editor.wait_for_loads(1)
                self.assertEqual(shown(), {"main": 0.03})
                write("leaf", 50)
                editor.wait_for(lambda: shown() == {"leaf": 0.05}, "the new recording")

    def shares_of_perf(self, *options):
        """Function of the program -> its share, in percent."""
        text = run(["perf", "report", "--stdio", "--no-inline", "-g", "none", "-i", "perf.data",
                    "--sort", "symbol", "--dsos", "prog", *options], self.folder)
        return {name: float(share) for share, name in
                re.findall(r"^ +([\d.]+)% (?: +[\d.]+%)? +\[\.\] (\w+)", text, re.MULTILINE)}

    def test_perf_data(self):
        self.build("-O1", "-fno-inline", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
        self.perf_data()
        wanted = self.shares_of_perf("--no-children")
        self.assertIn("leaf", wanted)
        # Found by its name, and by the build-id of the program in it.
        with self.editor(settings={}) as editor:
            editor.open("prog.c")
            profile = editor.client.request("gprof/flatProfile", {})
            self.assertEqual(profile["unit"], "seconds")
            rows = {row["name"]: row for row in profile["rows"]}
            total = sum(row["selfSeconds"] for row in profile["rows"])
            for name in ("leaf", "work"):
                # Of the program's own time, as perf prints it to two digits.
                share = wanted[name] / sum(wanted.values())
                self.assertAlmostEqual(rows[name]["selfSeconds"] / total, share, delta=0.005)
            self.assertTrue(self.line_data(editor))
        for words in (["report", "--accurate", "-p", "-b", "prog", "perf.data"],
                      ["export", "--format=folded", "prog", "perf.data"], ["check", "."],
                      ["diff", "prog", "perf.data", "--", "prog", "perf.data"]):
            with self.subTest(words[0]):
                self.assertTrue(self.command(*words))

    def test_perf_data_with_copies_of_stacks(self):
        self.build("-O1", "-fno-inline", "-fomit-frame-pointer", "-fno-optimize-sibling-calls")
        self.perf_data("--call-graph", "dwarf,4096", "-F", "500")
        wanted = self.shares_of_perf("--children")
        document = json.loads(self.command("export", "--format=json", "prog", "perf.data"))
        found = {function["name"]: 100 * function["total"] / document["total"]
                 for function in document["functions"]}
        for name in ("main", "work", "leaf"):
            self.assertAlmostEqual(found[name], wanted[name], delta=1, msg=name)

    def test_perf_by_hand(self):
        self.build("-O0")
        names = {name: int(address, 16) for address, _, name in
                 (line.split() for line in run(["nm", "prog"], self.folder).splitlines()
                  if len(line.split()) == 3)}
        chain = "".join(f"\t{names[name] + 0x550000000000 + offset:x} {name}+0x{offset:x} "
                        f"({self.folder}/prog)\n"
                        for name, offset in (("leaf", 8), ("work", 32), ("main", 64)))
        sample = f"prog 12/12 [003] 8.25: 1000000 cpu-clock:u: \n{chain}\n"
        (self.folder / "perf.txt").write_text(sample * 30)
        with self.session("perf.txt") as editor:
            editor.open("prog.c")
            rows = editor.client.request("gprof/flatProfile", {})["rows"]
            self.assertEqual([(row["name"], round(row["selfSeconds"], 6)) for row in rows],
                             [("leaf", 0.03)])
            self.assertEqual(editor.all_messages(), [])

    def test_waits_by_hand(self):
        self.build("-O0")
        names = {name: int(address, 16) for address, _, name in
                 (line.split() for line in run(["nm", "prog"], self.folder).splitlines()
                  if len(line.split()) == 3)}
        own = "".join(f"\t{names[name] + 0x550000000000 + offset:x} {name}+0x{offset:x} ({self.folder}/prog)\n"
                      for name, offset in (("work", 32), ("main", 64)))

        def change(thread, time, state, follows, frames):
            return (f"prog {thread} [003] {time}: sched:sched_switch: prev_comm=prog prev_pid={thread} "
                    f"prev_prio=120 prev_state={state} ==> next_comm=prog next_pid={follows} next_prio=120\n"
                    f"\tffffffff82265ec8 __schedule+0x628 ([kernel.kallsyms])\n{frames}\n")

        read = f"\tffffffff8144aa4d __x64_sys_read+0x12d ([kernel.kallsyms])\n{own}"
        text = f"prog 12 [003] 8.20: 1000000 cpu-clock: \n{own}\n"
        text += "".join(change(12, f"{9 + i}.00", "S", 0, read) + change(0, f"{9 + i}.25", "R", 12, "")
                        for i in range(4))
        (self.folder / "perf.txt").write_text(text + change(12, "13.50", "R+", 7, own))
        waits = self.command("report", "--accurate", "-b", "--metric", "wait.io", "-q", "prog", "perf.txt")
        self.assertRegex(waits, r"(?m)^\[\d+\] +100\.0 +0\.00 +1\.00 .*work")
        time = self.command("report", "--accurate", "-b", "-p", "prog", "perf.txt")
        self.assertRegex(time, r"(?m)^100\.00 +0\.00 +0\.00 .*work")
        # Of its two metrics, that of CPU time comes first.
        document = json.loads(self.command("export", "--format=json", "prog", "perf.txt"))
        self.assertEqual([metric["name"] for metric in document["metrics"]
                          if metric["name"] in ("cpu-clock", "sched:sched_switch", "wait", "wait.io", "wall")],
                         ["cpu-clock", "sched:sched_switch", "wait", "wait.io", "wall"])
        with self.session("perf.txt") as editor:
            line = self.workspace.line_of("prog.c", "int work(int n)")
            editor.open("prog.c")
            self.assertIn("Waits 1.00 s", editor.hover("prog.c", line, "work"))

    def test_waits_that_perf_records(self):
        require("perf")
        self.workspace.write("waits.c", WAITS)
        run(["gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread", "waits.c",
             "-o", "waits"], self.folder)
        recorded = subprocess.run(["perf", "record", "-e", "cpu-clock/freq=499/", "-e", "sched:sched_switch",
                                   "--switch-events", "--call-graph", "dwarf", "-o", "perf.data", "./waits"],
                                  cwd=self.folder, capture_output=True, text=True, timeout=120)
        if recorded.returncode != 0:
            raise unittest.SkipTest("skipped: perf may not record switches of threads here")
        script = run(["perf", "script", "--ns", "--show-switch-events", "-i", "perf.data"], self.folder)
        self.assertGreater(waited_in(script, "sleeps", "S"), 0)
        for kind, name in (("sleep", "sleeps"), ("lock", "locks"), ("io", "reads"), ("child", "waits")):
            # Pages may have been waited for as well, and no wait of another kind can be interrupted.
            for metric, states in (("wait", "SD"), (f"wait.{kind}", "S")):
                document = json.loads(self.command("export", "--format=json", "--metric", metric, "waits",
                                                   "perf.data"))
                totals = {function["name"]: function["total"] for function in document["functions"]}
                # Where the machine stood still, nobody may have had to wait.
                self.assertAlmostEqual(totals.get(name, 0), waited_in(script, name, states), delta=1e-6, msg=metric)

    def functions(self, *words):
        document = json.loads(self.command("export", "--format=json", *words))
        return document, {function["name"]: (round(function["self"], 9), round(function["total"], 9))
                          for function in document["functions"]}

    def test_our_own_exports_are_read(self):
        self.build("-O0")
        names = {name: int(address, 16) for address, _, name in
                 (line.split() for line in run(["nm", "prog"], self.folder).splitlines()
                  if len(line.split()) == 3)}
        text = ""
        for count, frames in ((30, ("leaf", "work", "main")), (12, ("work", "main")), (5, ("leaf", "recurse", "main"))):
            chain = "".join(f"\t{names[name] + 8:x} {name}+0x8 ({self.folder}/prog)\n" for name in frames)
            text += f"prog 12/12 [003] 8.25: 1000000 cpu-clock:u: \n{chain}\n" * count
        (self.folder / "perf.txt").write_text(text)
        _, wanted = self.functions("prog", "perf.txt")
        self.assertEqual(wanted["leaf"], (0.035, 0.035))
        for form, name in (("pprof", "copy.pb.gz"), ("folded", "prog.folded")):
            self.command("export", f"--format={form}", "-o", name, "prog", "perf.txt")
        document, found = self.functions("prog", "copy.pb.gz")
        self.assertEqual(found, wanted)
        self.assertEqual(document["ticksPerUnit"], 1000)
        self.assertEqual([metric["name"] for metric in document["metrics"][:2]], ["cpu", "samples"])
        # Folded stacks are in microseconds, and do not say so.
        document, found = self.functions("prog", "prog.folded")
        self.assertEqual(document["unit"], "samples")
        self.assertEqual({name: tuple(round(value / 1e6, 9) for value in both) for name, both in found.items()},
                         wanted)
        again = self.command("export", "--format=folded", "prog", "prog.folded")
        self.assertEqual(again, (self.folder / "prog.folded").read_text())
        for accurate in ((), ("--accurate",)):
            flat = self.command("report", *accurate, "-b", "-p", "prog", "copy.pb.gz")
            self.assertRegex(flat, r"74\.47 +0\.04 +0\.04 .*leaf")
        # Found in the workspace: an export is no news, and folded stacks are better than nothing.
        told = self.command("check", ".")
        self.assertIn("prog.folded", told)
        self.assertIn("copy.pb.gz: exported from another profile", told)

    def test_threads_of_callgrind_are_selected(self):
        self.build("-O0")
        line = self.workspace.line_of("prog.c", "sum += i ^ n")
        part = (f"pid: 7\nthread: {{}}\nevents: Ir\nob={self.folder}/prog\nfl={self.folder}/prog.c\n"
                f"fn=leaf\n{line} {{}}\n")
        (self.folder / "callgrind.out.7").write_text("# callgrind format\n" + part.format(1, 100) + part.format(2, 40))
        for words, cost in (((), 140), (("--thread=1",), 100), (("--thread=2",), 40)):
            with self.subTest(words):
                _, found = self.functions(*words, "prog", "callgrind.out.7")
                self.assertEqual(found["leaf"], (cost, cost))

    def test_the_status_says_what_callgrind_counted(self):
        self.build("-O0")
        (self.folder / "callgrind.out.7").write_text(
            f"# callgrind format\nevents: Ir Dr\nob={self.folder}/prog\nfl={self.folder}/prog.c\nfn=leaf\n"
            f"{self.workspace.line_of('prog.c', 'i ^ n')} 100 20\n")
        told = capabilities()
        told["experimental"] = {"gprof": {"status": True}}
        for metric, text in (("time", "Ir"), ("self", "self Ir"), ("Dr", None), ("calls", None)):
            settings = {"programs": [{"executable": "prog", "profiles": ["callgrind.out.7"]}], "metric": metric}
            with self.subTest(metric), self.editor(settings=settings, capabilities=told) as editor:
                ready = editor.client.wait_for_notification("gprof/status", lambda params: params["state"] == "ready")
                self.assertEqual((metric, text), (ready["metric"], ready.get("metricText")))

    def test_functions_of_libraries_of_callgrind(self):
        """With what they call: `apply` calls leaf of the program back."""
        self.build("-O0")
        line = self.workspace.line_of("prog.c", "work(n)")
        (self.folder / "callgrind.out.1").write_text(
            f"# callgrind format\nevents: Ir\nob={self.folder}/prog\nfl={self.folder}/prog.c\nfn=main\n{line} 10\n"
            f"cob=/lib/libother.so.1\ncfn=apply\ncalls=2 1\n{line} 300\n"
            f"ob=/lib/libother.so.1\nfn=apply\n1 200\ncob={self.folder}/prog\ncfn=leaf\ncalls=4 1\n1 100\n"
            f"ob={self.folder}/prog\nfl={self.folder}/prog.c\nfn=leaf\n{self.workspace.line_of('prog.c', 'i ^ n')} 100\n")
        with self.session("callgrind.out.1") as editor:
            editor.open("prog.c")
            self.assertIn("Of that, 300 I is in calls to apply of libother.", editor.hover("prog.c", line, "work"))
            rows = {row["name"]: row for row in editor.client.request("gprof/flatProfile", {})["others"]}
            self.assertEqual((200, 300), tuple(rows["apply [libother.so.1]"][each] for each in ("seconds", "totalSeconds")))
            callers = editor.client.request("gprof/callSites", {"symbol": "apply [libother.so.1]", "direction": "callers"})
            self.assertEqual([("main", line - 1, 300)], [(site["name"], site["range"]["start"]["line"], site["seconds"])
                                                         for site in callers["sites"]])

    def test_lines_name_the_unit_unless_its_name_is_long(self):
        self.build("-O0")
        line = self.workspace.line_of("prog.c", "sum += i ^ n")
        for event, cells in (("Ir", ["100 %", "26.3k instructions"]), ("Bc", ["100 %", "26.3k Bc"]),
                             ("X" * 5000, ["100 %", "26.3k X"])):
            (self.folder / "callgrind.out.1").write_text(
                f"# callgrind format\nevents: {event}\nob={self.folder}/prog\nfl={self.folder}/prog.c\n"
                f"fn=leaf\n{line} 26345\n")
            with self.subTest(event[:10]), self.session("callgrind.out.1") as editor:
                self.assertEqual(cells, self.line_data(editor)[line]["cells"])

    def test_texts_of_no_use(self):
        self.build("-O0")
        for text, word in (("# callgrind format\nevents: Ir\nob=/other\nfn=f\n1 1\n", "no costs"),
                           ("events: Ir\nfn=leaf\n1 x\n", "at byte 19"),
                           ("p 1 1.5: 9 cycles: \n\t7 f+0x1 (/other)\n", "none of its 1 samples")):
            (self.folder / "profile").write_text(text)
            with self.subTest(text=text), self.session("profile") as editor:
                editor.open("prog.c")
                editor.client.request("gprof/programs", {})
                editor.wait_for_message()
                self.assertIn(word, editor.all_messages()[0]["message"])
                self.assertEqual(len(editor.all_messages()), 1)
