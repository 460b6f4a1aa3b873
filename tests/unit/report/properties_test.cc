// Invariants of every profile, tested on random ones.
#include <algorithm>
#include <random>

#include "engine/gmon/sum.h"
#include "engine/report/flat_profile.h"
#include "engine/report/tally.h"
#include "tests/support/files.h"
#include "tests/support/source_function.h"
#include "tests/unit/report/synthetic_program.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

class RandomProfile {
 public:
  explicit RandomProfile(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  // Over the functions and some code before and after them, in whole units.
  Histogram histogram(std::size_t functions) {
    const std::uint64_t around = function_size * below(3);
    const std::uint64_t bin_size = std::uint64_t{2} << below(4);
    const std::uint64_t low = code_start - around;
    const std::uint64_t high = entry_of(static_cast<SymbolIndex>(functions)).value + around;
    Histogram made{Address{low}, Address{high}, {}};
    made.bins.resize((high - low) / bin_size);
    for (std::size_t i = 0; i < made.bins.size(); ++i) {
      made.bins[i] = below(3) == 0 ? below(60'000) : 0;
    }
    return made;
  }

  // Function tables with gaps where a function ends early.
  SourceSymbolTable functions(std::size_t count) {
    SourceSymbolTable::Parts parts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t size = below(3) == 0 ? function_size / 2 : function_size;
      parts.symbols.push_back(
          source_function(entry_of(static_cast<SymbolIndex>(i)), size,
                          parts.owned_names.emplace_back("f" + std::to_string(i))));
    }
    return SourceSymbolTable(std::move(parts));
  }

  GmonDescription profile(std::size_t functions, std::size_t arcs) {
    GmonDescription made;
    HistogramRecord record;
    record.low = code_start;
    record.high = entry_of(static_cast<SymbolIndex>(functions)).value;
    record.bins.resize((record.high - record.low) / 4);
    for (std::uint16_t& bin : record.bins) {
      bin = static_cast<std::uint16_t>(below(4) == 0 ? below(0x10000) : 0);
    }
    made.histograms = {record};
    for (std::size_t i = 0; i < arcs; ++i) {
      made.arcs.push_back({code_start + below(functions * function_size),
                           entry_of(static_cast<SymbolIndex>(below(functions))).value,
                           below(std::uint64_t{1} << 32)});
    }
    return made;
  }

 private:
  std::mt19937_64 random_;
};

std::uint64_t samples_in(const Histogram& histogram) {
  std::uint64_t total = 0;
  for (const std::uint64_t bin : histogram.bins) total += bin;
  return total;
}

std::vector<ProgramOnDisk::Symbol> symbols_named(const std::vector<std::string>& names) {
  std::vector<ProgramOnDisk::Symbol> symbols;
  for (const std::string& name : names) {
    symbols.push_back({name, entry_of(static_cast<SymbolIndex>(symbols.size())).value});
  }
  return symbols;
}

std::vector<std::string> names_of(std::size_t functions) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < functions; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

RawProfile sum_of(ProgramOnDisk& program) {
  program.request.kinds = {};
  program.request.kinds.insert(ReportKind::summary_file);
  program.request.by_line = true;
  const ReportOutput output = program.report();
  REQUIRE(output.files.size() == 1);
  const auto read = read_gmon(std::as_bytes(std::span(output.files[0].contents)), "gmon.sum", {});
  REQUIRE(read);
  ProfileSum sum;
  REQUIRE(sum.add(*read, "gmon.sum"));
  return sum.take();
}

}  // namespace

TEST_CASE("property: every tick is some function's, nobody's or left out") {
  RandomProfile random(GENERATE(range(1U, 80U)));
  const std::size_t count = 1 + random.below(20);
  const SourceSymbolTable symbols = random.functions(count);
  RawProfile raw;
  raw.rate = 100;
  raw.histograms = {random.histogram(count)};
  std::vector<SymspecChoice> left_out;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    left_out.push_back({SymspecList::exclude_flat, "f" + std::to_string(random.below(count))});
  }
  const SampleTally all = tally_samples(raw, symbols, SymspecTables());
  const SampleTally some = tally_samples(raw, symbols, SymspecTables::build(left_out, symbols));

  const auto bins = static_cast<double>(samples_in(raw.histograms[0]));
  const auto sum = [](const std::vector<Ticks>& ticks) {
    Ticks total = 0;
    for (const Ticks part : ticks) total += part;
    return total;
  };
  const Ticks cut = sum(all.self) - sum(some.self);
  CHECK(all.total == bins);
  CHECK(sum(all.self) + all.unattributed == Approx(bins));
  CHECK(sum(some.self) + some.unattributed + cut == Approx(bins));
  CHECK(some.total == Approx(bins - cut));
}

