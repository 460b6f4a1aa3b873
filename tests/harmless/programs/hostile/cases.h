/* A program of several hostile cases: the first word chooses one. What a case prints is the same in
   every run. */
#ifndef CASES_H
#define CASES_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hostile_case {
  const char* name;
  int (*run)(int count, char** words); /* returns the status; `words` are those behind the name */
};

#define CASES(...)                                                                         \
  int main(int count, char** words) {                                                      \
    static const struct hostile_case cases[] = {__VA_ARGS__};                              \
    for (size_t i = 0; count > 1 && i < sizeof cases / sizeof *cases; ++i) {               \
      if (strcmp(words[1], cases[i].name) == 0) return cases[i].run(count - 2, words + 2); \
    }                                                                                      \
    fprintf(stderr, "no such case\n");                                                     \
    return 96;                                                                             \
  }

/* Prints what does not hold. */
#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition))                                                               \
      printf("line %d: %s does not hold, errno %d\n", __LINE__, #condition, errno); \
  } while (0)

#endif
