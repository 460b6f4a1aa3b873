namespace outside {

static inline int step(int x) { return (x * 9) ^ (x >> 3); }  // step

int visit(int x) {     // visit
  return step(x) + 1;  // call of step
}

}  // namespace outside
