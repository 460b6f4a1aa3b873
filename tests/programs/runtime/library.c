// A profiled library, for modules_test.py. TAG tells builds apart: their functions carry it in their
// names. Also calls back what it is given.
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)

__attribute__((noinline)) static void NAMED(inner, TAG)(void) { __asm__ volatile(""); }

__attribute__((noinline)) static void NAMED(middle, TAG)(void) {
  for (int i = 0; i < 4; i++) NAMED(inner, TAG)();
}

void NAMED(enter, TAG)(int times) {
  for (int i = 0; i < times; i++) NAMED(middle, TAG)();
}

void NAMED(back, TAG)(void (*function)(void), int times) {
  for (int i = 0; i < times; i++) function();
}

#ifdef PLAIN_NAMES
// What a program finds by dlsym, whichever build it is.
void plug_enter(int times) { NAMED(enter, TAG)(times); }
#endif
