// For reports by line: several statements on one line, calls from several lines, code from a
// header (in lines.h), a long function, blank lines and lines without code.
#include "lines.h"

int table[64];

int step(int n) { int a = n + 1; int b = a * 2; return a > 3 ? b : a; }

int several(int n)
{
  int sum = 0;

  sum += step(n);
  sum += step(n + 1); sum += step(n + 2);
  if (n > 5)
    sum += step(sum);
  else
    sum -= from_header(sum);

  for (int i = 0; i < 4; ++i)
    sum += table[(sum + i) & 63];

  switch (n & 3) {
    case 0:
      return sum + step(1);
    case 1:
      sum *= 2;
      break;
    default:
      sum = from_header(n);
  }
  return sum;
}

int main(void) {
  int total = 0;
  for (int i = 0; i < 100; ++i) {
    total += several(i);
    table[i & 63] = total;
  }
  return total == 9;
}
