// Stacks as the sampler keeps them: folded, thinned out, and reused from the previous walk. The
// stacks are fabricated, in the test's memory, so that return addresses can be read.
#include "runtime/unwind/walked_stack.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

namespace {

using namespace gprof_runtime;

using Words = std::vector<std::uint64_t>;

constexpr std::uint32_t room = 512;

// A stack growing down in an array: the return addresses of frames of different sizes.
class FakeStack {
 public:
  explicit FakeStack(std::size_t words) : memory_(words), top_(words) {}

  // A call that returns to `pc`, from a function with a frame of `words`.
  void call(std::uint64_t pc, std::size_t words = 3) {
    top_ -= words;
    REQUIRE(top_ < memory_.size());
    memory_[top_] = pc;
    frames_.push_back(top_);
  }
  void call_all(const Words& pcs) {
    for (const std::uint64_t pc : pcs) call(pc, 2 + pc % 3);
  }
  void return_from(std::size_t calls) {
    frames_.resize(frames_.size() - calls);
    top_ = frames_.empty() ? memory_.size() : frames_.back();
  }

  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  [[nodiscard]] std::uint64_t slot(std::size_t from_inside) const {
    return reinterpret_cast<std::uint64_t>(&memory_[frames_[depth() - 1 - from_inside]]);
  }
  [[nodiscard]] std::uint64_t pc(std::size_t from_inside) const {
    return memory_[frames_[depth() - 1 - from_inside]];
  }
  // Innermost first, including the sampled place.
  [[nodiscard]] Words frames(std::uint64_t sampled) const {
    Words all = {sampled};
    for (std::size_t i = 0; i < depth(); ++i) all.push_back(pc(i));
    return all;
  }

 private:
  std::vector<std::uint64_t> memory_;
  std::size_t top_;
  std::vector<std::size_t> frames_;  // outermost first
};

// The walks of one thread.
class Walks {
 public:
  const WalkedStack& walk(const FakeStack& stack, std::uint64_t sampled) {
    WalkedStack& made = *stacks_[1 - newest_];
    const WalkedStack& known = *stacks_[newest_];
    made.clear();
    made.push(sampled, 0);
    ReadableMemory memory;
    WalkSearch search;
    looked_at_ = 0;
    bool joined = false;
    for (std::size_t i = 0; i < stack.depth() && !joined; ++i) {
      made.push(stack.pc(i), stack.slot(i));
      ++looked_at_;
      joined = made.join(known, &search, &memory, turn_);
    }
    if (!joined) made.set_whole(true);
    ++turn_;
    newest_ = 1 - newest_;
    return made;
  }
  // Frames that the last walk visited itself.
  [[nodiscard]] std::size_t looked_at() const { return looked_at_; }

 private:
  std::unique_ptr<WalkedStack> stacks_[2] = {std::make_unique<WalkedStack>(),
                                             std::make_unique<WalkedStack>()};
  std::size_t newest_ = 0;
  std::size_t looked_at_ = 0;
  std::uint32_t turn_ = 0;
};

Words stored(const WalkedStack& stack) {
  Words words(room);
  std::uint32_t inferred_from = 0;
  words.resize(stack.store(words.data(), room, &inferred_from));
  return words;
}

// Repetitions unfolded; left-out marks remain.
Words unfolded(const Words& words) {
  Words frames;
  for (const std::uint64_t word : words) {
    if (!stack_mark::is_repeat(word)) {
      frames.push_back(word);
      continue;
    }
    const std::uint64_t length = stack_mark::length_of(word);
    REQUIRE(length <= frames.size());
    for (std::uint64_t i = 0; i < length * stack_mark::count_of(word); ++i) {
      frames.push_back(frames[frames.size() - length]);
    }
  }
  return frames;
}

std::uint64_t frames_in(const Words& words) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words) {
    const std::uint64_t more = stack_mark::count_of(word);
    count += !stack_mark::is_mark(word)    ? 1
             : stack_mark::is_repeat(word) ? stack_mark::length_of(word) * more
                                           : more;
  }
  return count;
}

