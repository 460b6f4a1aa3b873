"""A C program of two threads with names, one after the other, and a recording of it whose every figure is known."""
from made_up_recording import SECOND, Called, Sampled, write_recording

SOURCE = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static volatile unsigned long sink;

static double cpu(void) {{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}}

{functions}
static void* parser(void* data) {{
  pthread_setname_np(pthread_self(), "{first[0]}");
  {first[1]}
  return data;
}}

static void* solver(void* data) {{
  pthread_setname_np(pthread_self(), "{second[0]}");
  {second[1]}
  return data;
}}

int main(void) {{
  pthread_t thread;
  pthread_create(&thread, 0, parser, 0);
  pthread_join(thread, 0);
  pthread_create(&thread, 0, solver, 0);
  pthread_join(thread, 0);
  return 0;
}}
"""


def threaded_source(functions, first, second):
    """`first` and `second`: the name of a thread and the statement that it runs. `functions` may call
    cpu(), the thread's CPU time in seconds, and write to sink."""
    return SOURCE.format(functions=functions, first=first, second=second)


def write_threads(workspace, first, second, more=()):
    """A recording of one second, in slices of a tenth. The first thread has 500 samples in the first half of it, the
    second one as many in the other. `first` and `second`: the name of the thread, the place that is sampled, and
    those of the calls that led there, each made 2,500 times; `more`: (count, place, callee) of calls of the second
    thread."""
    sampled, called = [], []
    for thread, (_, *stack) in enumerate((first, second)):
        sampled += [Sampled(100, tuple(stack), thread, 5 * thread + slice_) for slice_ in range(5)]
        called += [Called(2500, place, callee, thread) for (callee, *_), place in zip(stack, stack[1:])]
    called += [Called(*call, thread=1) for call in more]
    write_recording(workspace, sampled, called, source="prog.c", program="prog",
                    threads=((8, first[0]), (9, second[0])), slices=(SECOND // 10, 10), process=7)
