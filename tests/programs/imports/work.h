// What the parts of the program share.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
// Each takes time in proportion to `rounds`, in a function `step` of its own file.
long left(long rounds);
long right(long rounds);
long outside(long rounds);  // in the library
long shapes(long rounds);   // in C++
#ifdef __cplusplus
}
#endif
#define KEPT __attribute__((noinline, noclone))
