// Calls a BLAS library, whose kernels are assembler code.
//
// linear_algebra ROUNDS
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, SIZE = 300 };

typedef void Multiply(int, int, int, int, int, int, double, const double *, int, const double *,
                      int, double, double *, int);
typedef void Apply(int, int, int, int, double, const double *, int, const double *, int, double,
                   double *, int);
typedef double Dot(int, const double *, int, const double *, int);

static Multiply *multiply;
static Apply *apply;
static Dot *dot;
static volatile double total;
static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];

__attribute__((noinline)) void multiplies(void) {
  multiply(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0.5, c,
           SIZE);
  total += c[7];
}

__attribute__((noinline)) void applies(void) {
  apply(ROW_MAJOR, NOT_TRANSPOSED, SIZE, SIZE, 1, a, SIZE, b, 1, 0.5, c, 1);
  total += c[7];
}

__attribute__((noinline)) void dots(void) { total += dot(SIZE * SIZE, a, 1, b, 1); }

int main(int count, char **words) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (library == NULL) return 77;
  multiply = (Multiply *)dlsym(library, "cblas_dgemm");
  apply = (Apply *)dlsym(library, "cblas_dgemv");
  dot = (Dot *)dlsym(library, "cblas_ddot");
  const int rounds = count > 1 ? atoi(words[1]) : 1;
  for (int i = 0; i < SIZE * SIZE; ++i) a[i] = (i % 7) * 1e-3;
  for (int i = 0; i < rounds; ++i) {
    multiplies();
    for (int j = 0; j < 60; ++j) applies();
    for (int j = 0; j < 60; ++j) dots();
  }
  printf("done\n");
  return 0;
}
