// loader ROUNDS LIBRARY...: opens the libraries in turn, calls plug_enter(ROUND + 1) twice in each, closes it.
// Prints where the function was, to tell whether libraries took one another's place. With
// "keep" as the first library the others stay open.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void use(void (*enter)(int), int times) {
  enter(times);
  __asm__ volatile("");
}

int main(int count, char** arguments) {
  int rounds = atoi(arguments[1]), first = 2;
  int keep = strcmp(arguments[2], "keep") == 0;
  first += keep;
  for (int round = 0; round < rounds; round++) {
    for (int i = first; i < count; i++) {
      void* library = dlopen(arguments[i], RTLD_NOW);
      if (library == NULL) {
        printf("%s\n", dlerror());
        return 2;
      }
      void (*enter)(int) = (void (*)(int))dlsym(library, "plug_enter");
      use(enter, round + 1);
      use(enter, round + 1);
      if (!keep) dlclose(library);
      printf("at_%d %ld\n", i - first, (long)enter);
    }
  }
  return 0;
}
