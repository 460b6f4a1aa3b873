#include "engine/code/machine_code.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/object/symbol_table.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Words = std::vector<std::string>;

// A built program with its functions.
struct Program {
  explicit Program(const std::filesystem::path& path)
      : image(*Image::open(path)),
        table(*SymbolTable::build(image, nullptr, SymbolPolicy::full)),
        code(image) {}

  [[nodiscard]] AddressRange range(std::string_view function) const {
    const auto index = table.find_by_name(function);
    INFO(function);
    REQUIRE(index);
    return {table[*index].address, table[*index].end};
  }

  // "call local", "call import imported_one", "jump ?" for every call of the function but mcount.
  [[nodiscard]] Words calls_of(std::string_view function) const {
    Words lines;
    for (const CallInstruction& call : code.calls_in(range(function))) {
      if (is_counting_function(call.import_name)) continue;
      std::string line = call.is_jump ? "jump " : "call ";
      if (!call.import_name.empty()) {
        line += "import " + call.import_name;
      } else if (call.target && table.find(*call.target)) {
        line += table[*table.find(*call.target)].name;
      } else {
        line += "?";
      }
      lines.push_back(line);
    }
    return lines;
  }

  [[nodiscard]] std::optional<bool> counts(std::string_view function) const {
    return code.counts_its_calls(range(function));
  }

  std::shared_ptr<const Image> image;
  SymbolTable table;
  MachineCode code;
};

// From the address of a call to its direct target, 0 if indirect, according to objdump.
std::map<std::uint64_t, std::uint64_t> calls_by_objdump(const std::filesystem::path& program) {
  const auto listing = run_process({"objdump", "-d", "--no-show-raw-insn", program});
  REQUIRE(listing.exit_status == 0);
  std::map<std::uint64_t, std::uint64_t> calls;
  std::istringstream lines(listing.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(":\t");
    const std::size_t call = line.find("call ");
    if (colon == std::string::npos || call == std::string::npos) continue;
    const bool direct = line.find('*', call) == std::string::npos;
    const std::uint64_t address = std::stoull(line.substr(0, colon), nullptr, 16);
    calls[address] = direct ? std::stoull(line.substr(call + 5), nullptr, 16) : 0;
  }
  return calls;
}

// object_calls.c linked with a library of its imports, for any architecture, by clang and lld.
std::filesystem::path build_cross(const std::string& name, const Words& target_options,
                                  bool position_independent) {
  const auto directory = fresh_directory("code_" + name + (position_independent ? "_pic" : ""));
  Words compile = {"clang", "-integrated-as", "-O2", "-pg", "-ffreestanding", "-c"};
  compile.insert(compile.end(), target_options.begin(), target_options.end());
  compile.push_back(position_independent ? "-fPIC" : "-fno-pic");
  for (const std::string source : {"object_calls", "object_imports"}) {
    Words command = compile;
    command.insert(command.end(), {program_source(source + ".c"), "-o", source + ".o"});
    if (source == "object_imports") std::erase(command, "-pg");
    run_or_fail(command, directory);
  }
  run_or_fail(
      {"ld.lld", "-shared", "-soname", "imports.so", "object_imports.o", "-o", "imports.so"},
      directory);
  Words link = {"ld.lld", "-e", "calls_both", "object_calls.o", "imports.so", "-o", "program"};
  if (position_independent) link.insert(link.begin() + 1, "-shared");
  run_or_fail(link, directory);
  return directory / "program";
}

}  // namespace

