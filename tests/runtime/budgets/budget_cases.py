"""The cases of the test bed: what the program does, and how it is sampled."""
import dataclasses

EVENTS = "perf_clock"
TICKS = "thread_timers"
PROCESS = "process_timer"

# The system calls to refuse so that a source is chosen.
REFUSED = {EVENTS: None, TICKS: "perf_event_open",
           PROCESS: "perf_event_open,timer_create"}


@dataclasses.dataclass(frozen=True)
class Case:
    program: str  # the arguments of tests/programs/runtime/budgets.c
    rate: int
    source: str = EVENTS
    runs: int = 24  # of the short form
    # Whether the program sleeps in step with the tick that samples it: then the claimed errors are
    # larger than necessary, as nothing is known.
    in_step: bool = False

    def __str__(self):
        return f"{self.program}, {self.source} at {self.rate} Hz"


SHORT = (
    Case("steady 120", 1000),
    Case("bursts 120 150", 1000),
    Case("sleeping 80 1000 3000", 1000),
    Case("aligned 80 1000", 1000),
    Case("threads 40 3000 4", 1000),
    Case("faults 120 1500", 1000),
    Case("faults 120 40000", 1000),
    Case("processes 10 8000", 1000),
    Case("steady 400", 250, TICKS, runs=12),
    Case("threads 120 4000 2", 250, TICKS, runs=12),
    Case("aligned 100 1000", 100, TICKS, runs=12, in_step=True),
)


def programs_of_full_form():
    yield "steady 200"
    for microseconds in (100, 700, 2000, 4000, 20000):
        yield f"bursts 200 {microseconds}"
        yield f"sleeping 100 {microseconds} 3000"
        yield f"aligned 100 {microseconds}"
    for microseconds in (500, 4000, 50000):
        yield f"faults 200 {microseconds}"
    for microseconds, live in ((1000, 1), (1000, 64), (4000, 1), (10000, 4), (50000, 2)):
        yield f"threads {200000 // microseconds} {microseconds} {live}"
    for microseconds in (1000, 8000, 50000):
        yield f"processes {200000 // microseconds} {microseconds}"


def full_form():
    for program in programs_of_full_form():
        sleeps = program.startswith(("sleeping", "aligned"))
        for source in (EVENTS, TICKS, PROCESS):
            for rate in (50, 100, 250, 1000, 5000) if source == EVENTS else (50, 100, 250):
                yield Case(program, rate, source, 200, sleeps and source != EVENTS)
