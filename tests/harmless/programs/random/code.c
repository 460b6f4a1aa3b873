/* Code that is deep, made at run time, on other stacks, in other libraries; and plain computation.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "random_program.h"

static __attribute__((noinline)) uint64_t recurse(uint64_t depth, volatile char* above) {
  volatile char here[16];
  here[0] = (char)depth;
  if (depth == 0) return (uint64_t)(*above == *above);
  return recurse(depth - 1, here) + 1;
}

uint64_t recursion_action(struct worker* worker) {
  char byte = 0;
  return recurse(random_below(worker, 20000), &byte);
}

/* A function that returns a number, without any description of its frame. */
uint64_t generated_code_action(struct worker* worker) {
  const uint32_t number = (uint32_t)random_below(worker, 60000);
  unsigned char* code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(code != MAP_FAILED);
#if defined(__x86_64__)
  /* mov $number, %eax; mov $20000, %ecx; 1: dec %ecx; jnz 1b; ret */
  static const unsigned char tail[] = {0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
  code[0] = 0xb8;
  memcpy(code + 1, &number, 4);
  memcpy(code + 5, tail, sizeof tail);
#elif defined(__aarch64__)
  /* mov w0, #number; ret */
  const uint32_t words[] = {0x52800000 | (number & 0xffff) << 5, 0xd65f03c0};
  memcpy(code, words, sizeof words);
#endif
  CHECK(mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0);
  __builtin___clear_cache((char*)code, (char*)code + 64);
  uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) sum += ((uint32_t(*)(void))(void*)code)();
  CHECK(sum == 20ull * number && munmap(code, 4096) == 0);
  return sum;
}

struct coroutine {
  ucontext_t caller, own;
  uint64_t value;
};
static __thread struct coroutine* current;

static void run_coroutine(void) {
  for (;;) {
    struct coroutine* own = current;
    own->value = own->value * 3 + 1;
    for (volatile int i = 0; i < 5000; ++i) continue;
    swapcontext(&own->own, &own->caller);
  }
}

uint64_t coroutine_action(struct worker* worker) {
  enum { count = 3, size = 65536 };
  struct coroutine coroutines[count];
  for (int i = 0; i < count; ++i) {
    coroutines[i].value = random_below(worker, 1000);
    CHECK(getcontext(&coroutines[i].own) == 0);
    coroutines[i].own.uc_stack.ss_sp =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    coroutines[i].own.uc_stack.ss_size = size;
    CHECK(coroutines[i].own.uc_stack.ss_sp != MAP_FAILED);
    makecontext(&coroutines[i].own, run_coroutine, 0);
  }
  uint64_t sum = 0;
  for (int turn = (int)random_below(worker, 20); turn >= 0; --turn) {
    current = &coroutines[random_below(worker, count)];
    CHECK(swapcontext(&current->caller, &current->own) == 0);
    sum = sum * 31 + current->value;
  }
  for (int i = 0; i < count; ++i) munmap(coroutines[i].own.uc_stack.ss_sp, size);
  return sum;
}

uint64_t library_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 4);
  for (int i = 0; i < times; ++i) {
    const int space = random_below(worker, 8) == 0;
    lock_linker();
    void* library = space ? dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW)
                          : dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    /* There is room for a dozen of these. */
    if (library == NULL && !space) FAIL("%s", dlerror());
    if (library == NULL) {
      unlock_linker();
      continue;
    }
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    CHECK(cosine != NULL && cosine(0) == 1);
    CHECK(dlclose(library) == 0);
    CHECK(dlopen("libnowhere.so.99", RTLD_NOW) == NULL && dlerror() != NULL);
    unlock_linker();
  }
  return (uint64_t)times;
}

uint64_t raw_calls_action(struct worker* worker) {
  uint32_t word = 5;
  const struct timespec limit = {0, 100000};
  long result;
  do {
    result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &limit, NULL, 0);
  } while (result == -1 && errno == EINTR && has_timers);
  CHECK(result == -1 && errno == ETIMEDOUT);
  CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 6, NULL, NULL, 0) == -1 && errno == EAGAIN);
  CHECK(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == gettid());
  CHECK(syscall(99999) == -1 && errno == ENOSYS);
  CHECK(syscall(SYS_sched_yield) == 0);
  return random_below(worker, 10);
}

static int compare(const void* a, const void* b) {
  const uint64_t left = *(const uint64_t*)a, right = *(const uint64_t*)b;
  return left < right ? -1 : left > right;
}

uint64_t sort_action(struct worker* worker) {
  const size_t count = 2 + random_below(worker, 3000);
  uint64_t* numbers = malloc(count * sizeof *numbers);
  CHECK(numbers != NULL);
  for (size_t i = 0; i < count; ++i) numbers[i] = random_below(worker, UINT64_MAX);
  qsort(numbers, count, sizeof *numbers, compare);
  for (size_t i = 1; i < count; ++i) CHECK(numbers[i - 1] <= numbers[i]);
  const uint64_t middle = numbers[count / 2];
  free(numbers);
  return middle;
}

uint64_t memory_action(struct worker* worker) {
  enum { count = 32 };
  unsigned char* blocks[count] = {0};
  size_t sizes[count] = {0};
  for (int i = 0; i < 200; ++i) {
    const int at = (int)random_below(worker, count);
    if (sizes[at] > 0)
      CHECK(blocks[at][0] == (unsigned char)at && blocks[at][sizes[at] - 1] == (unsigned char)at);
    sizes[at] = 1 + random_below(worker, 1 << random_below(worker, 16));
    blocks[at] = realloc(blocks[at], sizes[at]);
    CHECK(blocks[at] != NULL);
    blocks[at][0] = blocks[at][sizes[at] - 1] = (unsigned char)at;
  }
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += sizes[i];
    free(blocks[i]);
  }
  return sum;
}

/* Vector registers and the rounding mode are as they were, whatever interrupts this. */
uint64_t numbers_action(struct worker* worker) {
  double values[64], sum = 0;
  for (size_t i = 0; i < LENGTH(values); ++i) values[i] = (double)random_below(worker, 1000);
  for (int turn = 0; turn < 2000; ++turn) {
    for (size_t i = 0; i < LENGTH(values); ++i) values[i] = values[i] * 0.5 + (double)(turn % 7);
  }
  for (size_t i = 0; i < LENGTH(values); ++i) sum += values[i];
  return (uint64_t)(sum * 1000);
}
