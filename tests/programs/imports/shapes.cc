#include <cstddef>
#include <cstdio>
#include <string>

#include "work.h"

namespace {

// Inlined wherever it is called.
__attribute__((always_inline)) inline long grown(long value) {
  volatile long more = value;
  for (int i = 0; i < 3; ++i) more = more + i;
  return more;
}

struct Box {
  long size = 0;
  KEPT bool operator<(const Box& other) const {
    volatile long sum = 0;
    for (long i = 0; i < other.size; ++i) sum = grown(sum);
    return sum < other.size;
  }
  KEPT long operator()(long rounds) const {
    volatile long sum = size;
    for (long i = 0; i < rounds; ++i) sum = sum + i;
    return sum;
  }
  KEPT void* operator new(std::size_t bytes) {
    volatile long sum = 0;
    for (long i = 0; i < 1000; ++i) sum = sum + i;
    return ::operator new(bytes);
  }
};

template <typename Value>
KEPT Value largest(const Value* values, long count) {
  Value found = values[0];
  for (long i = 1; i < count; ++i) {
    if (found < values[i % 2]) found = values[i % 2];
  }
  return found;
}

}  // namespace

KEPT static long step(long rounds) {
  const auto twice = [](long value) KEPT {
    volatile long sum = 0;
    for (long i = 0; i < value; ++i) sum = sum + 2;
    return static_cast<long>(sum);
  };
  return twice(rounds);
}

long shapes(long rounds) {
  const Box boxes[2] = {{rounds / 30}, {rounds / 20}};
  long sum = largest(boxes, 4).size + boxes[0](rounds) + step(rounds);
  for (int i = 0; i < 4; ++i) {
    const Box* const made = new Box;
    sum += made->size;
    delete made;
  }
  return sum;
}
