// Prints how many functions an executable has, by way of the installed library.
#include <cstdio>

#include "engine/object/image.h"
#include "engine/object/symbol_table.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto image = gprof::Image::open(argv[1]);
  if (!image) return std::puts(describe(image.error()).c_str()), 1;
  auto symbols = gprof::SymbolTable::build(*image, nullptr, gprof::SymbolPolicy::full);
  if (!symbols) return std::puts(describe(symbols.error()).c_str()), 1;
  std::printf("%zu functions\n", symbols->size());
}
