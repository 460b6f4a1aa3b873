// A hundred small functions, each of which calls `leaf` as often as its number says and one more.
// Call sites lie closer together than the 16 bytes that glibc's collector tells apart.
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

#define CALLER(n)                                  \
  __attribute__((noinline)) void caller_##n(void) { \
    leaf();                                        \
    __asm__ volatile("" : : "i"(n));               \
  }
#define TEN(n)                                                                              \
  CALLER(n##0) CALLER(n##1) CALLER(n##2) CALLER(n##3) CALLER(n##4)                          \
  CALLER(n##5) CALLER(n##6) CALLER(n##7) CALLER(n##8) CALLER(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)

#define TIMES(n) for (int i = 0; i < n; i++) caller_##n();
#define TEN_TIMES(n)                                                                        \
  TIMES(n##0) TIMES(n##1) TIMES(n##2) TIMES(n##3) TIMES(n##4)                               \
  TIMES(n##5) TIMES(n##6) TIMES(n##7) TIMES(n##8) TIMES(n##9)

int main(void) {
  TEN_TIMES(1) TEN_TIMES(2) TEN_TIMES(3) TEN_TIMES(4) TEN_TIMES(5)
  TEN_TIMES(6) TEN_TIMES(7) TEN_TIMES(8) TEN_TIMES(9)
  return 0;
}
