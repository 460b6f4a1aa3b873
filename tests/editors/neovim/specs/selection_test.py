"""`:Gprof select`, `:Gprof timeline` and metrics of all names, beside a server whose profile has
three threads, of which it is known when each took its time."""
import json

import pynvim

from commands_test import CHOOSE
from selecting import ANSWERS, answer_in_between
from session import FIGURES, METRICS, SERVER, NeovimTest

from profiled_program import Workspace, run

# The lines of the float, and the runs of equal highlighting in them.
READ_FLOAT = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.bo[buffer].filetype == 'gproftimeline' then
      return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    end
  end
end
return {}
"""
READ_GROUPS = """
local line = ...
local space = vim.api.nvim_get_namespaces()['gprof.timeline']
local text = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, { line - 1, 0 }, { line - 1, -1 }, { details = true })) do
  table.insert(found, { mark[4].hl_group, text:sub(mark[3] + 1, mark[4].end_col) })
end
return found
"""
READ_PLACE = """
local space = vim.api.nvim_get_namespaces()['gprof.timeline.place']
local mark = vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })[1]
return mark and mark[4].virt_text[1][1] or ''
"""
PARSER_LINE, SOLVER_LINE, LAST_LINE = 5, 6, 7


class SelectionTest(NeovimTest):
    answers = ANSWERS

    def setUp(self):
        super().setUp()
        answer_in_between(self.path, SERVER, self.answers)
        self.show_known_program(CHOOSE)

    def chosen(self):
        """What was chosen of the server, by command."""
        path = self.path / "selected.jsonl"
        lines = path.read_text().splitlines() if path.is_file() else []
        return [json.loads(line) for line in lines]

    def selections(self):
        return [one["arguments"] for one in self.chosen() if one["command"] == "gprof.setSelection"]

    def wait_for_selection(self, wanted):
        self.neovim.wait_for(self.selections, lambda found: found[-1:] == [[wanted]], f"selection {wanted}")
        # The server has told of it.
        self.neovim.wait_for(lambda: self.neovim.lua("return require('gprof').statusline()"),
                             lambda text: ("selected" in text) == bool(wanted), "the status line")

    def completed(self, typed):
        return self.neovim.api.funcs.getcompletion(typed, "cmdline")

    def refusal(self, command):
        self.neovim.command("messages clear")
        try:
            self.neovim.command(command)
        except pynvim.NvimError as error:
            return str(error)
        return self.neovim.wait_for(self.neovim.messages, lambda said: "gprof" in said, command)


class SelectTest(SelectionTest):
    def test_a_thread_and_a_stretch(self):
        self.neovim.command("Gprof select thread=parser time=2.5..4")
        self.wait_for_selection({"threads": ["parser"], "from": 2.5, "to": 4})
        self.assertIn('selected {"from": 2.5, "threads": ["parser"]', self.neovim.lua("return require('gprof').statusline()"))
        self.neovim.command("Gprof select")
        self.wait_for_selection(None)

    def test_whatever_is_shown_is_asked_for_again(self):
        self.neovim.lua("""
            local requests = require('gprof.server.requests')
            local ask = requests.ask
            vim.g.asked_for = {}
            requests.ask = function(client, method, ...)
              vim.g.asked_for = vim.list_extend(vim.g.asked_for, { method })
              return ask(client, method, ...)
            end
        """)
        self.neovim.command("GprofHotspots!")
        self.neovim.wait_for_lua("return #vim.fn.getqflist() > 0")
        self.neovim.command("wincmd p")
        self.neovim.command("GprofFlat")
        self.neovim.wait_for(self.neovim.line_texts, lambda lines: len(lines) > 3, "a report")
        self.neovim.wait_until_at_rest(1)
        self.neovim.lua("vim.g.asked_for = {}")
        self.neovim.command("Gprof select process=7")
        for method in ("gprof/lineData", "gprof/hotSpots", "gprof/report"):
            self.neovim.wait_for_lua("return vim.tbl_contains(vim.g.asked_for, ...)", method)
        # The list says what it is of.
        self.neovim.wait_for_lua("return vim.fn.getqflist({ title = 0 }).title:find('selected', 1, true)")

    def test_other_forms(self):
        for typed, wanted in {
            "thread=11,12": {"threads": [11, 12]},
            "thread=my solver time=..1.5": {"threads": ["my solver"], "to": 1.5},
            r"time=.5s.. thread=my\ solver": {"threads": ["my solver"], "from": 0.5},
            "process=7 thread=parser thread=13": {"processes": [7], "threads": ["parser", 13]},
        }.items():
            with self.subTest(typed):
                self.neovim.command(f"Gprof select {typed}")
                self.wait_for_selection(wanted)

    def test_what_cannot_be_selected(self):
        for typed, words in {
            "parser": "parser selects nothing. There are: thread=NAME",
            "colour=red": "colour=red selects nothing",
            "thread=": "thread= needs a value",
            "time=2": "2 is no stretch of time",
            "time=..": ".. is no stretch of time",
            "time=a..b": "a..b is no stretch of time",
            "process=x": "x is no number of a process",
            "thread=nobody": "there is no thread nobody",
        }.items():
            with self.subTest(typed):
                self.assertIn(words, self.refusal(f"Gprof select {typed}"))
        self.assertEqual([[{"threads": ["nobody"]}]], self.selections())

    def test_completion(self):
        self.assertEqual(["thread=", "time=", "process="], self.completed("Gprof select "))
        self.assertEqual(["thread=", "time="], self.completed("Gprof select t"))
        self.assertEqual(["process="], self.completed("Gprof select thread=parser time=1..2 "))
        self.assertEqual(["thread=parser", r"thread=my\ solver", "thread=13"], self.completed("Gprof select thread="))
        self.assertEqual([r"thread=my\ solver"], self.completed(r"Gprof select time=1..2 thread=my\ s"))
        self.assertEqual(["thread=parser,13"], self.completed("Gprof select thread=parser,1"))
        self.assertEqual(["process=7"], self.completed("Gprof select process="))
        self.assertIn("time=0..2.5", self.completed("Gprof select time="))
        self.assertEqual(["time=2.6..3.75", "time=2.6..5"], self.completed("Gprof select time=2.6.."))

    def test_typed_with_the_help_of_completion(self):
        self.neovim.keys(":Gprof select thr<Tab>my<Tab><CR>")
        self.wait_for_selection({"threads": ["my solver"]})

    def test_information_and_health(self):
        self.neovim.command("Gprof select thread=parser")
        self.wait_for_selection({"threads": ["parser"]})
        self.neovim.lua("vim.api.nvim_echo = function(chunks) vim.g.said = chunks[1][1] end")
        self.neovim.command("Gprof info")
        self.assertIn("Selected:   selected", self.neovim.wait_for_lua("return vim.g.said"))
        self.neovim.command("checkhealth gprof")
        self.neovim.wait_for(lambda: "\n".join(self.neovim.line_texts()),
                             lambda text: "Figures are those of a part of the run: selected" in text, "the report")


class MetricTest(SelectionTest):
    def test_names_of_the_profile(self):
        # Nothing was executed that its lines are counted for.
        names = [*(name for name in METRICS if name != "executions"), "cpu", "page-faults", r"seconds\ per\ call"]
        self.assertEqual(names, self.completed("Gprof metric "))
        self.assertEqual(["self", r"seconds\ per\ call"], self.completed("Gprof metric s"))
        self.assertEqual([r"per\ call"], self.completed("Gprof metric seconds p"))
        self.assertEqual([r"seconds\ per\ call"], self.completed(r"Gprof metric seconds\ p"))
        self.assertEqual(["page-faults"], self.completed("GprofHotspots p"))

    def test_set(self):
        for typed, name in (("page-faults", "page-faults"), (r"seconds\ per\ call", "seconds per call"),
                            ("seconds per call", "seconds per call")):
            with self.subTest(typed):
                self.neovim.command("Gprof metric self")
                self.set_metric(typed, name)
        self.neovim.wait_for_texts(FIGURES)

    def test_choice_with_units(self):
        self.neovim.lua("vim.g.choice = 6")
        self.neovim.command("Gprof metric")
        self.neovim.wait_for(self.chosen, bool, "a choice")
        self.assertEqual({"command": "gprof.setMetric", "arguments": ["page-faults"]}, self.chosen()[-1])
        offered = self.neovim.lua("return vim.g.offered")
        self.assertEqual(["time", "calls", "self", "total"], [text.split(":")[0] for text in offered[:4]])
        self.assertEqual("cpu: CPU time · seconds, sampled · 0.59 ±0.08 s in all", offered[4])
        self.assertEqual("page-faults: page faults · events, exact · 1,234 events in all", offered[5])
        self.assertEqual("seconds per call: cpu / calls · seconds, derived", offered[6])

    def test_one_that_there_is_not(self):
        self.assertIn("there is no metric speed", self.refusal("Gprof metric speed"))


class OldServerTest(NeovimTest):
    """One that knows none of this: of which no answer is in the plan."""

    def setUp(self):
        super().setUp()
        self.show_known_program("""
            require('gprof.server.client').on_attach(function(client)
              client.server_capabilities.experimental.gprof.requests = { 'gprof/lineData' }
            end)
        """)

    def test_it_is_said(self):
        for command, words in {
            "Gprof select thread=a": "older one, which knows nothing of selections",
            "Gprof timeline": "older one, which knows nothing of time lines",
            "Gprof metric cpu": "There are: time, calls, executions, self, total; this gprof-lsp is an older one",
        }.items():
            with self.subTest(command):
                self.neovim.refuses(command, words)
        self.assertEqual(METRICS, self.neovim.api.funcs.getcompletion("Gprof metric ", "cmdline"))
        self.assertEqual(["time="], self.neovim.api.funcs.getcompletion("Gprof select ti", "cmdline"))
        self.neovim.command("Gprof metric calls")
        self.neovim.wait_for_texts(lambda texts: texts.get(7) == "→ 15.0k")


THREADED = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

unsigned parse(unsigned value) {
  for (unsigned i = 0; i < 100000; ++i) value = value * 1664525u + i;
  return value;
}

unsigned solve(unsigned value) {
  for (unsigned i = 0; i < 100000; ++i) value = value * 22695477u + i;
  return value;
}

static void *parser(void *result) {
  pthread_setname_np(pthread_self(), "parser");
  while (cpu() < 0.5) *(unsigned *)result = parse(*(unsigned *)result);
  return NULL;
}

static void *solver(void *result) {
  pthread_setname_np(pthread_self(), "my solver");
  while (cpu() < 0.5) *(unsigned *)result = solve(*(unsigned *)result);
  return NULL;
}

int main(void) {
  unsigned result = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, parser, &result);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, solver, &result);
  pthread_join(thread, NULL);
  return result == 0;
}
"""
PARSE_LINE, SOLVE_LINE = (number for number, line in enumerate(THREADED.splitlines(), 1) if "value = value" in line)


