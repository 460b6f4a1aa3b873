/* Starts a program in every way that there is: starts WAY PROGRAM. Exits with the program's status, or
   with 100 if it was not started, and with 101 if the environment of this process was changed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static char* own_environment[] = {"OWN=1", NULL, NULL, NULL};

/* With the same LD_PRELOAD, in an array of this program's own. */
static char** own(void) {
  char** last = own_environment + 1;
  for (char** entry = environ; *entry != NULL; ++entry) {
    if (strncmp(*entry, "LD_PRELOAD=", 11) == 0) *last++ = *entry;
  }
  return own_environment;
}

/* In a child. */
static int execute(const char* way, const char* path, char** words) {
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;
  if (strcmp(way, "execve") == 0) return execve(path, words, environ);
  if (strcmp(way, "execv") == 0) return execv(path, words);
  if (strcmp(way, "execvp") == 0) return execvp(name, words);
  if (strcmp(way, "execvpe") == 0) return execvpe(name, words, own());
  if (strcmp(way, "execl") == 0) return execl(path, path, (char*)NULL);
  if (strcmp(way, "execlp") == 0) return execlp(name, name, (char*)NULL);
  if (strcmp(way, "execle") == 0) return execle(path, path, (char*)NULL, own());
  if (strcmp(way, "no-environment") == 0) return execve(path, words, NULL);
  if (strcmp(way, "fexecve") == 0) return fexecve(open(path, O_RDONLY), words, environ);
  if (strcmp(way, "o_path") == 0) return fexecve(open(path, O_PATH), words, environ);
  if (strcmp(way, "execveat") == 0) {
    char directory[4096];
    snprintf(directory, sizeof directory, "%.*s", (int)(name - path), path);
    return execveat(open(directory, O_RDONLY | O_DIRECTORY), name, words, environ, 0);
  }
  return -1;
}

struct Work {
  const char* way;
  const char* path;
  char** words;
};

static int in_clone(void* argument) {
  const struct Work* work = argument;
  execute("execve", work->path, work->words);
  return 100;
}

static pid_t start(const char* way, const char* path, char** words) {
  static char stack[1 << 20] __attribute__((aligned(16)));
  const char* slash = strrchr(path, '/');
  pid_t child = -1;
  if (strcmp(way, "posix_spawn") == 0) {
    return posix_spawn(&child, path, NULL, NULL, words, environ) == 0 ? child : -1;
  }
  if (strcmp(way, "posix_spawn-own") == 0) {
    return posix_spawn(&child, path, NULL, NULL, words, own()) == 0 ? child : -1;
  }
  if (strcmp(way, "posix_spawn-none") == 0) {
    return posix_spawn(&child, path, NULL, NULL, words, NULL) == 0 ? child : -1;
  }
  if (strcmp(way, "posix_spawnp") == 0) {
    const char* name = slash == NULL ? path : slash + 1;
    return posix_spawnp(&child, name, NULL, NULL, words, environ) == 0 ? child : -1;
  }
  struct Work work = {way, path, words};
  if (strcmp(way, "clone") == 0) return clone(in_clone, stack + sizeof stack, SIGCHLD, &work);
  if (strcmp(way, "clone-vm") == 0) {
    return clone(in_clone, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &work);
  }
  if (strcmp(way, "vfork") == 0) {
    child = vfork();
    if (child == 0) {
      execve(path, words, environ);
      _exit(100);
    }
    return child;
  }
  child = fork();
  if (child == 0) {
    execute(way, path, words);
    _exit(100);
  }
  return child;
}

int main(int count, char** words) {
  if (count < 3) return 99;
  const char* way = words[1];
  const char* path = words[2];
  char* const before = getenv("LD_PRELOAD");
  char** const array = environ;
  char copy[4096] = "";
  if (before != NULL) snprintf(copy, sizeof copy, "%s", before);
  int status = -1;
  if (strcmp(way, "system") == 0) {
    status = system(path);
  } else if (strcmp(way, "popen") == 0) {
    char line[512];
    FILE* stream = popen(path, "r");
    while (fgets(line, sizeof line, stream) != NULL) fputs(line, stdout);
    status = pclose(stream);
  } else {
    char* arguments[] = {words[2], NULL};
    pid_t child = start(way, path, arguments);
    if (child < 0 || waitpid(child, &status, 0) != child) return 100;
  }
  const char* const after = getenv("LD_PRELOAD");
  if (environ != array || after != before || (after != NULL && strcmp(after, copy) != 0)) return 101;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}