TEST_CASE("property: the flat profile's rows add up to the histogram") {
  RandomProfile random(GENERATE(range(1U, 40U)));
  const std::size_t count = 1 + random.below(20);
  SourceSymbolTable symbols = functions_numbered(count);
  RawProfile raw;
  raw.rate = 1;  // seconds are ticks
  raw.histograms = {random.histogram(count)};
  const SampleTally tally = tally_samples(raw, symbols, SymspecTables());
  ReportRequest request;
  request.brief = true;
  request.show_unused = true;
  ReportData data = data_of(std::move(symbols), tally.self, {});
  data.samples = tally;
  const std::string text = written_text([&](TextOutput& output) {
    append_flat_profile(output, request, data, test::names_of(request, data),
                        flat_profile_rows(request, data));
  });

  // The cumulative seconds of the last row, and the time outside all functions.
  const std::size_t last_row = text.rfind('\n', text.size() - 2) + 1;
  const double cumulative = std::stod(text.substr(last_row + 6));
  const auto bins = static_cast<double>(samples_in(raw.histograms[0]));
  CHECK(cumulative + tally.unattributed == Approx(bins).margin(0.01));
}

TEST_CASE("property: the sum of equal profiles multiplies every count") {
  RandomProfile random(GENERATE(range(1U, 12U)));
  const std::vector<std::string> names = names_of(2 + random.below(12));
  const GmonDescription profile = random.profile(names.size(), random.below(40));
  const std::string directory = "report_sums";
  const auto symbols = symbols_named(names);
  ProgramOnDisk once(directory + "_once", symbols, names.size() * function_size);
  once.add_profile(profile);
  const RawProfile single = sum_of(once);
  const std::uint64_t copies = 2 + random.below(4);
  ProgramOnDisk often(directory, symbols, names.size() * function_size);
  for (std::uint64_t i = 0; i < copies; ++i) often.add_profile(profile);
  const RawProfile sum = sum_of(often);

  REQUIRE(sum.histograms.size() == 1);
  BinCounts bins = single.histograms[0].bins;
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] = bins[i] * copies;
  CHECK(sum.histograms[0].bins == bins);
  std::vector<RawArc> arcs = single.arcs;
  for (RawArc& arc : arcs) arc.count *= copies;
  CHECK(sum.arcs == arcs);
  CHECK(sum.rate == single.rate);
}

TEST_CASE("property: the order of the files changes no figure") {
  RandomProfile random(GENERATE(range(1U, 25U)));
  const std::vector<std::string> names = names_of(2 + random.below(12));
  const auto symbols = symbols_named(names);
  ProgramOnDisk program("report_orders", symbols, names.size() * function_size);
  for (std::uint64_t files = 2 + random.below(3); files > 0; --files) {
    program.add_profile(random.profile(names.size(), random.below(30)));
  }
  program.request.kinds.insert(ReportKind::flat_profile);
  program.request.kinds.insert(ReportKind::execution_counts);
  program.request.show_unused = true;
  const std::string text = program.report().text;
  std::ranges::reverse(program.request.profiles);
  CHECK(program.report().text == text);
  std::vector<std::string>& profiles = program.request.profiles;
  std::rotate(profiles.begin(), profiles.begin() + 1, profiles.end());
  CHECK(program.report().text == text);
}

TEST_CASE("property: a sum reads like the files that it is made of") {
  RandomProfile random(GENERATE(range(1U, 12U)));
  const std::vector<std::string> names = names_of(2 + random.below(12));
  const auto symbols = symbols_named(names);
  ProgramOnDisk program("report_sum_of", symbols, names.size() * function_size);
  for (std::uint64_t files = 1 + random.below(3); files > 0; --files) {
    program.add_profile(random.profile(names.size(), 1 + random.below(30)));
  }
  program.request.kinds.insert(ReportKind::flat_profile);
  program.request.kinds.insert(ReportKind::execution_counts);
  const std::string text = program.report().text;
  ProgramOnDisk again("report_sum_again", symbols, names.size() * function_size);
  again.request.kinds = program.request.kinds;
  program.request.kinds = {};
  program.request.kinds.insert(ReportKind::summary_file);
  program.request.by_line = true;
  const ReportOutput output = program.report();
  REQUIRE(output.files.size() == 1);
  const std::string path = again.request.executable + ".sum";
  write_file(path, output.files[0].contents);
  again.request.profiles = {path};
  CHECK(again.report().text == text);
}
