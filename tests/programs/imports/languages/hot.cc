// In each language: `grow` has nearly all of the time, on the line of its division, and `dear` has called for most of it.
#include <cstdio>
#include <cstdlib>

namespace shapes {

template <typename Value>
class Box {
 public:
  __attribute__((noinline)) Value grow(Value rounds) {
    for (Value i = 1; i <= rounds; ++i) {
      sum_ = sum_ / (i % 7 + 1) + sum_ / (i % 5 + 2) + i * 1000;  // hot
    }
    return sum_;
  }

 private:
  Value sum_ = 1;
};

__attribute__((noinline)) long dear(Box<long>& box, long rounds) { return box.grow(rounds * 9) + 1; }

__attribute__((noinline)) long cheap(Box<long>& box, long rounds) { return box.grow(rounds) + 2; }

}  // namespace shapes

int main(int count, char** words) {
  const long rounds = count > 1 ? std::atol(words[1]) : 1000;
  shapes::Box<long> box;
  std::printf("%ld\n", shapes::cheap(box, rounds) + shapes::dear(box, rounds));
  return 0;
}
