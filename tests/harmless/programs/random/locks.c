/* Locks of all kinds, each of which protects two counters that must stay equal. */
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "random_program.h"

enum kind {
  normal,
  recursive,
  checked,
  adaptive,
  robust,
  inheriting,
  protecting,
  shared,
  rwlock,
  spin,
  lock_kinds
};
enum { most_locks = 6 };

struct lock {
  enum kind kind;
  union {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
  };
  long counts[2];
};

static struct lock* locks;
static int lock_count;
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t grown;
  long tokens;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static sem_t semaphore;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long once_count;

static void init_lock(struct lock* lock) {
  if (lock->kind == rwlock) {
    CHECK(pthread_rwlock_init(&lock->rwlock, NULL) == 0);
    return;
  }
  if (lock->kind == spin) {
    CHECK(pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE) == 0);
    return;
  }
  static const int types[] = {[recursive] = PTHREAD_MUTEX_RECURSIVE,
                              [checked] = PTHREAD_MUTEX_ERRORCHECK,
                              [adaptive] = PTHREAD_MUTEX_ADAPTIVE_NP};
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (lock->kind <= adaptive) pthread_mutexattr_settype(&attributes, types[lock->kind]);
  if (lock->kind == robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  if (lock->kind == inheriting) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  if (lock->kind == shared) pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  CHECK(pthread_mutex_init(&lock->mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

void prepare_locks(struct worker* worker) {
  lock_count = 1 + (int)random_below(worker, most_locks);
  locks = mmap(NULL, sizeof *locks * most_locks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
  CHECK(locks != MAP_FAILED);
  for (int i = 0; i < lock_count; ++i) {
    locks[i].kind = random_below(worker, lock_kinds);
    init_lock(&locks[i]);
  }
  CHECK(sem_init(&semaphore, 0, 0) == 0);
}

void check_locks(void) {
  for (int i = 0; i < lock_count; ++i) CHECK(locks[i].counts[0] == locks[i].counts[1]);
  CHECK(queue.tokens == 0);
  int left = -1;
  CHECK(sem_getvalue(&semaphore, &left) == 0 && left == 0);
}

/* `how`: 0 lock, 1 try until it works, 2 with a deadline */
static void take(struct lock* lock, int how) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1000;
  int result;
  do {
    if (lock->kind == rwlock) {
      result = how == 0   ? pthread_rwlock_wrlock(&lock->rwlock)
               : how == 1 ? pthread_rwlock_trywrlock(&lock->rwlock)
                          : pthread_rwlock_timedwrlock(&lock->rwlock, &deadline);
    } else if (lock->kind == spin) {
      result = how == 1 ? pthread_spin_trylock(&lock->spin) : pthread_spin_lock(&lock->spin);
    } else {
      result = how == 0   ? pthread_mutex_lock(&lock->mutex)
               : how == 1 ? pthread_mutex_trylock(&lock->mutex)
                          : pthread_mutex_timedlock(&lock->mutex, &deadline);
    }
    if (result == EBUSY) sched_yield();
  } while (result == EBUSY && how == 1);
  if (result != 0) FAIL("lock of kind %d taken by %d: %d", lock->kind, how, result);
}

static void give(struct lock* lock) {
  int result = lock->kind == rwlock ? pthread_rwlock_unlock(&lock->rwlock)
               : lock->kind == spin ? pthread_spin_unlock(&lock->spin)
                                    : pthread_mutex_unlock(&lock->mutex);
  if (result != 0) FAIL("lock of kind %d given back: %d", lock->kind, result);
}

static void count(struct lock* lock) {
  ++lock->counts[0];
  if (lock->counts[0] % 3 == 0) sched_yield();
  ++lock->counts[1];
}

/* What only some kinds refuse, of a lock that this thread has. */
static void check_refusals(struct lock* lock) {
  if (lock->kind == checked) CHECK(pthread_mutex_lock(&lock->mutex) == EDEADLK);
  if (lock->kind == inheriting) CHECK(pthread_mutex_trylock(&lock->mutex) == EBUSY);
  if (lock->kind == rwlock) CHECK(pthread_rwlock_tryrdlock(&lock->rwlock) == EBUSY);
  if (lock->kind == recursive) {
    CHECK(pthread_mutex_lock(&lock->mutex) == 0);
    CHECK(pthread_mutex_unlock(&lock->mutex) == 0);
  }
}

uint64_t lock_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 40);
  const int how = (int)random_below(worker, 3);
  struct lock* lock = &locks[random_below(worker, lock_count)];
  errno = 4321;
  for (int i = 0; i < times; ++i) {
    take(lock, how);
    count(lock);
    if (i == 0) check_refusals(lock);
    give(lock);
  }
  CHECK(errno == 4321);
  return times;
}

uint64_t nested_locks_action(struct worker* worker) {
  const int last = (int)random_below(worker, lock_count);
  for (int i = 0; i <= last; ++i) take(&locks[i], 0);
  for (int i = 0; i <= last; ++i) count(&locks[i]);
  if (random_below(worker, 2) == 0) {
    for (int i = 0; i <= last; ++i) give(&locks[i]);
  } else {
    for (int i = last; i >= 0; --i) give(&locks[i]);
  }
  return last;
}

uint64_t read_lock_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 20);
  for (int i = 0; i < times; ++i) {
    struct lock* lock = &locks[random_below(worker, lock_count)];
    if (lock->kind != rwlock) {
      take(lock, i % 3);
      CHECK(lock->counts[0] == lock->counts[1]);
      give(lock);
      continue;
    }
    CHECK(pthread_rwlock_rdlock(&lock->rwlock) == 0);
    CHECK(lock->counts[0] == lock->counts[1]);
    give(lock);
  }
  return times;
}

