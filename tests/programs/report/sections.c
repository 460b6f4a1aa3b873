// Code outside .text, in sections of its own.
#define PLACED(name) __attribute__((section(name), noinline))

PLACED(".text.early") int early(int n) { return n + 1; }
PLACED("code_elsewhere") int elsewhere(int n) { return early(n) * 2; }
PLACED("far.away") static int far_away(int n) { return elsewhere(n) - 1; }

__attribute__((noinline)) int here(int n) {
  return far_away(n) + elsewhere(n);
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += here(i);
  return sum == 5;
}
