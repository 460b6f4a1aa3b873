// Repeatedly analyses a program and its profile and reads every annotated file: the work of an
// editor session, on one thread. Built with -pg, it is the program that scripts/demo profiles.
//
//   engine_workload EXECUTABLE GMON [ROUNDS]
#include <charconv>
#include <cstdio>
#include <cstring>
#include <set>

#include "engine/analysis.h"

namespace {

using gprof::FileId;
using gprof::Snapshot;

struct Totals {
  std::size_t files = 0;
  std::size_t functions = 0;
  std::size_t lines = 0;
  std::size_t relations = 0;
};

// The source files of the profile's functions.
std::set<FileId> profiled_files(const Snapshot& snapshot) {
  std::set<FileId> files;
  for (const gprof::SymbolIndex symbol : snapshot.source_index().by_heat()) {
    if (const auto declaration = snapshot.sources().declaration(symbol)) {
      files.insert(declaration->file);
    }
  }
  return files;
}

void read_file(const Snapshot& snapshot, FileId file, Totals& totals) {
  const auto costs = snapshot.source_index().costs(file);
  ++totals.files;
  totals.functions += costs->functions.size();
  totals.lines += costs->lines.size();
  for (const gprof::FunctionCost& function : costs->functions) {
    totals.relations += snapshot.source_index().callers(function).size();
    totals.relations += snapshot.source_index().callees(function).size();
  }
}

unsigned parse_rounds(int argc, char** argv) {
  if (argc < 4) return 1;
  unsigned rounds = 0;
  const char* end = argv[3] + std::strlen(argv[3]);
  const auto [rest, error] = std::from_chars(argv[3], end, rounds);
  return error == std::errc() && rest == end ? rounds : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = parse_rounds(argc, argv);
  if (argc < 3 || argc > 4 || rounds == 0) {
    std::fputs("usage: engine_workload EXECUTABLE GMON [ROUNDS]\n", stderr);
    return 2;
  }
  gprof::AnalysisRequest request;
  request.executable = argv[1];
  request.profiles = {argv[2]};
  Totals totals;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto snapshot = gprof::analyse(request);
    if (!snapshot) {
      std::fprintf(stderr, "%s\n", gprof::describe(snapshot.error()).c_str());
      return 1;
    }
    totals = {};
    for (const FileId file : profiled_files(**snapshot)) read_file(**snapshot, file, totals);
  }
  std::printf("%u rounds over %zu files: %zu functions, %zu lines, %zu callers and callees\n",
              rounds, totals.files, totals.functions, totals.lines, totals.relations);
}
