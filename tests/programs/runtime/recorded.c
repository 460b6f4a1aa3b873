// What `gprof-lsp record` is tried on: the first word says what to do.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile long sum;
static volatile sig_atomic_t received[65], value;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) leaf(); }
static void receive(int number, siginfo_t *info, void *context) {
  (void)context;
  received[number]++;
  value = info->si_value.sival_int;
  if (write(1, "received\n", 9) != 9) abort();
}
static void say(const char *text) { puts(text); fflush(stdout); }
int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  work(1000);
  if (!strcmp(what, "exit")) return atoi(words[2]);
  if (!strcmp(what, "calls")) work(atol(words[2]));
  if (!strcmp(what, "kill")) kill(getpid(), atoi(words[2]));
  if (!strcmp(what, "directory")) { if (chdir("/") != 0) return 1; }
  if (!strcmp(what, "echo")) for (int c; (c = getchar()) != EOF;) putchar(c);
  if (!strcmp(what, "print")) for (int i = 2; i < count; i++) say(words[i]);
  if (!strcmp(what, "exec")) execl(words[2], words[2], "exit", "8", (char *)NULL);
  if (!strcmp(what, "fork")) {
    for (int i = 1; i <= 3; i++) if (fork() == 0) { work(10 * i); exit(0); }
    while (wait(NULL) > 0) ;
  }
  if (!strcmp(what, "child-killed")) {
    if (fork() == 0) { work(77); raise(SIGKILL); }
    wait(NULL);
  }
  if (!strcmp(what, "leave-child")) {
    int begun[2];
    char byte;
    if (pipe(begun) != 0) return 1;
    if (fork() == 0) {
      work(77);
      printf("%d\n", getpid());
      say("ready");
      close(1);
      close(begun[1]);
      while (read(0, &byte, 1) > 0) ;
      return 0;
    }
    close(begun[1]);
    while (read(begun[0], &byte, 1) > 0) ;
  }
  if (!strcmp(what, "signals")) {
    struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO};
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (int i = 2; i < count; i++) sigaction(atoi(words[i]), &action, NULL);
    printf("%d\n", getpid());
    say("ready");
    while (!received[atoi(words[2])]) sigsuspend(&before);
    work(5);
    for (int i = 2; i < count; i++) printf("%s %d\n", words[i], (int)received[atoi(words[i])]);
    printf("value %d\n", (int)value);
    return 3;
  }
  return 0;
}
