/* The library that object_calls.c imports from. */
int imported_one(int a) { return a; }
int imported_two(int a) { return a + 1; }
void mcount(void) {}
void _mcount(void) {}
