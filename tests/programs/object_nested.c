/* A local function of the same name in two files, and a GNU C nested function. */
static int __attribute__((noinline)) helper(int a, int b) { return a * b + b / 3; }

int UNIT(int a) {
  int inner(int z) { return z + a; }
  return inner(3) + helper(a, 7) + helper(a + 1, 7);
}

#ifdef MAIN
int other(int a);
int main(int argc, char** argv) {
  (void)argv;
  return UNIT(argc) + other(argc) == 12345;
}
#endif
