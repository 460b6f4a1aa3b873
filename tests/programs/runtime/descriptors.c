/* Prints the descriptors that it has and how many it can open, burning some time so that it is sampled.
   With an argument, it first lowers its limit to that; only then are the names of open ones left out. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long total;

static void burn(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 20;
  while (clock() < end) {
    for (int i = 0; i < 100000; ++i) total += i;
  }
}

static void list(void) {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == NULL) return;
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) printf("%s ", entry->d_name);
  printf("\n");
  closedir(directory);
}

int main(int count, char** words) {
  burn();
  if (count > 1) {
    const rlim_t size = (rlim_t)atoi(words[1]);
    const struct rlimit limit = {size, size};
    setrlimit(RLIMIT_NOFILE, &limit);
  } else {
    list();
  }
  int descriptors[2048];
  int opened = 0;
  while (opened < 2048 && (descriptors[opened] = open("/dev/null", O_RDONLY)) >= 0) ++opened;
  printf("opened %d, the last is %d\n", opened, opened == 0 ? -1 : descriptors[opened - 1]);
  burn();
  while (opened > 0) close(descriptors[--opened]);
  burn();
  return 0;
}
