/* Environments that nobody can read: the kernel refuses them, and the program goes on. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char** environ;

static void try(const char* what, char** environment) {
  char* words[] = {"true", NULL};
  const int result = execve("/bin/true", words, environment);
  printf("%s: execve %d, %s\n", what, result, strerror(errno));
  printf("%s: posix_spawn %s\n", what, strerror(posix_spawn(NULL, "/bin/true", NULL, NULL, words, environment)));
}

int main(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* const memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  /* Kept mapped, so that nothing else, such as the collector's memory, takes its place. */
  mprotect(memory + page, page, PROT_NONE);
  char* const end = memory + page;
  try("no array", (char**)8);
  char* no_text[] = {(char*)8, NULL};
  try("no text", no_text);
  char** endless = (char**)end - 1;
  *endless = "A=b";
  try("an array without end", endless);
  char* begun = end - 4;
  memcpy(begun, "LD_P", 4);
  char* cut_text[] = {begun, NULL};
  try("a name without end", cut_text);
  begun = end - 20;
  memcpy(begun, "LD_PRELOAD=/library", 19);
  begun[19] = 'x';
  cut_text[0] = begun;
  try("a text without end", cut_text);
  char* words[] = {"true", NULL};
  const int result = execve((char*)8, words, environ);
  printf("no path: %d, %s\n", result, strerror(errno));
  return 0;
}
