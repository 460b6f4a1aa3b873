/* Streams that threads share, and descriptors. */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "random_program.h"

enum { most_streams = 3, lines_in_stream = 5000 };

/* What is in a stream is a function of which lines were written, in any order, and how many were
 * read. */
static FILE* written[most_streams];
static FILE* read_stream;
static int stream_count;
static long lines_written[most_streams];
static uint64_t sum_written[most_streams];
static long lines_read;
static uint64_t sum_read;

static uint64_t hash_of(const char* text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0' && *text != '\n'; ++text)
    hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

static void line_of(char* text, uint64_t number) {
  sprintf(text, "%0*llu\n", (int)(1 + number % 120), (unsigned long long)number);
}

void prepare_streams(struct worker* worker) {
  static const int manners[] = {_IOFBF, _IOLBF, _IONBF};
  stream_count = 1 + (int)random_below(worker, most_streams);
  for (int i = 0; i < stream_count; ++i) {
    CHECK((written[i] = tmpfile()) != NULL);
    setvbuf(written[i], NULL, manners[random_below(worker, 3)], 64 << random_below(worker, 8));
  }
  CHECK((read_stream = tmpfile()) != NULL);
  char line[200];
  for (uint64_t i = 0; i < lines_in_stream; ++i) {
    line_of(line, i);
    fputs(line, read_stream);
  }
  rewind(read_stream);
  setvbuf(read_stream, NULL, _IOFBF, 32 << random_below(worker, 9));
}

uint64_t check_streams(void) {
  char* line = NULL;
  size_t room = 0;
  for (int i = 0; i < stream_count; ++i) {
    rewind(written[i]);
    long count = 0;
    uint64_t sum = 0;
    while (getline(&line, &room, written[i]) > 0) {
      ++count;
      sum += hash_of(line);
    }
    CHECK(count == lines_written[i] && sum == sum_written[i]);
  }
  free(line);
  uint64_t sum = 0;
  char text[200];
  for (long i = 0; i < lines_read; ++i) {
    line_of(text, (uint64_t)i);
    sum += hash_of(text);
  }
  CHECK(sum == sum_read);
  return sum;
}

uint64_t write_stream_action(struct worker* worker) {
  const uint64_t first = random_below(worker, 100000);
  const int times = 1 + (int)random_below(worker, 30);
  for (int i = 0; i < times; ++i) {
    const int at = (int)random_below(worker, stream_count);
    char line[200];
    line_of(line, first + (uint64_t)i);
    const size_t length = strlen(line);
    switch (i % 4) {
      case 0:
        CHECK(fprintf(written[at], "%s", line) == (int)length);
        break;
      case 1:
        CHECK(fwrite(line, 1, length, written[at]) == length);
        break;
      case 2:
        CHECK(fputs(line, written[at]) >= 0);
        break;
      default:
        flockfile(written[at]);
        for (size_t k = 0; k < length; ++k) CHECK(putc_unlocked(line[k], written[at]) == line[k]);
        funlockfile(written[at]);
    }
    if (i % 8 == 5) CHECK(fflush(written[at]) == 0);
    __atomic_fetch_add(&lines_written[at], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum_written[at], hash_of(line), __ATOMIC_RELAXED);
  }
  return first;
}

static char* read_line(int how, char* text, size_t size) {
  if (how == 0) return fgets(text, (int)size, read_stream);
  if (how == 1) {
    char* line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, read_stream);
    if (length > 0) memcpy(text, line, (size_t)length + 1);
    free(line);
    return length > 0 ? text : NULL;
  }
  flockfile(read_stream);
  size_t length = 0;
  for (int c; length < size - 1 && (c = getc_unlocked(read_stream)) != EOF;) {
    text[length++] = (char)c;
    if (c == '\n') break;
    if (length % 5 == 0) {
      ungetc(c, read_stream);
      --length;
      CHECK(getc(read_stream) == c);
      text[length++] = (char)c;
    }
  }
  funlockfile(read_stream);
  text[length] = '\0';
  return length > 0 ? text : NULL;
}

uint64_t read_stream_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 12);
  for (int i = 0; i < times; ++i) {
    char text[200];
    CHECK(read_line((int)random_below(worker, 3), text, sizeof text) != NULL);
    __atomic_fetch_add(&lines_read, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum_read, hash_of(text), __ATOMIC_RELAXED);
  }
  return (uint64_t)times;
}

