static int helper(int n) {
  int sum = n;
  for (int i = 0; i < n; ++i) {
    sum = sum * 31 + i;
  }
  return sum;
}

static int only_left(int n) {
  if (n < 100) {
    return helper(n);
  }
  return n;
}

int left(int rounds) {
  return helper(rounds) + only_left(rounds);
}
