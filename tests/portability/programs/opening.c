/* Runs the threads of a library that it opens. */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  void* library = dlopen("./libopened.so", RTLD_NOW);
  if (library == 0) return 1;
  int (*run)(void) = (int (*)(void))dlsym(library, "run");
  if (run == 0 || run() != 0) return 2;
  const char* error = dlerror();
  puts(error != 0 ? error : "no error");
  return 0;
}
