// short_threads COUNT: threads that begin and end, one after the other.
#include <pthread.h>
#include <stdlib.h>

static void* nothing(void* unused) { return unused; }

int main(int count, char** words) {
  for (int left = count > 1 ? atoi(words[1]) : 20000; left > 0; --left) {
    pthread_t id;
    if (pthread_create(&id, NULL, nothing, NULL) == 0) pthread_join(id, NULL);
  }
  return 0;
}
