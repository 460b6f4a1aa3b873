// Two files with static functions of one name, one of which takes no time of its own.
int left(int rounds);
int right(int rounds);

static int helper(int n) { return n * 7 % 13; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 300; ++i) {
    sum += left(i);
    sum += right(i) + helper(i);
  }
  return sum == 42;
}
