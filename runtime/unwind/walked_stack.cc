#include "runtime/unwind/walked_stack.h"

namespace gprof_runtime {
namespace {

// Entries at either end that are never thinned out.
constexpr std::uint32_t kept_inner = 256;
constexpr std::uint32_t kept_outer = 256;
// Frames checked per repetition and in all repetitions, besides the groups at both ends; beyond
// that limit, still a few groups of each.
constexpr std::uint64_t looks_in_run = 256;
constexpr std::uint64_t looks_in_runs = 1024;
constexpr std::uint64_t least_groups = 4;

// How often a group must repeat on the stack to be folded.
std::uint32_t groups_to_fold(std::uint32_t period) {
  const std::uint32_t groups = (WalkedStack::shortest_run + period - 1) / period;
  return groups < 2 ? 2 : groups;
}

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

// On aarch64 return addresses may be signed, in bits that no address has.
std::uint64_t address_in(std::uint64_t word) {
#if defined(__aarch64__)
  return word & ((std::uint64_t{1} << 48U) - 1);
#else
  return word;
#endif
}

void add_left_out(WalkedEntry& entry, std::uint64_t frames) {
  entry.left_out = (entry.left_out + frames) & (~std::uint64_t{0} >> 1U);
}

bool holds(ReadableMemory* memory, std::uint64_t slot, std::uint64_t pc) {
  std::uint64_t word = 0;
  return memory->read(slot, &word) && address_in(word) == address_in(pc);
}

}  // namespace

void WalkedStack::clear() {
  size_ = first_place_ = plain_from_ = open_run_ = tail_ = whole_ = 0;
  frames_ = 0;
}

void WalkedStack::append(const WalkedEntry& entry) {
  if (size_ == capacity) thin_out();
  entries_[size_++] = entry;
}

void WalkedStack::forget_places() {
  first_place_ = plain_from_ = size_;
  open_run_ = tail_ = 0;
}

bool WalkedStack::continues_run(std::uint64_t pc, std::uint64_t slot, bool inferred) const {
  if (open_run_ == 0) return false;
  const WalkedEntry& mark = entries_[open_run_];
  const WalkedEntry& expected = entries_[open_run_ - stack_mark::length_of(mark.pc) + tail_];
  const std::uint64_t repetitions = stack_mark::count_of(mark.pc) + 1;
  return expected.pc == pc && expected.slot + repetitions * mark.slot == slot &&
         (expected.inferred != 0) == inferred;
}

WalkedEntry WalkedStack::last_frame() const {
  const WalkedEntry& last = entries_[size_ - 1];
  if (!stack_mark::is_mark(last.pc)) return last;
  const WalkedEntry& of_group = entries_[size_ - 2];
  return {of_group.pc, of_group.slot + stack_mark::count_of(last.pc) * last.slot, 0, 0};
}

void WalkedStack::push(std::uint64_t pc, std::uint64_t slot, bool inferred) {
  const WalkedEntry entry = {pc, slot, 0, inferred ? 1U : 0U};
  if (size_ > first_place_ && slot <= last_frame().slot) forget_places();
  ++frames_;
  if (continues_run(pc, slot, inferred)) {
    WalkedEntry& mark = entries_[open_run_];
    if (++tail_ < stack_mark::length_of(mark.pc)) return append(entry);
    // The group has repeated once more.
    size_ = open_run_ + 1;
    tail_ = 0;
    ++mark.pc;
    return;
  }
  if (open_run_ != 0) plain_from_ = open_run_ + 1;
  open_run_ = tail_ = 0;
  append(entry);
  if (slot == 0) return forget_places();
  fold_last();
}

// Whether each of the last frames equals that of the group before it, always at the same distance.
bool WalkedStack::repeats(std::uint32_t period, std::uint32_t frames) const {
  const std::uint64_t stride = entries_[size_ - 1].slot - entries_[size_ - 1 - period].slot;
  for (std::uint32_t i = size_ - frames; i < size_; ++i) {
    const WalkedEntry& here = entries_[i];
    const WalkedEntry& before = entries_[i - period];
    if (here.pc != before.pc || here.slot - before.slot != stride || before.left_out != 0 ||
        here.inferred != before.inferred) {
      return false;
    }
  }
  return true;
}

void WalkedStack::fold_last() {
  const std::uint64_t pc = entries_[size_ - 1].pc;
  const std::uint32_t plain = size_ - plain_from_;
  for (std::uint32_t period = 1; period <= longest_period; ++period) {
    const std::uint32_t more = (groups_to_fold(period) - 1) * period;
    if (more + period > plain) continue;
    if (entries_[size_ - 1 - period].pc != pc || !repeats(period, more)) continue;
    const std::uint64_t stride = entries_[size_ - 1].slot - entries_[size_ - 1 - period].slot;
    size_ -= more;
    open_run_ = size_;
    append({stack_mark::make(stack_mark::repeats, period, more / period), stride, 0, 0});
    return;
  }
}

void WalkedStack::pop() {
  if (size_ == 0 || open_run_ != 0 || stack_mark::is_mark(entries_[size_ - 1].pc)) return;
  --size_;
  --frames_;
  if (plain_from_ > size_) plain_from_ = size_;
  if (first_place_ > size_) first_place_ = size_;
}

void WalkedStack::leave_out(std::uint64_t frames) {
  if (frames == 0) return;
  add_left_out(entries_[size_ - 1], frames);
  frames_ += frames;
  plain_from_ = size_;
  open_run_ = tail_ = 0;
}

// Includes the frames left out after it.
std::uint64_t WalkedStack::frames_of(std::uint32_t index) const {
  const WalkedEntry& entry = entries_[index];
  const bool mark = stack_mark::is_mark(entry.pc);
  const std::uint64_t own =
      mark ? stack_mark::length_of(entry.pc) * stack_mark::count_of(entry.pc) : 1;
  return own + entry.left_out;
}

void WalkedStack::thin_out() {
  static_assert(kept_inner + kept_outer + longest_period < capacity);
  std::uint32_t end = capacity - kept_outer;
  // A repetition stays with its group.
  for (std::uint32_t i = end; i < end + longest_period && i < capacity; ++i) {
    const WalkedEntry& entry = entries_[i];
    if (stack_mark::is_mark(entry.pc) && stack_mark::length_of(entry.pc) > i - end) end = i + 1;
  }
  std::uint32_t kept = kept_inner;
  std::uint32_t frame = 0;
  for (std::uint32_t i = kept_inner; i < end; ++i) {
    // A mark is not kept, because its group may be gone.
    if (!stack_mark::is_mark(entries_[i].pc) && frame++ % 2 == 0) {
      entries_[kept++] = entries_[i];
    } else {
      add_left_out(entries_[kept - 1], frames_of(i));
      entries_[kept - 1].inferred |= entries_[i].inferred;
    }
  }
  const std::uint32_t removed = end - kept;
  for (std::uint32_t i = end; i < capacity; ++i) entries_[i - removed] = entries_[i];
  size_ = capacity - removed;
  const auto moved = [&](std::uint32_t index) {
    if (index >= end) return index - removed;
    return index < kept ? index : kept;
  };
  first_place_ = moved(first_place_);
  plain_from_ = moved(plain_from_);
  if (plain_from_ < kept) plain_from_ = kept;
  if (open_run_ == 0) return;
  if (open_run_ >= end) {
    open_run_ -= removed;
    return;
  }
  // Its group continues as a new one.
  open_run_ = tail_ = 0;
  plain_from_ = size_;
}

bool WalkedStack::find_in_run(std::uint32_t mark, std::uint64_t pc, std::uint64_t slot,
                              Position* found) const {
  const WalkedEntry& run = entries_[mark];
  const auto length = static_cast<std::uint32_t>(stack_mark::length_of(run.pc));
  for (std::uint32_t i = mark - length; i < mark; ++i) {
    const std::uint64_t distance = slot - entries_[i].slot;
    if (entries_[i].pc != pc || distance % run.slot != 0) continue;
    const std::uint64_t repetition = distance / run.slot;
    if (repetition == 0 || repetition > stack_mark::count_of(run.pc)) continue;
    *found = {i, mark, repetition};
    return true;
  }
  return false;
}

bool WalkedStack::find(std::uint64_t pc, std::uint64_t slot, std::uint32_t* from,
                       Position* found) const {
  if (*from < first_place_) *from = first_place_;
  for (; *from < size_; ++*from) {
    const WalkedEntry& entry = entries_[*from];
    if (stack_mark::is_mark(entry.pc)) {
      const std::uint64_t last =
          entries_[*from - 1].slot + stack_mark::count_of(entry.pc) * entry.slot;
      if (last < slot) continue;
      return find_in_run(*from, pc, slot, found);
    }
    if (entry.slot < slot) continue;
    if (entry.slot == slot && entry.pc == pc) {
      *found = {*from, 0, 0};
      return true;
    }
    return false;
  }
  return false;
}

bool WalkedStack::entry_still_there(std::uint32_t index, std::uint64_t first_repetition,
                                    Looks* looks) const {
  const WalkedEntry& entry = entries_[index];
  if (!stack_mark::is_mark(entry.pc)) return holds(looks->memory, entry.slot, entry.pc);
  const auto length = static_cast<std::uint32_t>(stack_mark::length_of(entry.pc));
  const std::uint64_t last = stack_mark::count_of(entry.pc);
  const auto group_holds = [&](std::uint64_t repetition) {
    for (std::uint32_t i = index - length; i < index; ++i) {
      const WalkedEntry& frame = entries_[i];
      if (!holds(looks->memory, frame.slot + repetition * entry.slot, frame.pc)) return false;
    }
    return true;
  };
  if (first_repetition > last) return true;
  if (!group_holds(first_repetition) || !group_holds(last)) return false;
  std::uint64_t groups = smaller(looks_in_run, looks->left) / length;
  if (groups < least_groups) groups = least_groups;
  const std::uint64_t step = (last - first_repetition) / groups + 1;
  for (std::uint64_t i = first_repetition + looks->turn % step; i < last; i += step) {
    if (!group_holds(i)) return false;
    looks->left -= smaller(looks->left, length);
  }
  return true;
}

bool WalkedStack::still_there(const Position& position, ReadableMemory* memory,
                              std::uint32_t turn) const {
  Looks looks = {memory, turn, looks_in_runs};
  std::uint32_t begin = position.index + 1;
  if (position.repetition != 0) {
    const std::uint64_t distance = position.repetition * entries_[position.mark].slot;
    for (; begin < position.mark; ++begin) {
      if (!holds(memory, entries_[begin].slot + distance, entries_[begin].pc)) return false;
    }
    if (!entry_still_there(position.mark, position.repetition + 1, &looks)) return false;
    begin = position.mark + 1;
  }
  for (std::uint32_t i = begin; i < size_; ++i) {
    if (!entry_still_there(i, 1, &looks)) return false;
  }
  return true;
}

// Pushes the repetitions from `first_repetition` on. The frames of the one before are already
// there.
void WalkedStack::push_run(const WalkedStack& known, std::uint32_t mark,
                           std::uint64_t first_repetition) {
  const WalkedEntry run = known.entries_[mark];
  const auto length = static_cast<std::uint32_t>(stack_mark::length_of(run.pc));
  const std::uint64_t last = stack_mark::count_of(run.pc);
  if (first_repetition > last) return;
  // Enough of them to fold with the existing ones.
  const std::uint64_t frame_by_frame = smaller(last - first_repetition + 1, groups_to_fold(length));
  for (std::uint64_t i = 0; i < frame_by_frame; ++i) {
    for (std::uint32_t j = mark - length; j < mark; ++j) {
      const WalkedEntry& frame = known.entries_[j];
      push(frame.pc, frame.slot + (first_repetition + i) * run.slot, frame.inferred != 0);
    }
  }
  const std::uint64_t rest = last - first_repetition + 1 - frame_by_frame;
  if (rest == 0) return;
  const bool folded = open_run_ != 0 && entries_[open_run_].slot == run.slot &&
                      stack_mark::length_of(entries_[open_run_].pc) == length;
  if (folded) {
    // The frames after the mark, which begin a group, now belong to the last repetition.
    entries_[open_run_].pc += rest;
    for (std::uint32_t i = open_run_ + 1; i < size_; ++i) entries_[i].slot += rest * run.slot;
  } else {
    open_run_ = tail_ = 0;
    append({stack_mark::make(stack_mark::repeats, length, rest), run.slot, 0, 0});
    open_run_ = size_ - 1;
  }
  frames_ += rest * length;
}

void WalkedStack::take_over(const WalkedStack& known, const Position& position) {
  std::uint32_t next = position.index + 1;
  leave_out(position.repetition == 0 ? known.entries_[position.index].left_out : 0);
  if (position.repetition != 0) {
    for (; next < position.mark; ++next) {
      const WalkedEntry& frame = known.entries_[next];
      push(frame.pc, frame.slot + position.repetition * known.entries_[position.mark].slot,
           frame.inferred != 0);
    }
    push_run(known, position.mark, position.repetition + 1);
    leave_out(known.entries_[position.mark].left_out);
    next = position.mark + 1;
  }
  for (; next < known.size_; ++next) {
    const WalkedEntry& entry = known.entries_[next];
    if (stack_mark::is_mark(entry.pc)) {
      push_run(known, next, 1);
    } else {
      push(entry.pc, entry.slot, entry.inferred != 0);
    }
    leave_out(entry.left_out);
  }
  set_whole(known.whole());
}

bool WalkedStack::join(const WalkedStack& known, WalkSearch* search, ReadableMemory* memory,
                       std::uint32_t turn) {
  if (size_ == 0 || frames_ < search->not_before) return false;
  const WalkedEntry last = last_frame();
  Position position = {};
  if (last.slot == 0 || !known.find(last.pc, last.slot, &search->from, &position)) return false;
  if (known.still_there(position, memory, turn)) {
    take_over(known, position);
    return true;
  }
  search->not_before = frames_ + search->distance;
  search->distance *= 2;
  return false;
}

std::uint32_t WalkedStack::inner_places(std::uint64_t* slots, std::uint32_t room) const {
  std::uint32_t count = 0;
  for (std::uint32_t i = 1; i < size_ && count < room; ++i) {
    if (stack_mark::is_mark(entries_[i].pc) || entries_[i].slot == 0) break;
    slots[count++] = entries_[i].slot;
  }
  return count;
}

std::uint32_t WalkedStack::store_unfolded(std::uint64_t* words,
                                          std::uint32_t* inferred_from) const {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (*inferred_from == 0 && entries_[i].inferred != 0) *inferred_from = count;
    const std::uint64_t pc = entries_[i].pc;
    if (!stack_mark::is_mark(pc)) {
      words[count++] = pc;
      continue;
    }
    const std::uint64_t more = stack_mark::length_of(pc) * stack_mark::count_of(pc);
    for (std::uint64_t j = 0; j < more; ++j, ++count) {
      words[count] = words[count - stack_mark::length_of(pc)];
    }
  }
  return count;
}

