// processes HOW [PROGRAM...]: calls, then another process or image, for processes_test.py. Prints the
// numbers of the processes that it starts. `again` is what such a program runs as.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

__attribute__((noinline)) void before(void) { __asm__ volatile(""); }
__attribute__((noinline)) void after(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_child(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_image(void) { __asm__ volatile(""); }

__attribute__((noinline)) void many(void (*function)(void), int times) {
  for (int i = 0; i < times; i++) function();
}

static int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int report(const char* what, pid_t child) {
  int status = status_of(child);
  printf("%s %d\n%s-status %d\n", what, (int)child, what, status);
  return 0;
}

__attribute__((noinline)) int forks(const char* how) {
  pid_t child = fork();
  if (child == 0) {
    many(in_child, 23);
    if (strcmp(how, "fork-_exit") == 0) _exit(3);
    if (strcmp(how, "fork-twice") == 0) {
      pid_t grandchild = fork();
      if (grandchild == 0) {
        many(in_child, 5);
        exit(0);
      }
      report("grandchild", grandchild);
    }
    if (strcmp(how, "fork-nothing") == 0) _exit(0);
    exit(3);
  }
  many(after, 40);
  return report("child", child);
}

static int executes(const char* how, char** program) {
  if (strcmp(how, "execve") == 0) execve(program[0], program, environ);
  if (strcmp(how, "execv") == 0) execv(program[0], program);
  if (strcmp(how, "execvp") == 0) execvp(program[0], program);
  if (strcmp(how, "execvpe") == 0) execvpe(program[0], program, environ);
  if (strcmp(how, "execl") == 0) execl(program[0], program[0], program[1], (char*)NULL);
  if (strcmp(how, "execle") == 0) execle(program[0], program[0], program[1], (char*)NULL, environ);
  if (strcmp(how, "execlp") == 0) execlp(program[0], program[0], program[1], (char*)NULL);
  if (strcmp(how, "fexecve") == 0) fexecve(open(program[0], O_RDONLY | O_CLOEXEC), program, environ);
  return 9;
}

int main(int count, char** arguments) {
  const char* how = arguments[1];
  if (strcmp(how, "again") == 0) {
    many(in_image, 17);
    puts("image 1");
    return 5;
  }
  many(before, 11);
  if (strncmp(how, "fork", 4) == 0) return forks(how);
  if (strncmp(how, "exec", 4) == 0 || strncmp(how, "fexec", 5) == 0)
    return executes(how, arguments + 2);
  if (strcmp(how, "failed-exec") == 0) {
    char* nothing[] = {"/nowhere/program", NULL};
    int result = execve(nothing[0], nothing, environ);
    printf("result %d\nerrno %d\n", result, errno);
    many(after, 40);
    return 0;
  }
  pid_t child = -1;
  if (strcmp(how, "vfork") == 0) {
    child = vfork();
    if (child == 0) {
      in_child();  // in the parent's memory, for better or worse
      execve(arguments[2], arguments + 2, environ);
      _exit(9);
    }
  }
  if (strcmp(how, "vfork-_exit") == 0) {
    child = vfork();
    if (child == 0) _exit(3);
  }
  if (strcmp(how, "posix_spawn") == 0)
    posix_spawn(&child, arguments[2], NULL, NULL, arguments + 2, environ);
  if (strcmp(how, "system") == 0) {
    printf("result %d\n", WEXITSTATUS(system(arguments[2])));
    many(after, 40);
    return 0;
  }
  many(after, 40);
  (void)count;
  return report("child", child);
}
