static int helper(int n) { return n < 2 ? 1 : helper(n - 2) + 1; }

static int unused_here(int n) __attribute__((used));
static int unused_here(int n) { return helper(n) / 2; }

int right(int rounds) {
  int total = 0;
  for (int i = 0; i < 3; ++i) total += helper(rounds % 17 + i);
  return total;
}
