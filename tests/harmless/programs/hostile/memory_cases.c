/* Memory and code: mappings, protection, generated code, libraries that come and go. */
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "cases.h"

static void compute(long times) {
  static volatile double sum;
  for (volatile long i = 0; i < times; ++i) sum += (double)i;
}

static int mappings(int count, char** words) {
  (void)count, (void)words;
  enum { pages = 64, page = 4096 };
  char* memory =
      mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(memory != MAP_FAILED);
  for (int turn = 0; turn < 200; ++turn) {
    char* one = memory + turn % pages * page;
    EXPECT(mprotect(one, page, PROT_NONE) == 0 && mprotect(one, page, PROT_READ | PROT_WRITE) == 0);
    *one = (char)turn;
    EXPECT(madvise(one, page, MADV_DONTNEED) == 0 && *one == 0);
    compute(20000);
  }
  char* moved = mremap(memory, pages * page, 4 * pages * page, MREMAP_MAYMOVE);
  EXPECT(moved != MAP_FAILED);
  EXPECT(madvise(moved, page, MADV_DONTFORK) == 0 &&
         madvise(moved + page, page, MADV_WIPEONFORK) == 0);
  moved[page] = 5;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(moved[page] + 3);
  int status;
  EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  EXPECT(munmap(moved, 4 * pages * page) == 0);
  puts("mapped");
  return 0;
}

/* A hundred functions, made, called, and their memory used again. */
static int generated_code(int count, char** words) {
  (void)count, (void)words;
  unsigned sum = 0;
#if defined(__x86_64__)
  for (unsigned i = 0; i < 300; ++i) {
    unsigned char* code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(code != MAP_FAILED);
    /* push %rbp; mov $i, %eax; mov $200000, %ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret */
    static const unsigned char text[] = {0x55, 0xb8, 0,    0,    0,    0,    0xb9, 0x40, 0x0d,
                                         0x03, 0,    0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
    memcpy(code, text, sizeof text);
    memcpy(code + 2, &i, sizeof i);
    sum += ((unsigned (*)(void))(void*)code)();
    munmap(code, 4096);
  }
#endif
  printf("%u\n", sum);
  return 0;
}

static ucontext_t contexts[2];
static volatile long switches;
static void switch_for_ever(void) {
  for (;;) {
    ++switches;
    compute(2000);
    swapcontext(&contexts[1], &contexts[0]);
  }
}

static int coroutines(int count, char** words) {
  (void)count, (void)words;
  static char stack[32768];
  getcontext(&contexts[1]);
  contexts[1].uc_stack.ss_sp = stack;
  contexts[1].uc_stack.ss_size = sizeof stack;
  makecontext(&contexts[1], switch_for_ever, 0);
  for (int i = 0; i < 3000; ++i) swapcontext(&contexts[0], &contexts[1]);
  printf("%ld switches\n", switches);
  return 0;
}

static __attribute__((noinline)) long recurse(long depth) {
  volatile char room[64];
  room[0] = (char)depth;
  return depth == 0 ? 0 : recurse(depth - 1) + 1 + (room[0] - (char)depth);
}

static int recursion(int count, char** words) {
  (void)count, (void)words;
  long sum = 0;
  for (int i = 0; i < 50; ++i) sum += recurse(40000);
  printf("%ld\n", sum);
  return 0;
}

/* The libraries in the working directory are copies of one. */
static int libraries(int count, char** words) {
  (void)count, (void)words;
  int sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    void* opened[40];
    for (int i = 0; i < 40; ++i) {
      char name[40];
      sprintf(name, "./library%d.so", i);
      opened[i] =
          i % 10 == 9 ? dlmopen(LM_ID_NEWLM, name, RTLD_NOW) : dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (opened[i] == NULL) printf("%s\n", dlerror());
      int (*work)(int) = (int (*)(int))dlsym(opened[i], "work");
      EXPECT(work != NULL);
      sum += work(i);
    }
    for (int i = 0; i < 40; ++i) EXPECT(dlclose(opened[i]) == 0);
  }
  printf("%d\n", sum);
  return 0;
}

/* A program may have functions of the names that we interpose. */
static int own_functions(int count, char** words) {
  (void)count, (void)words;
  printf("%d\n", system("own"));
  return 0;
}
int system(const char* command) { return (int)strlen(command) + 1000; }

static int locked(int count, char** words) {
  (void)count, (void)words;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  compute(20000000);
  char* memory = malloc(1 << 20);
  memset(memory, 3, 1 << 20);
  printf("%d\n", memory[99]);
  return memory[7];
}

CASES({"mappings", mappings}, {"generated-code", generated_code}, {"coroutines", coroutines},
      {"recursion", recursion}, {"libraries", libraries}, {"own-functions", own_functions},
      {"locked", locked})
