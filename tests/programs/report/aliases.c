// Several names at one address: aliases, weak and strong, with and without underscores, static.
int twice(int n) { return n + n; }
int also_twice(int n) __attribute__((alias("twice")));
int _twice(int n) __attribute__((alias("twice")));
int weak_twice(int n) __attribute__((weak, alias("twice")));

int _hidden_name(int n) { return n * 3; }
int __hidden_name(int n) __attribute__((alias("_hidden_name")));

static int quiet(int n) { return n - 1; }
int loud(int n) __attribute__((alias("quiet")));
static int _loud(int n) __attribute__((alias("quiet"), used));

int __attribute__((weak)) replaceable(int n) { return n ^ 5; }
int __attribute__((weak)) data_like = 4;
int not_there(int n) __attribute__((weak));

int main(void) {
  int sum = 0;
  for (int i = 0; i < 200; ++i) {
    sum += also_twice(i) + weak_twice(i) + _twice(i);
    sum += __hidden_name(i) + loud(i) + _loud(i) + quiet(i) + replaceable(i) + data_like;
    if (not_there) sum += not_there(i);
  }
  return sum == 3;
}