Words repeated(const Words& group, std::size_t times) {
  Words all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

TEST_CASE("walked stack: what finds room is stored frame by frame") {
  FakeStack stack(1 << 16);
  stack.call_all({1, 2, 3});
  stack.call_all(repeated({7}, 400));
  stack.call_all({4, 5});
  Walks walks;
  const WalkedStack& walked = walks.walk(stack, 99);
  CHECK(stored(walked) == stack.frames(99));
  CHECK(walked.whole());
}

TEST_CASE("walked stack: recursion of any period is a few words, and both ends are there") {
  for (const std::size_t period : {1, 2, 3, 5, 7, 11, 16}) {
    CAPTURE(period);
    Words group(period);
    for (std::size_t i = 0; i < period; ++i) group[i] = 100 + i;
    FakeStack stack(1 << 20);
    stack.call_all({1, 2});
    stack.call_all(repeated(group, 100'000 / period));
    stack.call_all({3, 4, 5});
    Walks walks;
    const Words words = stored(walks.walk(stack, 99));
    CHECK(words.size() <= 6 + 2 * period + 1);
    CHECK(unfolded(words) == stack.frames(99));
  }
}

TEST_CASE("walked stack: a group with repetitions of its own in it is one group") {
  const Words group = {10, 10, 10, 10, 10, 10, 11, 12};
  FakeStack stack(1 << 20);
  stack.call_all({1, 2});
  stack.call_all(repeated(group, 10'000));
  Walks walks;
  const Words words = stored(walks.walk(stack, 99));
  CHECK(words.size() < 30);
  CHECK(unfolded(words) == stack.frames(99));
}

TEST_CASE("walked stack: frames of one function at different distances are no repetition") {
  FakeStack stack(1 << 16);
  for (std::size_t i = 0; i < 600; ++i) stack.call(5, 2 + i % 7 * (i % 3));
  Walks walks;
  const WalkedStack& walked = walks.walk(stack, 99);
  CHECK(walked.frame_count() == 601);
  CHECK(frames_in(stored(walked)) == 601);
}

TEST_CASE("walked stack: of what does not fold both ends stay, and the rest is counted") {
  std::mt19937 random(gprof::test_seed(3));
  for (const std::size_t depth : {600, 2000, 5000, 100'000}) {
    CAPTURE(depth);
    FakeStack stack(1 << 20);
    for (std::size_t i = 0; i < depth; ++i) stack.call(1 + random() % 1000);
    Walks walks;
    const WalkedStack& walked = walks.walk(stack, 9999);
    const Words words = stored(walked);
    const Words all = stack.frames(9999);
    CHECK(words.size() <= room);
    CHECK(frames_in(words) == all.size());
    CHECK(walked.frame_count() == all.size());
    CHECK(std::equal(words.begin(), words.begin() + 200, all.begin()));
    CHECK(std::equal(words.end() - 200, words.end(), all.end() - 200));
  }
}

TEST_CASE("walked stack: a walk joins the one before, in the midst of a repetition too") {
  FakeStack stack(1 << 23);
  stack.call_all({1, 2});
  stack.call_all(repeated({21, 22, 23}, 300'000));
  Walks walks;
  CHECK(unfolded(stored(walks.walk(stack, 99))) == stack.frames(99));
  std::mt19937 random(gprof::test_seed(5));
  for (int i = 0; i < 40; ++i) {
    stack.return_from(random() % 30'000);
    const Words deeper = {21, 22, 23};
    for (std::size_t calls = random() % 400; calls > 0; --calls) {
      stack.call_all({deeper[(stack.depth() - 2) % 3]});
    }
    stack.call_all({31, 32});
    const WalkedStack& walked = walks.walk(stack, 99);
    CHECK(walks.looked_at() < 500);
    CHECK(walked.whole());
    const Words words = stored(walked);
    CHECK(words.size() < 60);
    REQUIRE(unfolded(words) == stack.frames(99));
    stack.return_from(2);
  }
}

TEST_CASE("walked stack: joined walks say what whole ones do") {
  std::mt19937 random(gprof::test_seed(7));
  for (int round = 0; round < 60; ++round) {
    FakeStack stack(1 << 20);
    Walks walks;
    for (int step = 0; step < 20; ++step) {
      stack.return_from(random() % (stack.depth() + 1));
      for (int part = 0; part < 3; ++part) {
        Words group(1 + random() % 18);
        for (std::uint64_t& pc : group) pc = 1 + random() % 5;
        stack.call_all(repeated(group, random() % 12));
      }
      const WalkedStack& walked = walks.walk(stack, 99);
      Walks fresh;
      const WalkedStack& whole = fresh.walk(stack, 99);
      REQUIRE(walked.frame_count() == whole.frame_count());
      REQUIRE(frames_in(stored(walked)) == stack.depth() + 1);
      const Words words = unfolded(stored(walked));
      if (std::ranges::none_of(words, stack_mark::is_mark)) REQUIRE(words == stack.frames(99));
    }
  }
}

TEST_CASE("walked stack: callers that were replaced are not taken over") {
  Walks walks;
  FakeStack stack(1 << 20);
  stack.call_all({1, 2});
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    stack.call(30 + turn % 2, 4);
    stack.call_all(repeated({7}, 50'000));
    REQUIRE(unfolded(stored(walks.walk(stack, 99))) == stack.frames(99));
    stack.return_from(50'001);
  }
}

TEST_CASE("walked stack: what was passed over on other stacks is not looked for there") {
  FakeStack main_stack(1 << 16);
  main_stack.call_all({1, 2});
  main_stack.call_all(repeated({7}, 1000));
  FakeStack other(1 << 12);
  other.call_all({41, 42, 43});
  auto walked = std::make_unique<WalkedStack>();
  walked->clear();
  walked->push(99, 0);
  for (std::size_t i = 0; i < other.depth(); ++i) walked->push(other.pc(i), other.slot(i));
  // The frame through which the handler returns, and the place that the signal interrupted.
  walked->push(77, other.slot(other.depth() - 1) + 64);
  walked->pop();
  walked->forget_places();
  walked->push(88, 0);
  for (std::size_t i = 0; i < main_stack.depth(); ++i) {
    walked->push(main_stack.pc(i), main_stack.slot(i));
  }
  Words expected = {99, 43, 42, 41, 88};
  const Words frames = main_stack.frames(0);
  expected.insert(expected.end(), frames.begin() + 1, frames.end());
  CHECK(unfolded(stored(*walked)) == expected);

  auto next = std::make_unique<WalkedStack>();
  next->clear();
  next->push(99, 0);
  next->push(other.pc(0), other.slot(0));
  ReadableMemory memory;
  WalkSearch search;
  CHECK_FALSE(next->join(*walked, &search, &memory, 0));
  next->clear();
  next->push(99, 0);
  next->push(main_stack.pc(0), main_stack.slot(0));
  search = {};
  CHECK(next->join(*walked, &search, &memory, 0));
  CHECK(unfolded(stored(*next)) == main_stack.frames(99));
}

TEST_CASE("the first inferred frame is told, whatever is left out") {
  auto stack = std::make_unique<WalkedStack>();
  Words words(room);
  std::uint32_t inferred_from = 7;
  stack->push(0x1000, 0);
  stack->push(0x2000, 0x10);
  CHECK(stack->store(words.data(), room, &inferred_from) == 2);
  CHECK(inferred_from == 0);
  stack->push(0x3000, 0x20, true);
  stack->push(0x4000, 0x30);
  CHECK(stack->store(words.data(), room, &inferred_from) == 4);
  CHECK(inferred_from == 2);

  // A frame deep in a long stack that does not repeat: what is stored names it or the gap.
  for (const std::uint64_t place : {10U, 400U, 700U, 3000U}) {
    stack->clear();
    for (std::uint64_t i = 0; i < 5000; ++i) {
      stack->push(0x10000 + i * 16, i == 0 ? 0 : 0x1000 + i * 32, i == place);
    }
    words.assign(room, 0);
    const std::uint32_t count = stack->store(words.data(), room, &inferred_from);
    REQUIRE(inferred_from > 0);
    REQUIRE(inferred_from < count);
    std::uint64_t frames = 0;
    for (std::uint32_t i = 0; i <= inferred_from; ++i) {
      frames += stack_mark::is_mark(words[i]) ? stack_mark::count_of(words[i]) : 1;
    }
    CHECK(frames + 16 >= place);
  }
}

TEST_CASE("walks that join one another keep inferred frames") {
  auto known = std::make_unique<WalkedStack>();
  auto joined = std::make_unique<WalkedStack>();
  std::uint64_t slots[4] = {0, 0x2000, 0x3000, 0x4000};
  const auto slot = [&slots](int i) { return reinterpret_cast<std::uint64_t>(&slots[i]); };
  known->push(0x1000, 0);
  for (int i = 1; i < 4; ++i) known->push(slots[i], slot(i), i == 2);
  known->set_whole(true);
  joined->push(0x1010, 0);
  joined->push(slots[1], slot(1));
  ReadableMemory memory;
  WalkSearch search;
  REQUIRE(joined->join(*known, &search, &memory, 1));
  Words words(room);
  std::uint32_t inferred_from = 0;
  CHECK(joined->store(words.data(), room, &inferred_from) == 4);
  CHECK(inferred_from == 2);
}