std::uint32_t WalkedStack::store(std::uint64_t* words, std::uint32_t room,
                                 std::uint32_t* inferred_from) const {
  *inferred_from = 0;
  bool gaps = false;
  for (std::uint32_t i = 0; i < size_; ++i) gaps = gaps || entries_[i].left_out != 0;
  if (!gaps && frames_ <= room) return store_unfolded(words, inferred_from);
  // An entry takes at most two words, the second for the mark of frames left out after it.
  std::uint32_t count = 0;
  std::uint64_t stored = 0;
  const auto note_inferred = [&](std::uint32_t i) {
    if (*inferred_from == 0 && entries_[i].inferred != 0) *inferred_from = count;
  };
  const auto store_entry = [&](std::uint32_t i) {
    note_inferred(i);
    words[count++] = entries_[i].pc;
    stored += frames_of(i);
    if (entries_[i].left_out == 0) return;
    words[count++] = stack_mark::make(stack_mark::left_out, 0, entries_[i].left_out);
  };
  std::uint32_t inner = 0;
  while (inner < size_ && count + 2 <= room / 2) store_entry(inner++);
  std::uint32_t outer = size_;
  // One word is for the mark in between.
  std::uint32_t words_left = room - count - 1;
  std::uint64_t outer_frames = 0;
  while (outer > inner) {
    const std::uint32_t needed = entries_[outer - 1].left_out == 0 ? 1 : 2;
    if (needed > words_left) break;
    words_left -= needed;
    outer_frames += frames_of(--outer);
  }
  // A repetition without its group is meaningless.
  if (outer > inner) {
    for (std::uint32_t i = outer; i < size_ && i < outer + longest_period; ++i) {
      if (!stack_mark::is_mark(entries_[i].pc) ||
          stack_mark::length_of(entries_[i].pc) <= i - outer) {
        continue;
      }
      for (; outer <= i; ++outer) outer_frames -= frames_of(outer);
    }
  }
  const std::uint64_t between = frames_ - stored - outer_frames;
  // A frame that is left out is at the mark.
  for (std::uint32_t i = inner; i < outer; ++i) note_inferred(i);
  if (between != 0) words[count++] = stack_mark::make(stack_mark::left_out, 0, between);
  for (std::uint32_t i = outer; i < size_; ++i) store_entry(i);
  return count;
}

}  // namespace gprof_runtime
