/* many_threads THREADS LIVE_FOLDER [ROUNDS [DIFFERENT]]: all threads exist at once and contend for one
   mutex. Prints the sum that they counted, and the size of the live file while all of them were there.
   DIFFERENT: the first thread then calls that many functions from as many places. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static int rounds = 20;
static volatile unsigned sink;

__attribute__((noinline)) void add(void) {
  pthread_mutex_lock(&mutex);
  sum++;
  pthread_mutex_unlock(&mutex);
}

/* One arc, whoever calls. */
__attribute__((noinline)) void known(int times) {
  for (int i = 0; i < times; ++i) add();
}

#define LEAF(n) __attribute__((noinline)) void leaf_##n(void) { sink += n; }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n) TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) \
  TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m, n) HUNDRED(m, n##0) HUNDRED(m, n##1) HUNDRED(m, n##2) HUNDRED(m, n##3) \
  HUNDRED(m, n##4) HUNDRED(m, n##5) HUNDRED(m, n##6) HUNDRED(m, n##7) HUNDRED(m, n##8) HUNDRED(m, n##9)
THOUSAND(LEAF, 1)

#define NAME(n) leaf_##n,
static void (*const leaves[])(void) = {THOUSAND(NAME, 1)};

#define CALL(n) leaf_##n();
__attribute__((noinline)) void first(void) { THOUSAND(CALL, 1) }
__attribute__((noinline)) void second(void) { THOUSAND(CALL, 1) }
__attribute__((noinline)) void third(void) { THOUSAND(CALL, 1) }
/* From one place. */
__attribute__((noinline)) void each(void) {
  for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; ++i) leaves[i]();
}

static void *work(void *unused) {
  (void)unused;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < rounds; ++i) add();
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return NULL;
}

static long live_size(const char *folder) {
  long size = 0;
  DIR *directory = opendir(folder);
  struct dirent *entry;
  while (directory != NULL && (entry = readdir(directory)) != NULL) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (strncmp(entry->d_name, "gmon.live.", 10) != 0 || stat(path, &status) != 0) continue;
    size += status.st_size > status.st_blocks * 512 ? status.st_size : status.st_blocks * 512;
  }
  if (directory != NULL) closedir(directory);
  return size;
}

int main(int argc, char **argv) {
  const int threads = atoi(argv[1]);
  const int different = argc > 4 ? atoi(argv[4]) : 0;
  pthread_t *all = malloc(threads * sizeof *all);
  pthread_attr_t small;
  if (argc > 3) rounds = atoi(argv[3]);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_barrier_init(&barrier, NULL, threads + 1);
  known(1);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&all[i], &small, work, NULL) != 0) {
      printf("no thread %d\n", i);
      exit(3);
    }
  }
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  if (different > 0) first();
  if (different > 1) second();
  if (different > 2) third();
  if (different > 3) each();
  known(9);
  fprintf(stderr, "live %ld\n", live_size(argv[2]));
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  printf("sum %ld\n", sum);
  return 0;
}
