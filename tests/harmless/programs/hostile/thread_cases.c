/* Threads: very many, in streams, handing over, ending in the middle of everything. */
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "cases.h"

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void* contend(void* argument) {
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&mutex);
    ++sum;
    pthread_mutex_unlock(&mutex);
  }
  pthread_barrier_wait(&barrier);
  return argument;
}

static int many(int count, char** words) {
  const int threads = count > 0 ? atoi(words[0]) : 100;
  pthread_t* all = calloc((size_t)threads, sizeof *all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 32768);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&all[i], &attributes, contend, NULL) != 0) {
      puts("not so many threads");
      fflush(stdout);
      _exit(4);
    }
  }
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  printf("%ld\n", sum);
  return 0;
}

static int pipes[2][2];

static void* echo(void* argument) {
  char byte;
  while (read(pipes[0][0], &byte, 1) == 1 && byte != 'e') {
    if (write(pipes[1][1], &byte, 1) != 1) break;
  }
  return argument;
}

static int hand_over(int count, char** words) {
  const int times = count > 0 ? atoi(words[0]) : 1000;
  pthread_t thread;
  char byte = 'x';
  EXPECT(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
  pthread_create(&thread, NULL, echo, NULL);
  for (int i = 0; i < times; ++i)
    EXPECT(write(pipes[0][1], &byte, 1) == 1 && read(pipes[1][0], &byte, 1) == 1);
  EXPECT(write(pipes[0][1], "e", 1) == 1);
  pthread_join(thread, NULL);
  puts("handed over");
  return 0;
}

static FILE* stream;
static volatile int stopped;

static void* read_lines(void* argument) {
  char* line = NULL;
  size_t room = 0;
  while (!stopped) {
    if (getline(&line, &room, stream) >= 0) {
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
      continue;
    }
    flockfile(stream);
    clearerr(stream);
    rewind(stream);
    funlockfile(stream);
  }
  free(line);
  return argument;
}

static void* push_back(void* argument) {
  while (!stopped) {
    flockfile(stream);
    if (getc_unlocked(stream) != EOF) {
      ungetc('#', stream);
      ungetc('@', stream);
      getc_unlocked(stream);
      getc_unlocked(stream);
    }
    funlockfile(stream);
  }
  return argument;
}

/* The buffer ends where nothing may be read. */
static int shared_stream(int count, char** words) {
  (void)count, (void)words;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  stream = tmpfile();
  for (int i = 0; i < 2000; ++i) fprintf(stream, "%*d\n", 1 + i % 200, i);
  rewind(stream);
  char* memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + page, page, PROT_NONE);
  setvbuf(stream, memory, _IOFBF, page);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, i & 1 ? push_back : read_lines, NULL);
  const struct timespec pause = {2, 0};
  nanosleep(&pause, NULL);
  stopped = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  puts(sum > 0 ? "read" : "nothing");
  return 0;
}

/* What libc does not look at when there is nothing to do. */
static int null_stream(int count, char** words) {
  (void)count, (void)words;
  FILE* volatile none = NULL;
  char* volatile no_text = NULL;
  char bytes[8] = "yyy";
  size_t size = 0;
  printf("%zu\n", fread(bytes, 0, 5, none));
  printf("%zu\n", fread(bytes, 5, 0, none));
  bytes[0] = 'x';
  printf("%d\n", fgets(bytes, 1, none) == bytes && bytes[0] == '\0');
  errno = 0;
  printf("%zd", getline((char**)no_text, &size, none));
  printf(" %d\n", errno);
  return 0;
}

static void* leave(void* argument) { _exit(*(int*)argument); }
static void* go_on(void* argument) {
  const struct timespec pause = {0, 50000000};
  nanosleep(&pause, NULL);
  puts("after main");
  exit(7);
  return argument;
}

static void* lock_and_wait(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  return argument;
}

static int ends_from_thread(int count, char** words) {
  (void)count, (void)words;
  static int status = 5;
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, lock_and_wait, NULL);
  pthread_barrier_wait(&barrier);
  pthread_create(&thread, NULL, leave, &status);
  pthread_mutex_lock(&mutex);
  return 1;
}

static int main_ends_first(int count, char** words) {
  (void)count, (void)words;
  pthread_t thread;
  pthread_create(&thread, NULL, go_on, NULL);
  pthread_exit(NULL);
}

static int returns_with_threads(int count, char** words) {
  (void)count, (void)words;
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, lock_and_wait, NULL);
  pthread_barrier_wait(&barrier);
  return 6;
}

static void* wait_for_cancel(void* argument) {
  int* way = argument;
  if (*way == 0) pause();
  if (*way == 1) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (volatile long i = 0;; ++i) {
    if (*way == 2) pthread_testcancel();
    if (*way == 3) usleep(1);
  }
  return NULL;
}

static int cancels(int count, char** words) {
  (void)count, (void)words;
  int cancelled = 0;
  for (int i = 0; i < 400; ++i) {
    int way = i % 4;
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, wait_for_cancel, &way);
    if (i % 3 == 0) sched_yield();
    pthread_cancel(thread);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  printf("%d cancelled\n", cancelled);
  return 0;
}

static volatile int raw_done;
static int run_raw(void* argument) {
  for (volatile long i = 0; i < 50000000; ++i) continue;
  *(volatile int*)argument = 1;
  syscall(SYS_exit, 0);
  return 0;
}

/* A thread that libc knows nothing of, with the registers of thread data of the one that made it.
 */
static int raw_thread(int count, char** words) {
  (void)count, (void)words;
  enum { size = 1 << 18 };
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  EXPECT(clone(run_raw, stack + size, flags, (void*)&raw_done) > 0);
  while (!raw_done) usleep(1000);
  puts("done");
  return 0;
}

static int ring(int count, char** words) {
  (void)count, (void)words;
#ifdef SYS_io_uring_setup
  struct io_uring_params parameters = {0};
  const int file = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  if (file < 0) {
    puts("no rings here");
    return 0;
  }
  const size_t size = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
  char* queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, IORING_OFF_SQ_RING);
  struct io_uring_sqe* entries = mmap(NULL, parameters.sq_entries * sizeof *entries,
                                      PROT_READ | PROT_WRITE, MAP_SHARED, file, IORING_OFF_SQES);
  EXPECT(queue != MAP_FAILED && entries != MAP_FAILED);
  unsigned* tail = (unsigned*)(queue + parameters.sq_off.tail);
  unsigned* array = (unsigned*)(queue + parameters.sq_off.array);
  for (int i = 0; i < 2000; ++i) {
    const unsigned at = *tail & (parameters.sq_entries - 1);
    memset(&entries[at], 0, sizeof *entries);
    entries[at].opcode = IORING_OP_NOP;
    array[at] = at;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    EXPECT(syscall(SYS_io_uring_enter, file, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
    if (i % 4 == 3) {
      char* completed =
          mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, IORING_OFF_CQ_RING);
      unsigned* head = (unsigned*)(completed + parameters.cq_off.head);
      __atomic_store_n(head, *(unsigned*)(completed + parameters.cq_off.tail), __ATOMIC_RELEASE);
      munmap(completed, 4096);
    }
  }
  puts("2000 entries");
#endif
  return 0;
}

CASES({"many", many}, {"hand-over", hand_over}, {"shared-stream", shared_stream},
      {"null-stream", null_stream}, {"ends-from-thread", ends_from_thread},
      {"main-ends-first", main_ends_first}, {"returns-with-threads", returns_with_threads},
      {"cancels", cancels}, {"raw-thread", raw_thread}, {"ring", ring})