/* A deadline that has passed, and one that passes. */
uint64_t timed_lock_action(struct worker* worker) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct timespec deadline;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += (long)random_below(worker, 2000000);
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_nsec -= 1000000000;
    ++deadline.tv_sec;
  }
  CHECK(pthread_mutex_timedlock(&mutex, &deadline) == ETIMEDOUT);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &deadline) == ETIMEDOUT);
  sem_t empty;
  CHECK(sem_init(&empty, 0, 0) == 0);
  CHECK(RETRY(sem_timedwait(&empty, &deadline)) == -1 && errno == ETIMEDOUT);
  CHECK(sem_trywait(&empty) == -1 && errno == EAGAIN);
  const struct timespec invalid = {0, -1};
  CHECK(pthread_mutex_timedlock(&mutex, &invalid) == EINVAL);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_destroy(&mutex) == 0 && pthread_cond_destroy(&condition) == 0);
  return 3;
}

uint64_t condition_action(struct worker* worker) {
  const int tokens = 1 + (int)random_below(worker, 15);
  const int together = (int)random_below(worker, 2);
  /* Those that it puts in before it takes any make sure that there are enough. */
  for (int i = 0; i < tokens; ++i) {
    CHECK(pthread_mutex_lock(&queue.mutex) == 0);
    ++queue.tokens;
    if (together) {
      CHECK(pthread_cond_broadcast(&queue.grown) == 0);
    } else {
      CHECK(pthread_cond_signal(&queue.grown) == 0);
    }
    CHECK(pthread_mutex_unlock(&queue.mutex) == 0);
  }
  for (int i = 0; i < tokens; ++i) {
    CHECK(pthread_mutex_lock(&queue.mutex) == 0);
    while (queue.tokens == 0) CHECK(pthread_cond_wait(&queue.grown, &queue.mutex) == 0);
    --queue.tokens;
    CHECK(pthread_mutex_unlock(&queue.mutex) == 0);
  }
  return tokens;
}

uint64_t semaphore_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 20);
  for (int i = 0; i < times; ++i) CHECK(sem_post(&semaphore) == 0);
  for (int i = 0; i < times; ++i) CHECK(RETRY(sem_wait(&semaphore)) == 0);
  return times;
}

static void count_once(void) { ++once_count; }

uint64_t once_action(struct worker* worker) {
  (void)worker;
  CHECK(pthread_once(&once, count_once) == 0);
  CHECK(once_count == 1);
  return 1;
}

/* A robust mutex in shared memory, whose owner dies with it. */
uint64_t shared_memory_action(struct worker* worker) {
  pthread_mutex_t* mutex =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(mutex != MAP_FAILED);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  if (random_below(worker, 2)) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  CHECK(pthread_mutex_init(mutex, &attributes) == 0);
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    if (pthread_mutex_lock(mutex) != 0) _exit(1);
    _exit(7);
  }
  int status;
  CHECK(RETRY(waitpid(child, &status, 0)) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD);
  const int recovered = random_below(worker, 2) == 0;
  if (recovered) CHECK(pthread_mutex_consistent(mutex) == 0);
  CHECK(pthread_mutex_unlock(mutex) == 0);
  CHECK(pthread_mutex_lock(mutex) == (recovered ? 0 : ENOTRECOVERABLE));
  CHECK(pthread_mutex_trylock(mutex) == (recovered ? EBUSY : ENOTRECOVERABLE));
  if (recovered) CHECK(pthread_mutex_unlock(mutex) == 0);
  munmap(mutex, 4096);
  return recovered;
}
