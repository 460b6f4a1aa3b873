// Counts calls and samples, and writes them in one of the two formats that firmware writes.
#include "board.h"

enum { most_regions = 4, most_arcs = 64, most_bins = 16384, rate = 1000 };

struct arc {
  uintptr_t from;
  uintptr_t self;
  unsigned long count;
};

static struct region code[most_regions];
static size_t code_count;
static struct arc arcs[most_arcs];
static size_t arc_count;
static uint16_t all_bins[most_bins];
static volatile int running;

void start_profile(void) {
  code_count = regions(code, most_regions);
  uint16_t *next = all_bins;
  for (size_t i = 0; i < code_count; ++i) {
    code[i].high = (code[i].high + 3) & ~(uintptr_t)3;
    code[i].bin_count = (code[i].high - code[i].low) / 4;
    code[i].bins = next;
    next += code[i].bin_count;
  }
  running = 1;
  start_timer(rate);
}

void sample(uintptr_t counter) {
  for (size_t i = 0; i < code_count; ++i) {
    if (counter >= code[i].low && counter < code[i].high) {
      ++code[i].bins[(counter - code[i].low) / 4];
    }
  }
}

void count_call(uintptr_t from, uintptr_t self) {
  if (!running) return;
  for (size_t i = 0; i < arc_count; ++i) {
    if (arcs[i].from == from && arcs[i].self == self) {
      ++arcs[i].count;
      return;
    }
  }
  if (arc_count < most_arcs) arcs[arc_count++] = (struct arc){from, self, 1};
}

#ifdef BSD_FORMAT
// 4.4BSD's header, one histogram from the lowest to the highest address, then arcs in long words:
// what newlib's collector and NuttX write.
static void write_records(int file) {
  struct {
    uintptr_t low;
    uintptr_t high;
    uint32_t size;
    uint32_t version;
    uint32_t rate;
    uint32_t spare[3];
  } header = {code[0].low, code[0].high, sizeof header + 2 * code[0].bin_count, 0x51879, rate,
              // NuttX leaves what was on the stack.
              {SPARE_WORDS}};
  write_output(file, &header, sizeof header);
  write_output(file, code[0].bins, 2 * code[0].bin_count);
  for (size_t i = 0; i < arc_count; ++i) write_output(file, &arcs[i], sizeof arcs[i]);
}
#else
// GNU's: a histogram for each region, then arcs; nothing is aligned.
static void write_records(int file) {
  static const uint8_t magic[20] = {'g', 'm', 'o', 'n', 1};
  write_output(file, magic, sizeof magic);
  for (size_t i = 0; i < code_count; ++i) {
    const uint8_t tag = 0;
    const uint32_t sizes[2] = {code[i].bin_count, rate};
    write_output(file, &tag, 1);
    write_output(file, &code[i].low, sizeof code[i].low);
    write_output(file, &code[i].high, sizeof code[i].high);
    write_output(file, sizes, sizeof sizes);
    write_output(file, "seconds\0\0\0\0\0\0\0\0s", 16);
    write_output(file, code[i].bins, 2 * code[i].bin_count);
  }
  for (size_t i = 0; i < arc_count; ++i) {
    const uint8_t tag = 1;
    const uint32_t count = arcs[i].count;
    write_output(file, &tag, 1);
    write_output(file, &arcs[i].from, sizeof arcs[i].from);
    write_output(file, &arcs[i].self, sizeof arcs[i].self);
    write_output(file, &count, sizeof count);
  }
}
#endif

void write_profile(const char *name) {
  running = 0;
  stop_timer();
  const int file = open_output(name);
  if (file < 0) end_program(1);
  write_records(file);
}

UNCOUNTED int main(void) {
  start_profile();
  const int status = run();
  write_profile("gmon.out");
  end_program(status);
}
