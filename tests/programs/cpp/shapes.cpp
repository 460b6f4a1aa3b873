#include <cstdio>

namespace geometry {
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  explicit Square(double s) : side(s) {}
  double area() const override;
  double side;
};

double Square::area() const { return side * side; }

template <typename T>
struct Box {
  T value;
  T grow(T by) { return value += by; }
};

template <typename T>
T twice(T x) {
  return x + x;
}
}  // namespace geometry

static int overloaded(int x) { return x + 1; }
static int overloaded(double x) { return static_cast<int>(x) + 2; }

namespace {
int hidden(int x) { return x - 1; }
}  // namespace

int main() {
  geometry::Square square(2);
  const geometry::Shape& shape = square;
  double total = 0;
  for (int i = 0; i < 1000; i++) total += shape.area();
  geometry::Box<int> whole{0};
  geometry::Box<double> real{0};
  for (int i = 0; i < 30; i++) whole.grow(i);
  for (int i = 0; i < 12; i++) real.grow(i);
  total += geometry::twice(3) + geometry::twice(4.5) + static_cast<double>(geometry::twice(5L));
  auto lambda = [&](int k) { return k * 2 + static_cast<int>(total); };
  for (int i = 0; i < 77; i++) total += lambda(i);
  for (int i = 0; i < 5; i++) total += overloaded(i);
  for (int i = 0; i < 6; i++) total += overloaded(1.5 * i);
  for (int i = 0; i < 9; i++) total += hidden(i);
  std::printf("%g\n", total);
}
