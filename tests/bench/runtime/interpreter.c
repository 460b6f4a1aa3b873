/* A bytecode interpreter like Lua's: registers, call frames, interned strings, tables with an array
 * and a hash part, and a script that computes Fibonacci numbers recursively and works on strings
 * and tables. interpreter FIBONACCI ITERATIONS: prints the script's result.
 *
 * As in Lua, simple instructions are cases of one loop, and complex ones are functions. With
 * FUNCTION_AN_OPCODE each instruction is a function that the loop calls through a table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that a larger interpreter has in other files, so that they are not inlined. */
#define MODULE __attribute__((noinline))

typedef enum { nil_kind, number_kind, string_kind, table_kind, function_kind } Kind;

typedef struct String {
  struct String* next;
  uint32_t hash;
  uint32_t size;
  char text[];
} String;

typedef struct Function Function;
typedef struct Table Table;

typedef struct {
  Kind kind;
  union {
    int64_t number;
    const String* string;
    Table* table;
    const Function* function;
  } as;
} Value;

typedef struct Node {
  Value key;
  Value value;
  struct Node* next;
} Node;

struct Table {
  Value* array;
  uint32_t array_size;
  uint32_t array_used;
  Node** buckets;
  uint32_t bucket_count;
  uint32_t node_count;
};

typedef uint32_t Instruction;

struct Function {
  const Instruction* code;
  const Value* constants;
  int registers;
};

typedef struct {
  const Function* function;
  const Instruction* next;
  Value* base;
} Frame;

enum { stack_size = 1 << 16, frame_limit = 1 << 12, string_buckets = 1 << 12 };

typedef struct {
  Frame* frame;
  Value* base;
  const Value* constants;
  Table* globals;
  String* strings[string_buckets];
  Frame frames[frame_limit];
  Value stack[stack_size];
} Machine;

static MODULE void fail(const char* message) {
  fprintf(stderr, "interpreter: %s\n", message);
  exit(1);
}

static MODULE void* allocate(size_t size) {
  void* memory = calloc(1, size);
  if (memory == NULL) fail("no memory");
  return memory;
}

/* Strings */

static MODULE uint32_t hash_text(const char* text, uint32_t size) {
  uint32_t hash = size ^ 0x9e3779b9u;
  for (uint32_t i = 0; i < size; i++) hash ^= (hash << 5) + (hash >> 2) + (unsigned char)text[i];
  return hash;
}

static MODULE const String* intern(Machine* machine, const char* text, uint32_t size) {
  const uint32_t hash = hash_text(text, size);
  String** bucket = &machine->strings[hash % string_buckets];
  for (String* string = *bucket; string != NULL; string = string->next) {
    if (string->hash == hash && string->size == size && memcmp(string->text, text, size) == 0) {
      return string;
    }
  }
  String* made = allocate(sizeof *made + size + 1);
  made->hash = hash;
  made->size = size;
  memcpy(made->text, text, size);
  made->next = *bucket;
  *bucket = made;
  return made;
}

static MODULE uint32_t number_to_text(int64_t number, char* text) {
  char digits[24];
  uint32_t count = 0;
  uint32_t size = 0;
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) text[size++] = '-';
  while (count > 0) text[size++] = digits[--count];
  return size;
}

static MODULE uint32_t value_to_text(const Value* value, char* text, uint32_t room) {
  if (value->kind == number_kind) return number_to_text(value->as.number, text);
  if (value->kind != string_kind || value->as.string->size > room) fail("not a short text");
  memcpy(text, value->as.string->text, value->as.string->size);
  return value->as.string->size;
}

static MODULE void concatenate(Machine* machine, Value* to, const Value* left, const Value* right) {
  char text[256];
  uint32_t size = value_to_text(left, text, 128);
  size += value_to_text(right, text + size, 128);
  to->as.string = intern(machine, text, size);
  to->kind = string_kind;
}

/* Tables */

static const Value nil = {nil_kind, {0}};

static MODULE Table* make_table(void) { return allocate(sizeof(Table)); }

static MODULE const Value* get_string(const Table* table, const String* key) {
  if (table->bucket_count == 0) return &nil;
  const Node* node = table->buckets[key->hash & (table->bucket_count - 1)];
  for (; node != NULL; node = node->next) {
    if (node->key.as.string == key) return &node->value;
  }
  return &nil;
}

static MODULE const Value* get_number(const Table* table, int64_t key) {
  if ((uint64_t)key < table->array_used) return &table->array[key];
  return &nil;
}

