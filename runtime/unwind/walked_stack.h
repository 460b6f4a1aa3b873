// A call stack found by a walk: what to store of it, and what the thread's next walk can reuse.
//
// Recursion is folded. Frames that repeat as a group, at equal distances on the stack, are kept
// once with the number of their repetitions: a stack of a million frames of one function takes two
// entries. If the rest does not fit, its middle is thinned out: one frame in two, in four, … stays,
// followed by the number of frames left out. Both ends stay complete.
//
// A walk that reaches a frame of the previous walk, the same return address at the same place on
// the stack, can stop: a frame that has not returned since has the same callers. But it may have
// returned, and a call from elsewhere may have put an equal one in its place. So the return
// addresses further out are checked where they were found. Checking all of them is as good as a
// walk: the code that a frame returns to determines the size of the caller's frame, so each slot
// with unchanged contents leads to the next, and the first caller that differs shows in a slot that
// was written for it. Not all are checked, however: of long repetitions only the groups at both
// ends and some in between, others each time; of thinned-out frames none. There a replaced caller
// and the frames within it may go unnoticed until a check hits them. So may one beyond a function
// whose frame size varies (alloca).
//
// Units: addresses of this process. Ownership: plain memory of a thread's state; zero-filled is
// empty. Thread contract: one thread, from its sample handler. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/system/readable.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct WalkedEntry {
  std::uint64_t pc;             // or the mark of a repetition
  std::uint64_t slot;           // where pc was read from, 0: a register; repetition: the stride
  std::uint64_t left_out : 63;  // frames between this entry and the next
  std::uint64_t inferred : 1;   // the unwinder inferred it, or one of those
};

// A walk's progress in searching for frames of the previous walk.
struct WalkSearch {
  std::uint32_t from = 0;        // entry
  std::uint64_t not_before = 0;  // frame; failing attempts become rarer and rarer
  std::uint64_t distance = 16;   // frames to the next attempt
};

class WalkedStack {
 public:
  static constexpr std::uint32_t capacity = 1024;
  // Groups of at most this many frames are folded,
  static constexpr std::uint32_t longest_period = 16;
  // if at least two follow each other and span this many frames: a function that calls itself a few
  // times may be part of a longer group.
  static constexpr std::uint32_t shortest_run = 16;

  void clear();
  // Adds the next frame outwards. `slot` ascends except where another stack begins.
  void push(std::uint64_t pc, std::uint64_t slot, bool inferred = false);
  // Removes the last frame, unless it was folded.
  void pop();
  // What follows is on another stack or was interrupted by a signal: no entry so far can be found
  // again.
  void forget_places();

  // Whether the last pushed frame is one of `known` whose callers are still there. If so, copies
  // them. `search`: this walk's; `turn`: a different number for each walk.
  bool join(const WalkedStack& known, WalkSearch* search, ReadableMemory* memory,
            std::uint32_t turn);

  std::uint64_t frame_count() const { return frames_; }
  // Whether the stack ends with the outermost frame.
  bool whole() const { return whole_ != 0; }
  void set_whole(bool whole) { whole_ = whole ? 1 : 0; }

  // Where on the stack the frames after the first were found: the innermost, at most `room`.
  // Returns their number.
  std::uint32_t inner_places(std::uint64_t* slots, std::uint32_t room) const;

  // Writes the stack in stored form, at most `room` words (room >= 64): without marks if all frames
  // fit, otherwise both ends. Returns the number of words. `inferred_from`: the place of the first
  // inferred one, 0 if there is none.
  std::uint32_t store(std::uint64_t* words, std::uint32_t room, std::uint32_t* inferred_from) const;

 private:
  // A frame of `known`: the one at `index`, in repetition `repetition` of the group that ends
  // before `mark`, or the entry itself if `repetition` is 0.
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
    std::uint64_t left;  // for frames of repetitions
  };
  bool entry_still_there(std::uint32_t index, std::uint64_t first_repetition, Looks* looks) const;
  void take_over(const WalkedStack& known, const Position& position);
  void push_run(const WalkedStack& known, std::uint32_t mark, std::uint64_t first_repetition);
  void append(const WalkedEntry& entry);
  // The last pushed frame.
  WalkedEntry last_frame() const;
  bool repeats(std::uint32_t period, std::uint32_t frames) const;
  void fold_last();
  bool continues_run(std::uint64_t pc, std::uint64_t slot, bool inferred) const;
  void leave_out(std::uint64_t frames);
  void thin_out();
  std::uint64_t frames_of(std::uint32_t index) const;
  std::uint32_t store_unfolded(std::uint64_t* words, std::uint32_t* inferred_from) const;

  std::uint32_t size_ = 0;
  std::uint32_t first_place_ = 0;  // slots ascend from this entry on
  std::uint32_t plain_from_ = 0;   // nothing from here on has been folded yet
  std::uint32_t open_run_ = 0;     // the last mark, while frames continue its group; 0: none
  std::uint32_t tail_ = 0;         // how many of the group's frames follow it
  std::uint32_t whole_ = 0;
  std::uint64_t frames_ = 0;
  WalkedEntry entries_[capacity];
};

}  // namespace gprof_runtime
