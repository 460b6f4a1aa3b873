// Blocks that eight threads run, and a signal handler.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile long handled;
static long sums[8];

void on_signal(int number)
{
    if (number)
        __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);  // in the handler
}

void* work(void* argument)
{
    long index = (long)argument;
    for (int i = 0; i < 300000; i++) {
        if (i % 3 == 0)
            sums[index]++;  // every third
        else
            sums[index]--;  // the others
    }
    return NULL;
}

int main(void)
{
    struct itimerval fast = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &fast, NULL);
    pthread_t ids[8];
    for (long i = 0; i < 8; i++)
        pthread_create(&ids[i], NULL, work, (void*)i);
    for (int i = 0; i < 8; i++)
        pthread_join(ids[i], NULL);
    setitimer(ITIMER_REAL, &off, NULL);
    printf("handled %ld\n", handled);
    return 0;
}
