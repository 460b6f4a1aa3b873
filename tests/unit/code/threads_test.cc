#include <array>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/code/branch_reader.h"
#include "engine/code/machine_code.h"
#include "engine/object/symbol_table.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Every call of every function, as numbers.
std::vector<std::uint64_t> calls_of(const MachineCode& code, const SymbolTable& table) {
  std::vector<std::uint64_t> addresses;
  for (const Symbol& symbol : table.symbols()) {
    for (const CallInstruction& call : code.calls_in({symbol.address, symbol.end})) {
      addresses.push_back(call.address.value);
      addresses.push_back(call.target.value_or(Address{}).value);
    }
    addresses.push_back(code.counts_its_calls({symbol.address, symbol.end}).value_or(false) ? 1
                                                                                            : 0);
  }
  return addresses;
}

}  // namespace

TEST_CASE("threads that share a program's machine code see the same calls") {
  const auto directory = fresh_directory("code_threads");
  if (!have_programs({"gcc"})) return;
  run_or_fail({"gcc", "-O1", "-pg", program_source("counts/burn.c").string(), "-o", "program"},
              directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const auto table = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE(table);
  const auto expected = calls_of(MachineCode(*image), *table);
  CHECK_FALSE(expected.empty());

  const MachineCode shared(*image);
  std::vector<std::vector<std::uint64_t>> seen(4);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (auto& calls : seen) {
    threads.emplace_back([&shared, &table, &calls] {
      // Repeatedly, so that disassemblers pass from thread to thread.
      for (int i = 0; i < 20; ++i) calls = calls_of(shared, *table);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& calls : seen) CHECK(calls == expected);
}

// Each with its own disassembler: this tests what capstone shares between them, under the thread
// sanitizer.
TEST_CASE("threads may begin to read code at the same time") {
  CodeFormat format;
  format.architecture = Architecture::x86_64;
  // A call to one byte past its end: a call to its end would only read the program counter.
  constexpr std::array<unsigned char, 5> call = {0xe8, 0x01, 0x00, 0x00, 0x00};
  std::vector<std::byte> code;
  for (int i = 0; i < 100; ++i) {
    for (const unsigned char byte : call) code.push_back(std::byte{byte});
  }
  std::vector<std::size_t> found(4);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (std::size_t& number : found) {
    threads.emplace_back([&format, &code, &number] {
      BranchReader reader(format, code, Address{0x1000});
      while (reader.next()) ++number;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t number : found) CHECK(number == 100);
}
