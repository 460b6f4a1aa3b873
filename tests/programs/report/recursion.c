// Self recursion, mutual recursion, two cycles that meet, and calls through pointers.
typedef int (*function)(int);

int even(int n);
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int even(int n) { return n == 0 ? 1 : odd(n - 1); }

int second(int n);
int third(int n);
int first(int n) { return n <= 0 ? 1 : second(n - 1) + third(n - 2); }
int second(int n) { return n <= 0 ? 1 : third(n - 1) + second(n - 3); }
int third(int n) {
  if (n <= 0) {
    return 1;
  }
  return first(n - 1) + odd(n);
}

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

int never_called(int n) { return first(n); }

static int apply(function called, int n) { return called(n); }

static const function table[] = {odd, even, factorial, first};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 40; ++i) {
    sum += apply(table[i % 4], i % 9);
    sum += first(i % 8) + even(i);
  }
  return sum == -1;
}
