// Constructors, overloads, templates, a cold part and a constant-propagated copy.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Shape {
  explicit Shape(int sides);
  virtual ~Shape();
  virtual int area(int scale) const;
  int sides_;
};
Shape::Shape(int sides) : sides_(sides) {}
Shape::~Shape() = default;
int Shape::area(int scale) const {
  if (scale > 100) throw std::runtime_error("too large");
  return sides_ * scale;
}

static int __attribute__((noinline)) scaled(int value, int factor) {
  if (value > 1000) {
    std::puts("unlikely");
    std::abort();
  }
  return value * factor + value / factor;
}

template <typename T>
int __attribute__((noinline)) total(const std::vector<T>& values) {
  int sum = 0;
  for (const T& value : values) sum += static_cast<int>(value);
  return sum;
}

int main(int argc, char**) {
  std::vector<int> values;
  std::vector<long> longs;
  for (int i = 0; i < argc + 5; ++i) {
    values.push_back(scaled(i, 3));
    longs.push_back(i);
  }
  const Shape shape(argc);
  const auto half = [](int whole) { return whole / 2; };
  return half(shape.area(2) + total(values) + total(longs)) == 12345 ? 1 : 0;
}