uint64_t pipe_action(struct worker* worker) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const int size = 1 + (int)random_below(worker, 4000);
  char bytes[4000], back[4000];
  for (int i = 0; i < size; ++i) bytes[i] = (char)random_below(worker, 256);
  struct iovec parts[2] = {{bytes, (size_t)size / 2},
                           {bytes + size / 2, (size_t)(size - size / 2)}};
  CHECK(RETRY(writev(ends[1], parts, 2)) == size);
  CHECK(close(ends[1]) == 0);
  int got = 0;
  for (long n;
       (n = RETRY(read(ends[0], back + got, (size_t)(size - got) + (size_t)(got == size)))) > 0;) {
    got += (int)n;
    if (got == size) break;
  }
  CHECK(got == size && memcmp(bytes, back, (size_t)size) == 0);
  CHECK(RETRY(read(ends[0], back, 1)) == 0);
  CHECK(close(ends[0]) == 0);
  errno = 0;
  CHECK(read(-1, back, 1) == -1 && errno == EBADF);
  return (uint64_t)size;
}

uint64_t memory_stream_action(struct worker* worker) {
  char* text = NULL;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  CHECK(stream != NULL);
  const int times = (int)random_below(worker, 50);
  for (int i = 0; i < times; ++i) fprintf(stream, "%d,", i);
  CHECK(fclose(stream) == 0);
  const uint64_t hash = hash_of(text);
  char bytes[8];
  stream = fmemopen(text, size + 1, "r");
  CHECK(stream != NULL);
  size_t total = 0;
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, stream)) > 0;) total += n;
  CHECK(total == size + 1 && feof(stream));
  CHECK(fread(bytes, 0, 5, stream) == 0 && fgets(bytes, 1, stream) != bytes + 1);
  fclose(stream);
  free(text);
  return hash;
}

uint64_t descriptors_action(struct worker* worker) {
  const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CHECK(event >= 0);
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  CHECK(poller >= 0);
  struct epoll_event wanted = {EPOLLIN, {.u64 = 5}}, got[2];
  CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, event, &wanted) == 0);
  CHECK(RETRY(epoll_wait(poller, got, 2, 0)) == 0);
  const uint64_t value = 1 + random_below(worker, 1000);
  uint64_t read_value = 0;
  CHECK(read(event, &read_value, sizeof read_value) == -1 && errno == EAGAIN);
  CHECK(write(event, &value, sizeof value) == sizeof value);
  struct pollfd polled = {event, POLLIN, 0};
  CHECK(RETRY(poll(&polled, 1, 1000000)) == 1 && polled.revents == POLLIN);
  CHECK(RETRY(epoll_wait(poller, got, 2, -1)) == 1 && got[0].data.u64 == 5);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(event, &set);
  struct timeval limit = {1000, 0};
  CHECK(RETRY(select(event + 1, &set, NULL, NULL, &limit)) == 1);
  CHECK(read(event, &read_value, sizeof read_value) == sizeof read_value && read_value == value);
  const int copy = fcntl(event, F_DUPFD_CLOEXEC, 60);
  CHECK(copy >= 60 && close(copy) == 0);
  CHECK(close(event) == 0 && close(poller) == 0);
  return value;
}

uint64_t socket_action(struct worker* worker) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const char sent = (char)random_below(worker, 128);
  char got = 0;
  CHECK(RETRY(send(ends[0], &sent, 1, MSG_NOSIGNAL)) == 1);
  CHECK(RETRY(recv(ends[1], &got, 1, 0)) == 1 && got == sent);
  CHECK(recv(ends[1], &got, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  /* A descriptor that is sent. */
  char room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&got, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
  CHECK(RETRY(sendmsg(ends[0], &message, 0)) == 1);
  message.msg_controllen = sizeof room;
  CHECK(RETRY(recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC)) == 1);
  int received;
  memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
  CHECK(close(received) == 0 && close(ends[0]) == 0);
  CHECK(RETRY(recv(ends[1], &got, 1, 0)) == 0);
  CHECK(send(ends[1], &got, 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  CHECK(close(ends[1]) == 0);
  return (uint64_t)sent;
}

uint64_t temporary_file_action(struct worker* worker) {
  char name[] = "random-XXXXXX";
  const int file = mkostemp(name, O_CLOEXEC);
  CHECK(file >= 0);
  const off_t size = (off_t)random_below(worker, 100000);
  CHECK(ftruncate(file, size) == 0 && lseek(file, 0, SEEK_END) == size);
  CHECK(pwrite(file, "abc", 3, 5) == 3);
  char back[3];
  CHECK(pread(file, back, 3, 5) == 3 && memcmp(back, "abc", 3) == 0);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK(RETRY(fcntl(file, F_OFD_SETLKW, &lock)) == 0 && fdatasync(file) == 0);
  CHECK(close(file) == 0 && unlink(name) == 0);
  return (uint64_t)size;
}
