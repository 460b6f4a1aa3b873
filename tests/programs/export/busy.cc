// What exports have to get right: templates, a lambda, recursion, a cycle of three, a comparator
// behind qsort, a function whose caller decides what it costs, and a name that parts folded stacks.
#include <cstdlib>
#include <utility>
#include <vector>

#define KEPT __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

volatile long sink;

KEPT void spin(long rounds) {
  for (volatile long i = 0; i < rounds; i = i + 1) sink = sink + i;
}

template <typename First, typename Second>
struct Pair {
  KEPT static void grow(std::pair<First, Second> by) {
    for (volatile long i = 0; i < 80000000; i = i + 1) sink = sink + by.first;
  }
};

KEPT void odd_name() __asm__("\"odd;name\"");
KEPT void odd_name() {
  for (volatile long i = 0; i < 40000000; i = i + 1) sink = sink + i;
}

KEPT int compare(const void* left, const void* right) {
  spin(250000);
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}
KEPT void sorts() {
  std::vector<int> numbers;
  for (int i = 0; i < 60; ++i) numbers.push_back(i * 7919 % 61);
  qsort(numbers.data(), numbers.size(), sizeof(int), compare);
}

KEPT void dear(int rounds) { spin(150000L * rounds); }
KEPT void cheap_calls() {
  for (int i = 0; i < 990; ++i) dear(0);
}
KEPT void dear_calls() {
  for (int i = 0; i < 10; ++i) dear(60);
}

KEPT long descend(int depth) {
  for (volatile long i = 0; i < 2000000; i = i + 1) sink = sink + i;
  return depth == 0 ? 0 : 1 + descend(depth - 1);
}

KEPT void pong(int rounds);
KEPT void peng(int rounds);
KEPT void ping(int rounds) {
  for (volatile long i = 0; i < 1500000; i = i + 1) sink = sink + i;
  if (rounds > 0) pong(rounds - 1);
}
KEPT void pong(int rounds) {
  for (volatile long i = 0; i < 3000000; i = i + 1) sink = sink + i;
  peng(rounds);
}
KEPT void peng(int rounds) {
  for (volatile long i = 0; i < 1500000; i = i + 1) sink = sink + i;
  ping(rounds);
}

int main() {
  Pair<int, char>::grow({1, 'a'});
  odd_name();
  sorts();
  cheap_calls();
  dear_calls();
  const long depth = descend(20);
  ping(20);
  const auto lambda = [](long rounds) KEPT { spin(rounds); };
  lambda(40000000);
  return depth == 20 ? 0 : 1;
}