static MODULE const Value* get(const Value* table, const Value* key) {
  if (table->kind != table_kind) fail("not a table");
  if (key->kind == string_kind) return get_string(table->as.table, key->as.string);
  if (key->kind == number_kind) return get_number(table->as.table, key->as.number);
  return &nil;
}

static MODULE void grow_buckets(Table* table) {
  const uint32_t count = table->bucket_count == 0 ? 8 : table->bucket_count * 2;
  Node** buckets = allocate(count * sizeof *buckets);
  for (uint32_t i = 0; i < table->bucket_count; i++) {
    for (Node* node = table->buckets[i]; node != NULL;) {
      Node* next = node->next;
      Node** bucket = &buckets[node->key.as.string->hash & (count - 1)];
      node->next = *bucket;
      *bucket = node;
      node = next;
    }
  }
  free(table->buckets);
  table->buckets = buckets;
  table->bucket_count = count;
}

static MODULE Value* new_key(Table* table, const Value* key) {
  if (table->node_count >= table->bucket_count) grow_buckets(table);
  Node* node = allocate(sizeof *node);
  Node** bucket = &table->buckets[key->as.string->hash & (table->bucket_count - 1)];
  node->key = *key;
  node->next = *bucket;
  *bucket = node;
  table->node_count++;
  return &node->value;
}

static MODULE void append(Table* table, const Value* value) {
  if (table->array_used == table->array_size) {
    table->array_size = table->array_size == 0 ? 8 : table->array_size * 2;
    table->array = realloc(table->array, table->array_size * sizeof *table->array);
    if (table->array == NULL) fail("no memory");
  }
  table->array[table->array_used++] = *value;
}

static MODULE void set(const Value* table, const Value* key, const Value* value) {
  if (table->kind != table_kind) fail("not a table");
  if (key->kind == number_kind && key->as.number == table->as.table->array_used) {
    append(table->as.table, value);
    return;
  }
  const Value* place = get(table, key);
  if (place == &nil) {
    if (key->kind != string_kind) fail("no place for the key");
    place = new_key(table->as.table, key);
  }
  *(Value*)place = *value;
}

/* Calls */

static MODULE const Instruction* begin_call(Machine* machine, const Instruction* next,
                                            Value* called) {
  if (called->kind != function_kind) fail("not a function");
  if (machine->frame + 1 == machine->frames + frame_limit) fail("too many calls");
  const Function* function = called->as.function;
  if (called + 1 + function->registers > machine->stack + stack_size) fail("stack overflow");
  machine->frame->next = next;
  machine->frame++;
  machine->frame->function = function;
  machine->frame->base = called + 1;
  machine->base = called + 1;
  machine->constants = function->constants;
  return function->code;
}

static MODULE const Instruction* end_call(Machine* machine, const Value* result) {
  machine->base[-1] = *result;
  machine->frame--;
  machine->base = machine->frame->base;
  machine->constants = machine->frame->function->constants;
  return machine->frame->next;
}

static MODULE int64_t slow_number(const Value* value) {
  if (value->kind != string_kind) fail("not a number");
  return strtoll(value->as.string->text, NULL, 10);
}

/* Macros in Lua. */
static inline __attribute__((always_inline)) int64_t number_of(const Value* value) {
  return __builtin_expect(value->kind == number_kind, 1) ? value->as.number : slow_number(value);
}

/* Instructions: an opcode and the registers or constants a, b, c; or a and the distance of a jump.
 */

typedef enum {
  move_op,
  constant_op,
  global_op,
  add_op,
  subtract_constant_op,
  multiply_constant_op,
  modulo_constant_op,
  less_op,
  less_than_constant_op,
  jump_op,
  default_op,
  table_op,
  get_op,
  set_op,
  concatenate_op,
  call_op,
  return_op,
  opcode_count
} Opcode;

#define ABC(opcode, a, b, c) \
  ((Instruction)(opcode) | (Instruction)(a) << 8 | (Instruction)(b) << 16 | (Instruction)(c) << 24)
#define JUMP(distance) ((Instruction)jump_op | (Instruction)(uint16_t)(distance) << 16)

#define R(number) (&machine->base[number])
#define K(number) (&machine->constants[number])
#define A (word >> 8 & 255)
#define B (word >> 16 & 255)
#define C (word >> 24)

#ifdef FUNCTION_AN_OPCODE
#define OPCODE(name) \
  static const Instruction* name(Machine* machine, const Instruction* next, Instruction word)
