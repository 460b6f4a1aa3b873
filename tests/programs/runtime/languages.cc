// C++: constructors before main, destructors after it, exceptions through profiled and other code.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

__attribute__((noinline)) void before_main() { asm volatile(""); }
__attribute__((noinline)) void after_main() { asm volatile(""); }
struct Global {
  Global() { before_main(); }
  ~Global() { after_main(); }
};
static Global global;

__attribute__((noinline)) void thrower(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  thrower(depth - 1);
  asm volatile("");
}
__attribute__((noinline)) int catcher(int times) {
  int caught = 0;
  for (int i = 0; i < times; i++) {
    try {
      thrower(9);
    } catch (const std::runtime_error&) {
      caught++;
    }
  }
  return caught;
}
struct Base {
  virtual ~Base() = default;
  virtual int value() = 0;
};
struct Derived : Base {
  __attribute__((noinline)) int value() override {
    __asm__ volatile("");  // or compilers that see through the pointers leave the call out
    return 1;
  }
};

int main() {
  std::vector<Base*> all;
  for (int i = 0; i < 100; i++) all.push_back(new Derived);
  int sum = 0;
  for (Base* one : all) sum += one->value();
  for (Base* one : all) delete one;
  std::printf("caught %d\nsum %d\n", catcher(50), sum);
  return 0;
}
