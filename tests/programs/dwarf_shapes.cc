// Functions of every kind that DWARF describes in a way of its own. The comments at the line ends
// are what tests look lines up by.
#include <cstdio>

namespace outside {
int visit(int x);
}

namespace ns {

struct Box {
  int grow(int by);                             // declaration of grow
  int inside(int x) { return x * 3 + volume; }  // inside
  static int make();
  int volume = 2;
};

int Box::grow(int by) {  // definition of grow
  volume += by;
  return inside(volume);  // call of inside
}

template <typename T>
__attribute__((noinline)) T twice(T v) {  // twice
  return v + v;
}

namespace {
__attribute__((noinline)) int hidden(int x) {  // hidden
  return x * 7;
}
}  // namespace

}  // namespace ns

static inline int helper(int x) { return x * x + 1; }  // helper

static inline int outer_helper(int x) {  // outer_helper
  return helper(x);                      // call of helper
}

int main(int argc, char**) {  // main
  ns::Box box;
  auto scale = [&](int v) __attribute__((noinline)) { return v * box.volume; };  // lambda
  struct Local {
    __attribute__((noinline)) int run(int q) { return q + 4; }  // run
  };
  int sum = outer_helper(argc);  // call of outer_helper
  sum += scale(argc) + Local().run(argc);
  std::printf("%d\n", box.grow(sum) + ns::twice(argc) + ns::hidden(argc) + outside::visit(argc));
  return 0;
}
