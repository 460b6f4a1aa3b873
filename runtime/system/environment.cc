#include "runtime/system/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include "formats/run_notes.h"
#include "runtime/system/message.h"
#include "runtime/system/run_notes.h"

namespace gprof_runtime {
namespace {

// The largest identifier of a System V shared memory segment, an int in the kernel.
constexpr std::uint32_t max_page_number = 0x7fffffff;

// One character more than the kernel accepts, so that longer paths are rejected rather than cut.
constexpr std::size_t path_room = 4096 + 2;

// Written only by read_environment(), which runs before any dynamic initialization.
struct State {
  Settings settings;
  char output_directory[path_room];
  char name_prefix[path_room];
  char program_name[path_room];
};
constinit State state = {};
constexpr Settings& current = state.settings;

template <std::size_t Size>
const char* copy(const char* text, char (&to)[Size]) {
  return FixedText(to, Size).add(text).c_str();
}

const char* value_of(const char* name) {
  if (environ == nullptr) return nullptr;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* text = *entry;
    const char* wanted = name;
    while (*wanted != '\0' && *text == *wanted) {
      ++text;
      ++wanted;
    }
    if (*wanted == '\0' && *text == '=') return text + 1;
  }
  return nullptr;
}

// False unless the text consists only of digits and is at most `highest`.
bool parse_number(const char* text, std::uint32_t highest, std::uint32_t* number) {
  std::uint64_t value = 0;
  if (*text == '\0') return false;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return false;
    value = value * 10 + static_cast<std::uint64_t>(*text - '0');
    if (value > highest) return false;
  }
  *number = static_cast<std::uint32_t>(value);
  return true;
}

void read_number(const char* name, std::uint32_t highest, std::uint32_t* number) {
  const char* text = value_of(name);
  if (text == nullptr || *text == '\0' || parse_number(text, highest, number)) return;
  Text<256> problem;
  problem.add(name).add(" is not a number from 0 to ").add(highest).add(", ").add(*number);
  problem.add(" is taken");
  report_problem(problem.c_str(), nullptr, 0);
}

bool is_word(const char* name, const char* word) {
  const char* text = value_of(name);
  return text != nullptr && __builtin_strcmp(text, word) == 0;
}

void read_wish(const char* name, Wish* wish) {
  const char* text = value_of(name);
  std::uint32_t number = 0;
  if (text == nullptr || *text == '\0' || __builtin_strcmp(text, "auto") == 0) return;
  if (parse_number(text, 1, &number)) {
    *wish = number != 0 ? Wish::yes : Wish::no;
    return;
  }
  Text<256> problem;
  problem.add(name).add(" is not 0, 1 or auto; auto is taken");
  report_problem(problem.c_str(), nullptr, 0);
}

// How often a size is multiplied by 1024 for its unit; -1 if there is no such unit.
int shifts_of_unit(const char* text) {
  constexpr char units[] = "KMGT";
  if (*text == '\0') return 0;
  for (int i = 0; units[i] != '\0'; ++i) {
    const bool same = *text == units[i] || *text == units[i] + ('a' - 'A');
    if (same && text[1] == '\0') return i + 1;
  }
  return -1;
}

// Bytes, or a number with a unit: 512K, 64M, 2G. Not 0.
bool parse_size(const char* text, std::uint64_t* size) {
  constexpr std::uint64_t highest = std::uint64_t{1} << 50U;
  std::uint64_t value = 0;
  if (*text < '0' || *text > '9') return false;
  for (; *text >= '0' && *text <= '9'; ++text) {
    value = value * 10 + static_cast<std::uint64_t>(*text - '0');
    if (value > highest) return false;
  }
  for (int shifts = shifts_of_unit(text); shifts != 0; --shifts) {
    if (shifts < 0 || value > highest / 1024) return false;
    value *= 1024;
  }
  *size = value;
  return value != 0;
}

void read_size(const char* name, std::uint64_t* size) {
  const char* text = value_of(name);
  if (text == nullptr || *text == '\0' || parse_size(text, size)) return;
  Text<256> problem;
  problem.add(name).add(" is not a size such as 64M; the default is taken");
  report_problem(problem.c_str(), nullptr, 0);
}

void read_switch(const char* name, bool* on) {
  std::uint32_t number = 0;
  read_number(name, 1, &number);
  *on = number != 0;
}

}  // namespace

void read_environment() {
  current = Settings{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands the pointer over as a number
  if (const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN)); name != nullptr) {
    current.program_name = copy(name, state.program_name);
  }
  current.is_privileged = getauxval(AT_SECURE) != 0;
  if (current.is_privileged) return;
  // First, so that problems with the other variables are noted there.
  std::uint32_t notes = 0;
  const char* const page = value_of(gprof_formats::notes_variable);
  if (page != nullptr && parse_number(page, max_page_number, &notes)) open_run_notes(notes);
  current.automatic_rate = is_word("GPROF_RATE", "auto");
  if (!current.automatic_rate) read_number("GPROF_RATE", highest_rate, &current.rate);
  read_number("GPROF_RECORD", ~std::uint32_t{0}, &current.recorded_process);
  read_wish("GPROF_STACKS", &current.stacks);
  read_wish("GPROF_ANY", &current.any);
  read_switch("GPROF_LIVE", &current.live);
  read_size("GPROF_LIVE_LIMIT", &current.live_limit);
  read_switch("GPROF_WAIT", &current.waits);
  read_switch("GPROF_PRICE", &current.measure_price);
  read_number("GPROF_SAMPLE_PRICE", highest_sample_price, &current.sample_price);
  if (const char* directory = value_of("GPROF_OUTPUT"); directory != nullptr) {
    if (*directory == '/' || *directory == '\0') {
      current.output_directory = copy(directory, state.output_directory);
    } else {
      report_problem("GPROF_OUTPUT is no absolute path, and is ignored", directory, 0);
    }
  }
  if (const char* prefix = value_of("GMON_OUT_PREFIX"); prefix != nullptr) {
    current.name_prefix = copy(prefix, state.name_prefix);
  }
}

const Settings& settings() { return current; }

}  // namespace gprof_runtime
