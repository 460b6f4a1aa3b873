/* Three quarters of the time in heavy(), a quarter in light(). */
static volatile unsigned sink;

__attribute__((noinline)) void heavy(void) {
  for (unsigned n = 0; n < 15000000; ++n) sink = sink * 1664525u + 1;
}

__attribute__((noinline)) void light(void) {
  for (unsigned n = 0; n < 2500000; ++n) sink = sink * 1664525u + 1;
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    heavy();
    light();
    light();
  }
  return 0;
}
