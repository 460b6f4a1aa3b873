// Maps, sorting, strings, virtual functions, templates and exceptions, in hot loops.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#define HOT __attribute__((noinline))

namespace {

std::uint64_t state = 1;
std::uint32_t drawn() {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state >> 33);
}

struct Shape {
  virtual ~Shape() = default;
  virtual double area(double x) const = 0;
};

struct Round : Shape {
  HOT double area(double x) const override {
    for (int i = 1; i < 400; ++i) x = x / (1.0 + 1.0 / i) + 1.0;
    return x;
  }
};

struct Flat : Shape {
  HOT double area(double x) const override {
    for (int i = 1; i < 900; ++i) x = x * 0.999 + 1.0;
    return x;
  }
};

HOT double shapes(int count) {
  std::vector<std::unique_ptr<Shape>> all;
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0) {
      all.push_back(std::make_unique<Round>());
    } else {
      all.push_back(std::make_unique<Flat>());
    }
  }
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += all[static_cast<std::size_t>(i % 30)]->area(i);
  return sum;
}

HOT std::size_t ordered(std::map<std::uint32_t, std::size_t>& map, int count) {
  std::size_t sum = 0;
  for (int i = 0; i < count; ++i) sum += ++map[drawn() % 2000];
  return sum;
}

HOT std::size_t hashed(std::unordered_map<std::uint32_t, std::size_t>& map, int count) {
  std::size_t sum = 0;
  for (int i = 0; i < count; ++i) sum += ++map[drawn() % 2000];
  return sum;
}

HOT std::size_t sorted(std::vector<std::uint32_t>& values) {
  for (auto& value : values) value = drawn();
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

HOT std::size_t sorted_by_last(std::vector<std::uint32_t>& values) {
  std::stable_sort(values.begin(), values.end(),
                   [](std::uint32_t a, std::uint32_t b) { return a % 4096 < b % 4096; });
  return values[values.size() / 2];
}

HOT std::size_t texts(int count) {
  std::size_t sum = 0;
  std::string text;
  for (int i = 0; i < count; ++i) {
    text.assign("value ");
    text += std::to_string(drawn());
    for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  }
  return sum;
}

HOT int thrown(int depth) {
  if (depth == 0) throw 7;
  return thrown(depth - 1) + 1;
}

HOT int caught(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    try {
      sum += thrown(4);
    } catch (int value) {
      sum += value;
    }
  }
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 90;
  std::map<std::uint32_t, std::size_t> map;
  std::unordered_map<std::uint32_t, std::size_t> table;
  std::vector<std::uint32_t> values(8192);
  double areas = 0;
  std::size_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    areas += shapes(1500);
    sum += ordered(map, 12000) + hashed(table, 60000);
    sum += sorted(values) + sorted_by_last(values) + texts(6000);
    sum += static_cast<std::size_t>(caught(100));
  }
  std::printf("%zu %.6f\n", sum, areas);
  return 4;
}