TEST_CASE("the calls of an x86-64 program are those that objdump shows") {
  if (!have_programs({"g++", "objdump"})) return;
  const auto directory = fresh_directory("code_objdump");
  run_or_fail({"g++", "-O2", "-static", program_source("object_shapes.cc"), "-o", "program"},
              directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const MachineCode code(*image);
  std::map<std::uint64_t, std::uint64_t> found;
  Address before;
  for (const CallInstruction& call : code.calls_in((*image)->code_range())) {
    CHECK(call.address >= before);
    before = call.address;
    if (!call.is_jump) found[call.address.value] = call.target.value_or(Address{0}).value;
  }
  auto expected = calls_by_objdump(directory / "program");
  // A "call" to the next instruction is not one: it reads the program counter.
  std::erase_if(expected, [](const auto& call) { return call.second == call.first + 5; });
  REQUIRE(expected.size() > 1000);
  std::size_t different = 0;
  for (const auto& [address, target] : expected) {
    const auto same = found.find(address);
    if (same == found.end() || (target != 0 && same->second != target)) ++different;
  }
  CHECK(different == 0);
  CHECK(found.size() == expected.size());
}

TEST_CASE("functions that count their calls are known, however mcount is called") {
  if (!have_programs({"gcc"})) return;
  const std::vector<Words> builds = {
      {"-pg", "-O2"},
      {"-pg", "-O2", "-fno-plt"},
      {"-pg", "-O2", "-no-pie", "-fno-pie"},
      {"-pg", "-O2", "-static"},
      {"-pg", "-O2", "-static-pie", "-fPIE"},
      {"-pg", "-O2", "-mfentry", "-fcf-protection=full", "-Wl,-z,ibtplt"},
      {"-pg", "-O0", "-Wl,-z,lazy", "-fcf-protection=none"},
  };
  for (const Words& options : builds) {
    const auto directory = fresh_directory("code_counts");
    Words command = {"gcc", "-DUNIT=other", "-DMAIN", program_source("object_nested.c"),
                     "-o",  "program"};
    command.insert(command.end(), options.begin(), options.end());
    run_or_fail(command, directory);
    const Program program(directory / "program");
    INFO(options.back());
    CHECK(program.counts("main") == true);
    CHECK(program.counts("other") == true);
    CHECK(program.counts("_start") == false);
  }
  const auto directory = fresh_directory("code_counts");
  run_or_fail({"gcc", "-DUNIT=other", "-DMAIN", program_source("object_nested.c"), "-o", "program"},
              directory);
  CHECK(Program(directory / "program").counts("main") == false);
}

TEST_CASE("calls are found on every architecture, with the imports behind their stubs") {
  if (!have_programs({"clang", "ld.lld"})) return;
  struct Case {
    std::string name;
    Words options;
    bool has_tail_calls;
  };
  const Case cases[] = {
      {"x86_64", {"--target=x86_64-linux-gnu"}, true},
      {"x32", {"--target=x86_64-linux-gnux32"}, true},
      {"i386", {"--target=i386-linux-gnu"}, false},
      {"aarch64", {"--target=aarch64-linux-gnu"}, true},
      {"aarch64_bti", {"--target=aarch64-linux-gnu", "-mbranch-protection=standard"}, true},
      {"arm", {"--target=armv7-linux-gnueabihf", "-marm"}, true},
      {"thumb", {"--target=armv7-linux-gnueabihf", "-mthumb"}, true},
      {"powerpc", {"--target=powerpc-linux-gnu"}, false},
      {"powerpc64", {"--target=powerpc64-linux-gnu", "-mabi=elfv2"}, false},
      {"powerpc64le", {"--target=powerpc64le-linux-gnu"}, false},
      {"mips", {"--target=mips-linux-gnu"}, false},
      {"mipsel", {"--target=mipsel-linux-gnu"}, false},
      {"mips64el", {"--target=mips64el-linux-gnuabi64"}, false},
      {"riscv64", {"--target=riscv64-linux-gnu", "-march=rv64gc", "-mabi=lp64d"}, true},
      {"riscv64_plain", {"--target=riscv64-linux-gnu", "-march=rv64imafd", "-mabi=lp64d"}, true},
      {"riscv32", {"--target=riscv32-linux-gnu", "-march=rv32imac", "-mabi=ilp32"}, true},
  };
  for (const Case& expected : cases) {
    for (const bool position_independent : {false, true}) {
      INFO(expected.name << (position_independent ? ", position-independent" : ""));
      const Program program(build_cross(expected.name, expected.options, position_independent));
      REQUIRE(program.code.knows_architecture());
      CHECK(program.calls_of("calls_both") == Words{"call local", "call import imported_one"});
      CHECK(program.calls_of("calls_pointer") == Words{"call ?"});
      CHECK(program.calls_of("uncounted") == Words{"call import imported_one"});
      const Words switches = program.calls_of("switches");
      CHECK(std::ranges::count(switches, "call import imported_one") == 3);
      CHECK(switches.size() <= 5);
      CHECK(std::ranges::count(switches, "jump ?") == 0);
      CHECK(program.counts("calls_both") == true);
      CHECK(program.counts("uncounted") == false);
      const Words tail = program.calls_of("tail_calls_pointer");
      CHECK(tail == Words{expected.has_tail_calls ? "jump ?" : "call ?"});
    }
  }
}

TEST_CASE("names of counting functions") {
  for (const char* name : {"mcount", "_mcount", "__fentry__", "__gnu_mcount_nc",
                           "mcount@GLIBC_2.2.5", "__cyg_profile_func_enter"}) {
    CHECK(is_counting_function(name));
  }
  for (const char* name : {"", "mcounter", "main", "__cyg_profile_func_exit"}) {
    CHECK_FALSE(is_counting_function(name));
  }
}
