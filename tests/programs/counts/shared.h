/* Static functions of a header: a copy in each unit that includes it. */
static int step(int x) { return x * 3 + 1; }

static int fifty_steps(int x) {
  int sum = 0;
  for (int i = 0; i < 50; i++)
    sum += step(x + i); /* called 50 times a call */
  return sum;
}
