// Names that need demangling: templates, overloads, namespaces, lambdas, operators, destructors.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace geometry {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

struct Square : Shape {
  explicit Square(double side) : side_(side) {}
  ~Square() override { side_ = 0; }
  double area() const override { return side_ * side_; }
  double side_;
};

template <typename T, int N>
struct Grid {
  T cells[N] = {};
  T& at(int i) { return cells[i % N]; }
  template <typename U>
  U sum_as() const {
    U total{};
    for (const T& cell : cells) total += static_cast<U>(cell);
    return total;
  }
};

inline namespace v2 {
double measure(const Shape& shape) { return shape.area(); }
double measure(const std::vector<Shape*>& shapes) {
  double total = 0;
  for (const Shape* shape : shapes) total += measure(*shape);
  return total;
}
double measure(double value, int times = 2) { return value * times; }
}  // namespace v2

}  // namespace geometry

namespace {
struct Less {
  bool operator()(int a, int b) const { return a < b; }
};
int hidden(int n) { return n * 2; }
}  // namespace

template <typename F>
int repeated(int times, F&& function) {
  int total = 0;
  for (int i = 0; i < times; ++i) total += function(i);
  return total;
}

static int counted(std::map<std::string, std::vector<int>>& lists, const std::string& key) {
  lists[key].push_back(static_cast<int>(lists.size()));
  return static_cast<int>(lists[key].size());
}

int main() {
  geometry::Square square(3);
  geometry::Grid<int, 7> grid;
  geometry::Grid<unsigned char, 3> small;
  std::map<std::string, std::vector<int>> lists;
  std::vector<geometry::Shape*> shapes(5, &square);
  double sum = 0;
  for (int i = 0; i < 30; ++i) {
    grid.at(i) = hidden(i);
    small.at(i) = static_cast<unsigned char>(i);
    sum += geometry::measure(shapes) + geometry::measure(1.5) + grid.sum_as<double>();
    sum += small.sum_as<int>() + counted(lists, i % 2 ? "odd" : "even");
    sum += repeated(4, [&](int n) { return n + hidden(i); });
    sum += repeated(2, std::function<int(int)>(hidden));
    std::sort(lists["odd"].begin(), lists["odd"].end(), Less());
  }
  return sum == 1;
}
