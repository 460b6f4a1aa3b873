"""A C program of two threads with names, one after the other."""

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
