/* Calls of every kind: local, imported, through a pointer, in tail position, beside a switch.
   Linked without a C library, so that it builds for every architecture that the compiler knows. */
extern int imported_one(int);
extern int imported_two(int);
int (*pointer)(int);

static int __attribute__((noinline)) local(int a) { return a * 3; }
int calls_both(int a) { return local(a) + imported_one(a) + 1; }
int calls_pointer(int a) { return pointer(a + 1) + 1; }
int tail_calls(int a) { return imported_two(a + 1); }
int tail_calls_pointer(int a) { return pointer(a + 1); }
int switches(int a) {
  switch (a) {
    case 0: return imported_one(1) + 1;
    case 1: return 7;
    case 2: return imported_two(5) + 2;
    case 3: return 9 + imported_one(7);
    case 4: return 44;
    case 5: return imported_two(99) * 3;
    case 6: return imported_one(98) * 5;
  }
  return 0;
}
int __attribute__((no_instrument_function)) uncounted(int a) { return imported_one(a) + 2; }