BARS = "▁▂▃▄▅▆▇█"


class RecordedThreadsTest(NeovimTest):
    """A program that was recorded: one thread after the other, beside the server itself."""

    def setUp(self):
        super().setUp()
        folder = self.folder / "threaded"
        (folder / ".git").mkdir(parents=True)
        self.workspace = Workspace(folder)
        self.workspace.write("threaded.c", THREADED)
        self.workspace.build(["threaded.c"], ["-O0", "-pthread"])
        run([SERVER, "record", "--rate=200", "--", "./program"], self.workspace.directory)
        self.neovim = self.open(self.workspace, "threaded.c")
        self.wait_for_times({PARSE_LINE, SOLVE_LINE})

    def times(self):
        """Those of the two lines that have a time."""
        return {line for line, text in self.neovim.texts().items()
                if line in (PARSE_LINE, SOLVE_LINE) and " s" in text}

    def wait_for_times(self, wanted):
        self.neovim.wait_for(self.times, lambda lines: lines == wanted, f"times of {wanted} alone")

    def statusline(self):
        return self.neovim.lua("return require('gprof').statusline()")

    def test_a_thread(self):
        completed = self.neovim.api.funcs.getcompletion("Gprof select thread=", "cmdline")
        self.assertIn("thread=parser", completed)
        self.assertIn(r"thread=my\ solver", completed)
        self.neovim.command("Gprof select thread=parser")
        self.wait_for_times({PARSE_LINE})
        self.assertIn("thread parser", self.statusline())
        self.neovim.command(r"Gprof select thread=my\ solver")
        self.wait_for_times({SOLVE_LINE})
        self.neovim.command("Gprof select")
        self.wait_for_times({PARSE_LINE, SOLVE_LINE})
        self.neovim.refuses("Gprof select thread=nobody", "parser")

    def test_a_stretch_on_the_time_line(self):
        self.neovim.command("set columns=100 lines=30")
        self.neovim.command("Gprof timeline")
        lines = self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOAT), bool, "the float")
        number, = (number for number, line in enumerate(lines, 1) if line.startswith("parser ("))
        solver, = (line for line in lines if line.startswith("my solver ("))
        # Not where one thread follows the other.
        row = [" " if other in BARS else own for own, other in zip(lines[number - 1], solver.ljust(100))]
        hottest = row.index(max(row, key=BARS.find))
        source = self.neovim.lua("return vim.fn.bufnr('threaded.c')")
        self.neovim.keys(f"{number}G{hottest + 1}|v<CR>")
        self.neovim.wait_for(lambda: {line for line, text in self.neovim.texts(source).items() if " s" in text} &
                             {PARSE_LINE, SOLVE_LINE}, lambda lines: lines == {PARSE_LINE}, "the parser's time alone")
        self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOAT)[2], lambda line: " s to " in line, "the stretch")
        self.neovim.keys("xq")
        self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOAT), lambda lines: not lines, "no float")
        self.wait_for_times({PARSE_LINE, SOLVE_LINE})

    def test_a_metric_of_another_name(self):
        self.neovim.command("Gprof metric cpu")
        self.neovim.wait_for_lua("""
            local status = require('gprof.server.status')
            return status.of(require('gprof.server.client').all()[1].id).metric == 'cpu'
        """)
        self.wait_for_times({PARSE_LINE, SOLVE_LINE})
        self.neovim.refuses("Gprof metric speed", "cpu")
