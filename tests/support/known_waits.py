"""The known profile with waits, whose every figure is known as well: middle waits 7.9 s for a lock that main has, and
0.3 s in reads; two workers of a pool wait 9 s each for work, which is idle. 10 s by the clock, 1 s of CPU time.
"""
import sidecar_files
from sidecar_files import Module, Stack, Wait

SECOND = 10**9


def write_sidecar(profile, path, of_lock=790_000_000):
    """`profile`: a KnownProfile that is made. `of_lock`: the nanoseconds that middle waits for its lock in each
    second."""
    call = {fragment: profile.call_at(fragment)
            for fragment in ("most calls", "some calls", "calls middle", "calls leaf")}
    below_main = (0, call["calls middle"])
    locked = tuple((0, slice_, of_lock, 10) for slice_ in range(10))
    idle = tuple((thread, slice_, 900_000_000, 3) for thread in (1, 2) for slice_ in range(10))
    waits = (
        Wait("lock", ((0, call["some calls"] - 1), below_main), locked, "pthread_mutex_lock", 1_200_000_000,
             ((((0, call["calls leaf"] - 1),), 7 * SECOND, 90),)),
        Wait("io", ((0, call["most calls"] - 1), below_main), ((0, 9, 300_000_000, 20),), "read", 60_000_000),
        Wait("lock", ((0, call["calls leaf"] - 1),), idle, "pthread_cond_wait", SECOND))
    stacks = [Stack(sample.count, ((sample.module, sample.address),)) for sample in profile.samples]
    path.write_bytes(sidecar_files.sidecar_file(
        [Module(str(profile.path("program")), "gmon.out")], profile.arcs, profile.samples, stacks,
        threads=((11, "main"), (12, "pool"), (13, "pool")), timeline=(SECOND, 10),
        sample_parts=tuple((i, 0, 0, sample.count) for i, sample in enumerate(profile.samples)),
        waits=waits, process=7, start_time=SECOND, end_time=11 * SECOND, requested_rate=100,
        cpu_time=SECOND))