#else
#define OPCODE(name)                                                    \
  static inline __attribute__((always_inline)) const Instruction* name( \
      Machine* machine, const Instruction* next, Instruction word)
#endif

static inline __attribute__((always_inline)) void put_number(Value* to, int64_t number) {
  to->kind = number_kind;
  to->as.number = number;
}

OPCODE(move_value) {
  *R(A) = *R(B);
  return next;
}
OPCODE(load_constant) {
  *R(A) = *K(B);
  return next;
}
OPCODE(load_global) {
  *R(A) = *get_string(machine->globals, K(B)->as.string);
  return next;
}
OPCODE(add) {
  put_number(R(A), number_of(R(B)) + number_of(R(C)));
  return next;
}
OPCODE(subtract_constant) {
  put_number(R(A), number_of(R(B)) - K(C)->as.number);
  return next;
}
OPCODE(multiply_constant) {
  put_number(R(A), number_of(R(B)) * K(C)->as.number);
  return next;
}
OPCODE(modulo_constant) {
  put_number(R(A), number_of(R(B)) % K(C)->as.number);
  return next;
}
/* The next instruction is executed if the comparison is true. */
OPCODE(less) {
  (void)A;
  return number_of(R(B)) < number_of(R(C)) ? next : next + 1;
}
OPCODE(less_than_constant) { return number_of(R(B)) < K(C)->as.number ? next : next + 1; }
OPCODE(jump) {
  (void)machine;
  return next + (int16_t)(word >> 16);
}
OPCODE(take_default) {
  if (R(A)->kind == nil_kind) *R(A) = *K(B);
  return next;
}
OPCODE(new_table) {
  R(A)->as.table = make_table();
  R(A)->kind = table_kind;
  return next;
}
OPCODE(get_entry) {
  *R(A) = *get(R(B), R(C));
  return next;
}
OPCODE(set_entry) {
  set(R(A), R(B), R(C));
  return next;
}
OPCODE(join_texts) {
  concatenate(machine, R(A), R(B), R(C));
  return next;
}
OPCODE(call) { return begin_call(machine, next, R(A)); }
OPCODE(end_function) {
  (void)next;
  return end_call(machine, R(A));
}

#ifdef FUNCTION_AN_OPCODE

static const Instruction* (*const opcodes[opcode_count])(Machine*, const Instruction*,
                                                         Instruction) = {
    move_value,      load_constant, load_global,        add,  subtract_constant, multiply_constant,
    modulo_constant, less,          less_than_constant, jump, take_default,      new_table,
    get_entry,       set_entry,     join_texts,         call, end_function};

static MODULE void execute(Machine* machine, const Instruction* next) {
  while (next != NULL) {
    const Instruction word = *next++;
    next = opcodes[word & 255](machine, next, word);
  }
}

#else

#define CASE(opcode, name)            \
  case opcode:                        \
    next = name(machine, next, word); \
    break;

static MODULE void execute(Machine* machine, const Instruction* next) {
  while (next != NULL) {
    const Instruction word = *next++;
    switch ((Opcode)(word & 255)) {
      CASE(move_op, move_value)
      CASE(constant_op, load_constant)
      CASE(global_op, load_global)
      CASE(add_op, add)
      CASE(subtract_constant_op, subtract_constant)
      CASE(multiply_constant_op, multiply_constant)
      CASE(modulo_constant_op, modulo_constant)
      CASE(less_op, less)
      CASE(less_than_constant_op, less_than_constant)
      CASE(jump_op, jump)
      CASE(default_op, take_default)
      CASE(table_op, new_table)
      CASE(get_op, get_entry)
      CASE(set_op, set_entry)
      CASE(concatenate_op, join_texts)
      CASE(call_op, call)
      CASE(return_op, end_function)
      case opcode_count:
        return;
    }
  }
}

#endif

/* fib(r0) */
static const Instruction fibonacci_code[] = {
    ABC(less_than_constant_op, 0, 0, 0), /* 2 */
    ABC(return_op, 0, 0, 0),
    ABC(global_op, 1, 2, 0),
    ABC(subtract_constant_op, 2, 0, 1), /* 1 */
    ABC(call_op, 1, 0, 0),
    ABC(global_op, 2, 2, 0),
    ABC(subtract_constant_op, 3, 0, 0), /* 2 */
    ABC(call_op, 2, 0, 0),
    ABC(add_op, 1, 1, 2),
    ABC(return_op, 1, 0, 0),
};

