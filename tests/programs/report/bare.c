// No library and no start files: builds for machines of which only the compiler is there.
__attribute__((noinline)) static int leaf(int n) { return n * 3 + 1; }
__attribute__((noinline)) int middle(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += leaf(i);
  return sum;
}
__attribute__((noinline)) int deep(int n) { return n > 0 ? deep(n - 1) + middle(n) : leaf(n); }
void _start(void) {
  for (;;) deep(7);
}
__attribute__((section(".text.z"))) void zz_last(void) {}
