// A call stack as a walk found it: what is stored of it, and what the next walk of the thread need
// not walk again.
//
// Recursion is folded. Frames that repeat as a group, at equal distances on the stack, are kept
// once with the number of their repetitions: a stack of a million frames of one function takes two
// entries. What does not repeat is thinned out in the middle, where there is no room for it: one
// frame in two, in four, … stays, with the number of those that are left out behind it. Both ends
// stay whole.
//
// A walk that arrives at a frame of the walk before, the same return address at the same place of
// the stack, need not go on: a frame that has not returned since has the same callers. It may have
// returned, though, and a call from elsewhere may have put an equal one in its place. So return
// addresses further out are looked at, where they were. This is as good as a walk where all of them
// are: the code to which a frame returns says how large the caller's frame is, so that from the
// frame at which the walk arrived on, each place that holds what it held leads to the next place,
// and the first caller that is another one shows at a place that was written for it. Not all of
// them are: of long repetitions the groups at both ends and some in between, which are others each
// time; of frames that were thinned out none. There a caller that was replaced, with the
// frames within it, may go unseen until a look comes upon it. So may one behind a function that
// takes memory from the stack as it needs it.
//
// Units: addresses of this process. Ownership: plain memory of a thread's state; zero-filled is
// empty. Thread contract: one thread, from its sample handler. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/unwind/readable.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct WalkedEntry {
  std::uint64_t pc;    // or the mark of a repetition
  std::uint64_t slot;  // where it was read from, 0: from a register; of a repetition: the stride
  std::uint64_t left_out;  // frames between this entry and the next
};

// How far a walk has come in its search for the walk before.
struct WalkSearch {
  std::uint32_t from = 0;        // entry
  std::uint64_t not_before = 0;  // frame: attempts that fail are made less and less often
  std::uint64_t distance = 16;   // frames to the next attempt
};

class WalkedStack {
 public:
  static constexpr std::uint32_t capacity = 1024;
  // Groups of up to as many frames are folded,
  static constexpr std::uint32_t longest_period = 16;
  // when two of them follow each other and take as many frames: what calls itself a few times may
  // be a part of a longer group.
  static constexpr std::uint32_t shortest_run = 16;

  void clear();
  // The next frame outwards. `slot` ascends, but where another stack begins.
  void push(std::uint64_t pc, std::uint64_t slot);
  // Takes the last frame back, if it was pushed as one.
  void pop();
  // What follows lies on another stack, or was interrupted by a signal: no entry up to here can be
  // found again.
  void forget_places();

  // Whether the frame that was pushed last is one of `known`, whose callers are still there. If so,
  // takes them over. `search`: of this walk; `turn`: another number in each walk.
  bool join(const WalkedStack& known, WalkSearch* search, ReadableMemory* memory,
            std::uint32_t turn);

  std::uint64_t frame_count() const { return frames_; }
  // Whether it ends with the outermost frame.
  bool whole() const { return whole_ != 0; }
  void set_whole(bool whole) { whole_ = whole ? 1 : 0; }

  // Writes it as words to be stored, not more than `room` (at least 64): without marks where all
  // frames find room, else with both ends. Returns their number.
  std::uint32_t store(std::uint64_t* words, std::uint32_t room) const;

 private:
  // A frame of `known`; in repetition `repetition` of the group that ends before `mark`, or, where
  // that is 0, the frame at `index` as it stands.
  struct Position {
    std::uint32_t index;
    std::uint32_t mark;
    std::uint64_t repetition;
  };

  bool find(std::uint64_t pc, std::uint64_t slot, std::uint32_t* from, Position* found) const;
  bool find_in_run(std::uint32_t mark, std::uint64_t pc, std::uint64_t slot, Position* found) const;
  bool still_there(const Position& position, ReadableMemory* memory, std::uint32_t turn) const;
  struct Looks {
    ReadableMemory* memory;
    std::uint32_t turn;
    std::uint64_t left;  // at frames of repetitions
  };
  bool entry_still_there(std::uint32_t index, std::uint64_t first_repetition, Looks* looks) const;
  void take_over(const WalkedStack& known, const Position& position);
  void push_run(const WalkedStack& known, std::uint32_t mark, std::uint64_t first_repetition);
  void append(const WalkedEntry& entry);
  // Of the frame that was pushed last.
  WalkedEntry last_frame() const;
  bool repeats(std::uint32_t period, std::uint32_t frames) const;
  void fold_last();
  bool continues_run(std::uint64_t pc, std::uint64_t slot) const;
  void leave_out(std::uint64_t frames);
  void thin_out();
  std::uint64_t frames_of(std::uint32_t index) const;
  std::uint32_t store_unfolded(std::uint64_t* words) const;

  std::uint32_t size_ = 0;
  std::uint32_t first_place_ = 0;  // slots ascend from this entry on
  std::uint32_t plain_from_ = 0;   // from here on nothing was folded yet
  std::uint32_t open_run_ = 0;     // the last mark, while frames go on with its group; 0: none
  std::uint32_t tail_ = 0;         // how many of the group's frames stand behind it
  std::uint32_t whole_ = 0;
  std::uint64_t frames_ = 0;
  WalkedEntry entries_[capacity];
};

}  // namespace gprof_runtime
