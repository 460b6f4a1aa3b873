// Deep recursion of several kinds: `deep_stacks KIND DEPTH ROUNDS` goes that deep, and works there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned long sum;
static long rounds;

__attribute__((noinline)) void spin(void) {
  for (int i = 0; i < 1000000; i++) sum += i;
}
__attribute__((noinline)) void work(void) {
  for (long i = 0; i < rounds; i++) spin();
  sum++;
}

// One function, and rings of three and of seven.
__attribute__((noinline)) long self(long n) {
  if (n == 0) return work(), 1;
  const long below = self(n - 1);
  return below + (long)sum % 2;
}

#define NEXT(name, next)                           \
  long next(long n);                               \
  __attribute__((noinline)) long name(long n) {    \
    if (n <= 0) return work(), 1;                  \
    const long below = next(n - 1);                \
    return below + (long)sum % 2;                  \
  }
NEXT(three_a, three_b)
NEXT(three_b, three_c)
NEXT(three_c, three_a)
NEXT(seven_a, seven_b)
NEXT(seven_b, seven_c)
NEXT(seven_c, seven_d)
NEXT(seven_d, seven_e)
NEXT(seven_e, seven_f)
NEXT(seven_f, seven_g)
NEXT(seven_g, seven_a)

// A recursive-descent parser of sums, products and parentheses.
static const char *at;
long parse_sum(void);
__attribute__((noinline)) long parse_atom(void) {
  if (*at != '(') {
    work();
    at++;
    return 1;
  }
  at++;
  const long value = parse_sum();
  at++;
  return value;
}
__attribute__((noinline)) long parse_product(void) {
  long value = parse_atom();
  while (*at == '*') at++, value *= parse_atom();
  return value;
}
long parse_sum(void) {
  long value = parse_product();
  while (*at == '+') at++, value += parse_product();
  return value;
}
static long parse(long depth) {
  char *text = malloc(2 * depth + 8);
  memset(text, '(', depth);
  strcpy(text + depth, "1*1+1");
  memset(text + depth + 5, ')', depth + 1);
  text[2 * depth + 5] = 0;
  at = text;
  return parse_sum();
}

// Calls that take turns without a pattern: nothing repeats.
static unsigned long state;
static unsigned next_bit(void) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return state >> 63;
}
__attribute__((noinline)) long mixed(long n) {
  if (n == 0) return work(), 1;
  long below;
  if (next_bit()) {
    below = mixed(n - 1);
  } else {
    below = mixed(n - 1) + 1;
  }
  return below + (long)sum % 2;
}

// Down and up again, a little work at every turn.
__attribute__((noinline)) long swinging(long n, long turns) {
  if (n == 0) return work(), 1;
  long below = 0;
  for (long i = n == 2000 ? turns : 1; i > 0; i--) below += swinging(n - 1, turns);
  return below + (long)sum % 2;
}

// Two callers take turns, of which one works: they differ below a million frames alike.
__attribute__((noinline)) long dear(long n) { return self(n) + (long)sum % 2; }
__attribute__((noinline)) long cheap(long n) {
  const long all = rounds;
  rounds = all / 20;
  const long below = self(n);
  rounds = all;
  return below + (long)sum % 2;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  const long depth = atol(words[2]);
  rounds = atol(words[3]);
  long result = 0;
  if (!strcmp(words[1], "self")) result = self(depth);
  if (!strcmp(words[1], "three")) result = three_a(depth);
  if (!strcmp(words[1], "seven")) result = seven_a(depth);
  if (!strcmp(words[1], "parser")) result = parse(depth);
  if (!strcmp(words[1], "mixed")) result = mixed(depth);
  if (!strcmp(words[1], "swinging")) result = swinging(depth, 100);
  if (!strcmp(words[1], "callers")) {
    for (int i = 0; i < 5; i++) result += dear(depth) + cheap(depth);
  }
  printf("result %d\n", result > 0);
  return 0;
}
