// Code in a header, which a unit's line table names as another file.
static inline int from_header(int n) {
  int result = n;
  while (result > 10) result /= 3;
  return result;
}
