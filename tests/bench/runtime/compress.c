/* LZ77-style compression of a text, with hash chains. compress ROUNDS: prints a checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { text_size = 1 << 18, hash_size = 1 << 13, longest_match = 258, most_candidates = 24 };

static const char* const words[] = {"the ",   "profile ", "of ",   "a ",     "program ",
                                    "tells ", "where ",   "time ", "goes ",  "and ",
                                    "which ", "calls ",   "led ",  "there. "};
static unsigned char text[text_size + longest_match];
static int newest[hash_size];
static int older[text_size];
static uint32_t state = 12345;

static uint32_t random_number(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

static void make_text(void) {
  int size = 0;
  while (size < text_size) {
    const char* word = words[random_number() % (sizeof words / sizeof *words)];
    for (; *word != '\0' && size < text_size; word++) {
      const uint32_t letter =
          random_number() % 32 == 0 ? 'a' + random_number() % 26 : (uint32_t)*word;
      text[size++] = (unsigned char)letter;
    }
  }
}

static unsigned hash_at(int place) {
  const uint32_t bytes =
      (uint32_t)text[place] | (uint32_t)text[place + 1] << 8 | (uint32_t)text[place + 2] << 16;
  return (bytes * 2654435761u) >> 19;
}

static int match_length(int left, int right) {
  int length = 0;
  while (length < longest_match && right + length < text_size &&
         text[left + length] == text[right + length]) {
    length++;
  }
  return length;
}

static void remember(int place) {
  const unsigned hash = hash_at(place);
  older[place] = newest[hash];
  newest[hash] = place;
}

static int find_match(int place, int* distance) {
  int longest = 0;
  int candidate = newest[hash_at(place)];
  for (int tried = 0; candidate >= 0 && tried < most_candidates; tried++) {
    const int length = match_length(candidate, place);
    if (length > longest) {
      longest = length;
      *distance = place - candidate;
    }
    candidate = older[candidate];
  }
  return longest;
}

static uint64_t emit(uint64_t sum, int length, int value) {
  return (sum ^ (uint64_t)(length << 16) ^ (uint64_t)value) * 1099511628211u;
}

static uint64_t compress(void) {
  uint64_t sum = 14695981039346656037u;
  for (int i = 0; i < hash_size; i++) newest[i] = -1;
  for (int place = 0; place < text_size;) {
    int distance = 0;
    const int length = find_match(place, &distance);
    if (length < 4) {
      sum = emit(sum, 0, text[place]);
      remember(place++);
      continue;
    }
    sum = emit(sum, length, distance);
    for (int i = 0; i < length; i++) remember(place++);
  }
  return sum;
}

int main(int argument_count, char** arguments) {
  uint64_t sum = 0;
  if (argument_count < 2) return 2;
  make_text();
  for (int round = atoi(arguments[1]); round > 0; round--) sum = sum * 31 + compress();
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
