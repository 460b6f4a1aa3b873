/* Sorts with libc's qsort, which is not profiled but calls a profiled comparator. sort NUMBERS
 * ROUNDS: prints a checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static int random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state >> 33);
}

static int compare(const void* left, const void* right) {
  const int a = *(const int*)left;
  const int b = *(const int*)right;
  return (a > b) - (a < b);
}

int main(int argument_count, char** arguments) {
  if (argument_count < 3) return 2;
  const int count = atoi(arguments[1]);
  int* numbers = malloc((size_t)count * sizeof *numbers);
  uint64_t sum = 0;
  for (int round = atoi(arguments[2]); round > 0; round--) {
    for (int i = 0; i < count; i++) numbers[i] = random_number();
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    for (int i = 0; i < count; i += 1000) sum = sum * 31 + (uint64_t)numbers[i];
  }
  free(numbers);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
