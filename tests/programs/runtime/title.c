// title [fork]: sets its title as servers do: copies its environment, then writes over the memory in
// which the kernel put its arguments, its environment and its name. With `fork`, a child counts on.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work(int times) {
  for (int i = 0; i < times; i++) leaf();
}

static void move_environment(void) {
  size_t count = 0;
  while (environ[count] != NULL) count++;
  char** moved = calloc(count + 1, sizeof *moved);
  for (size_t i = 0; i < count; i++) moved[i] = strdup(environ[i]);
  environ = moved;
}

static void set_title(char* begin, const char* title) {
  char* name = (char*)getauxval(AT_EXECFN);
  memset(begin, '/', (size_t)(name + strlen(name) - begin));
  // Its end by a zero byte, as setproctitle(3) has it.
  memset(begin, 0, (size_t)(name - begin));
  strcpy(begin, title);
}

static void print_command_line(void) {
  char text[64] = "";
  FILE* file = fopen("/proc/self/cmdline", "r");
  if (file == NULL || fgets(text, sizeof text, file) == NULL) exit(2);
  puts(text);
  fflush(stdout);
  fclose(file);
}

int main(int count, char** words) {
  work(600);
  const int with_child = count > 1 && strcmp(words[1], "fork") == 0;
  move_environment();
  set_title(words[0], "titled: worker");
  print_command_line();
  work(400);
  if (with_child) {
    const pid_t child = fork();
    if (child == 0) {
      work(70);
      return 0;
    }
    if (waitpid(child, NULL, 0) != child) return 3;
    printf("child %d\n", (int)child);
  }
  return 0;
}
