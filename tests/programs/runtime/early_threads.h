// A library that creates workers in its constructor, before any other code of the program runs.
#ifndef EARLY_THREADS_H
#define EARLY_THREADS_H

enum { early_workers = 2 };

// Lets each worker burn that much CPU time, and waits for all.
void run_early_workers(unsigned milliseconds);

#endif