enum { k_zero, k_one, k_words, k_key, k_seven, k_thousand, k_name, k_argument, constant_count };
enum { r_iterations, r_words, r_numbers, r_i, r_one, r_sum, r_a, r_b, r_c, main_registers };

/* words, numbers, sum = {}, {0 .. 999}, 0
 * for i = 0 to iterations - 1:
 *   key = "key" .. i % 500;  words[key] = (words[key] or 0) + i
 *   n = numbers[i * 7 % 1000] + i;  numbers[i % 1000] = n;  sum = (sum + n + words[key]) % 1000^3
 * return sum + fib(argument) */
static const Instruction main_code[] = {
    ABC(table_op, r_words, 0, 0),
    ABC(table_op, r_numbers, 0, 0),
    ABC(constant_op, r_one, k_one, 0),
    ABC(constant_op, r_sum, k_zero, 0),
    ABC(constant_op, r_i, k_zero, 0),
    ABC(less_than_constant_op, 0, r_i, k_thousand),
    JUMP(1),
    JUMP(3),
    ABC(set_op, r_numbers, r_i, r_i),
    ABC(add_op, r_i, r_i, r_one),
    JUMP(-6),
    ABC(constant_op, r_i, k_zero, 0),
    ABC(less_op, 0, r_i, r_iterations),
    JUMP(1),
    JUMP(19),
    ABC(modulo_constant_op, r_a, r_i, k_words),
    ABC(constant_op, r_b, k_key, 0),
    ABC(concatenate_op, r_a, r_b, r_a),
    ABC(get_op, r_b, r_words, r_a),
    ABC(default_op, r_b, k_zero, 0),
    ABC(add_op, r_b, r_b, r_i),
    ABC(set_op, r_words, r_a, r_b),
    ABC(add_op, r_sum, r_sum, r_b),
    ABC(multiply_constant_op, r_a, r_i, k_seven),
    ABC(modulo_constant_op, r_a, r_a, k_thousand),
    ABC(get_op, r_b, r_numbers, r_a),
    ABC(add_op, r_b, r_b, r_i),
    ABC(modulo_constant_op, r_a, r_i, k_thousand),
    ABC(set_op, r_numbers, r_a, r_b),
    ABC(add_op, r_sum, r_sum, r_b),
    ABC(modulo_constant_op, r_sum, r_sum, k_argument + 1),
    ABC(move_op, r_c, r_i, 0),
    ABC(add_op, r_i, r_c, r_one),
    JUMP(-22),
    ABC(global_op, r_a, k_name, 0),
    ABC(constant_op, r_b, k_argument, 0),
    ABC(call_op, r_a, 0, 0),
    ABC(add_op, r_sum, r_sum, r_a),
    ABC(return_op, r_sum, 0, 0),
};

static Value number_value(int64_t number) {
  Value value = {number_kind, {number}};
  return value;
}

static Value string_value(Machine* machine, const char* text) {
  Value value = nil;
  value.kind = string_kind;
  value.as.string = intern(machine, text, (uint32_t)strlen(text));
  return value;
}

static Value function_value(const Function* function) {
  Value value = nil;
  value.kind = function_kind;
  value.as.function = function;
  return value;
}

int main(int argument_count, char** arguments) {
  if (argument_count < 3) return 2;
  Machine* machine = allocate(sizeof *machine);
  const Value name = string_value(machine, "fib");
  const Value fibonacci_constants[] = {number_value(2), number_value(1), name};
  const Value main_constants[constant_count + 1] = {number_value(0),
                                                    number_value(1),
                                                    number_value(500),
                                                    string_value(machine, "key"),
                                                    number_value(7),
                                                    number_value(1000),
                                                    name,
                                                    number_value(atoi(arguments[1])),
                                                    number_value(1000000000)};
  const Function fibonacci = {fibonacci_code, fibonacci_constants, 4};
  const Function script = {main_code, main_constants, main_registers};
  machine->globals = make_table();
  Value globals = nil;
  globals.kind = table_kind;
  globals.as.table = machine->globals;
  const Value fibonacci_value = function_value(&fibonacci);
  set(&globals, &name, &fibonacci_value);

  machine->frame = machine->frames;
  machine->frame->function = &script;
  machine->stack[0] = function_value(&script);
  machine->stack[1] = number_value(atol(arguments[2]));
  execute(machine, begin_call(machine, NULL, &machine->stack[0]));
  printf("%lld\n", (long long)machine->stack[0].as.number);
  return 0;
}
