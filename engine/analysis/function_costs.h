// A profile indexed by symbol: ticks, calls and call sites of the functions of one program.
//
// Every tick of the histograms is accounted for:
//   total = ticks of symbols + profiler's own + outside every symbol + rounding;
//   sampled = total + elsewhere, the samples in other modules' code, if sidecars have them;
//   sampled = the program's + the collector's, which is not part of the program's time.
// Units: ticks; see seconds(). Ownership: holds no reference to the symbols or the raw profile.
// Thread contract: immutable.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/analysis/call_sites.h"
#include "engine/analysis/collected_samples.h"
#include "engine/analysis/samples.h"
#include "engine/gmon/raw_profile.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// The caller of a call from no known function ("spontaneous").
inline constexpr SymbolIndex no_symbol = ~SymbolIndex{0};

// `count` calls to one function from one call site, or from the slot of addresses that glibc's
// collector rounds from_pc down to.
struct SiteArc {
  Address from_pc;
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;
};

class FunctionCosts {
 public:
  // `like` is null, or has_calls_of(raw) with the same symbols and call sites: its mapping of calls
  // is then reused, with the same result. `collected` is what the sidecars say about the samples;
  // costs that were counted have no errors.
  static FunctionCosts attribute(const RawProfile& raw, const SymbolTable& symbols,
                                 const CallSites& call_sites, const FunctionCosts* like = nullptr,
                                 const CollectedSamples& collected = {});
  // Whether the raw profile has this one's arcs, in the same order and with the same precision, and
  // differs at most in counts, as runs of one program mostly do. False for one from a stored index.
  [[nodiscard]] bool has_calls_of(const RawProfile& raw, CallSitePrecision precision) const;

  [[nodiscard]] Ticks self(SymbolIndex symbol) const { return self_[symbol]; }
  // One entry per symbol.
  [[nodiscard]] std::span<const Ticks> self_ticks() const { return self_; }
  [[nodiscard]] const Samples& samples() const { return samples_; }
  [[nodiscard]] Ticks total_ticks() const { return samples_.total(); }
  // Spent in mcount and similar functions, if that is the program's own code: not part of the
  // program's own time.
  [[nodiscard]] Ticks profiler_ticks() const { return profiler_ticks_; }
  [[nodiscard]] Ticks unattributed_ticks() const { return unattributed_ticks_; }
  [[nodiscard]] Ticks rounding_ticks() const { return rounding_ticks_; }
  // In other modules' code, including the collector's, if known, by function where one is known;
  // most first.
  [[nodiscard]] std::span<const ModuleSamples> elsewhere() const { return elsewhere_; }
  // What shares are relative to: the program's time, including its libraries if known.
  [[nodiscard]] Ticks program_ticks() const { return sampled_ticks() - collector_ticks(); }
  // In the collector, wherever its code is.
  [[nodiscard]] Ticks collector_ticks() const;
  // All samples taken.
  [[nodiscard]] Ticks sampled_ticks() const { return total_ticks() + elsewhere_ticks_; }
  // One standard deviation of a sampled time.
  [[nodiscard]] Ticks error_of(Ticks ticks) const { return errors_.error_of(ticks); }
  // Of samples that stacks or other modules account for.
  [[nodiscard]] Ticks error_in_all_code(Ticks ticks) const {
    return errors_.of_all_code().error_of(ticks);
  }
  [[nodiscard]] const SampleErrors& errors() const { return errors_; }
  [[nodiscard]] bool has_exact_costs() const { return errors_.exact(); }
  // The samples spent in the kernel, if the sidecars of all runs mark them.
  [[nodiscard]] const KernelSamples& kernel() const { return kernel_; }

  // Equal sites merged, newest record first, as gprof keeps them.
  [[nodiscard]] std::span<const SiteArc> site_arcs() const { return site_arcs_; }
  // Of all site arcs.
  [[nodiscard]] std::uint64_t counted_calls() const { return counted_calls_; }
  // Arcs without a symbol at the callee: lost to every report.
  [[nodiscard]] std::uint64_t unattributed_calls() const { return unattributed_calls_; }
  // Ascending by address, with equal addresses merged.
  [[nodiscard]] std::span<const BlockCount> blocks() const { return blocks_; }

  [[nodiscard]] bool has_samples() const { return has_histogram_; }
  [[nodiscard]] bool has_arcs() const { return has_arcs_; }
  [[nodiscard]] double ticks_per_second() const { return rate_; }
  [[nodiscard]] Seconds seconds(Ticks ticks) const { return rate_ > 0 ? ticks / rate_ : 0; }
  [[nodiscard]] const std::string& dimension() const { return dimension_; }
  [[nodiscard]] char dimension_abbreviation() const { return abbreviation_; }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    Samples::exchange(self.samples_, stream);
    stream.array(self.self_);
    stream.number(self.profiler_ticks_);
    stream.number(self.unattributed_ticks_);
    stream.number(self.rounding_ticks_);
    stream.list(self.elsewhere_, [&](auto& samples) {
      stream.text(samples.name);
      stream.text(samples.function);
      stream.number(samples.ticks);
      stream.number(samples.collector);
    });
    KernelSamples::exchange(self.kernel_, stream);
    stream.number(self.elsewhere_ticks_);
    SampleErrors::exchange(self.errors_, stream);
    stream.array(self.site_arcs_);
    stream.number(self.precision_.base);
    stream.number(self.precision_.slot_size);
    stream.number(self.counted_calls_);
    stream.number(self.unattributed_calls_);
    stream.array(self.blocks_);
    stream.number(self.has_histogram_);
    stream.number(self.has_arcs_);
    stream.number(self.rate_);
    stream.text(self.dimension_);
    stream.number(self.abbreviation_);
  }
  // Whether what exchange() read is valid for a program with that many symbols.
  [[nodiscard]] bool is_sound(std::size_t symbols) const;
  [[nodiscard]] CallSitePrecision precision() const { return precision_; }

 private:
  void attribute_samples(const SymbolTable& symbols);
  void attribute_arcs(const RawProfile& raw, const SymbolTable& symbols,
                      const CallSites& call_sites);
  void count_arcs_like(const RawProfile& raw, const FunctionCosts& like);

  // For one arc of the raw profile: what it was found by, and the place of its site.
  struct AttributedArc {
    Address self_pc;
    std::uint32_t place = 0;  // counted from the end of site_arcs_, where the oldest is
  };
  [[nodiscard]] SiteArc& site_at(std::uint32_t place) {
    return site_arcs_[site_arcs_.size() - 1 - place];
  }

  Samples samples_;
  FlatArray<Ticks> self_;
  Ticks profiler_ticks_ = 0;
  Ticks unattributed_ticks_ = 0;
  Ticks rounding_ticks_ = 0;
  std::vector<ModuleSamples> elsewhere_;  // by module
  KernelSamples kernel_;
  Ticks elsewhere_ticks_ = 0;
  SampleErrors errors_;
  FlatArray<SiteArc> site_arcs_;
  std::vector<AttributedArc> arcs_;  // in the order of the file; not kept in a stored index
  CallSitePrecision precision_;
  std::uint64_t counted_calls_ = 0;
  std::uint64_t unattributed_calls_ = 0;
  FlatArray<BlockCount> blocks_;
  bool has_histogram_ = false;
  bool has_arcs_ = false;
  double rate_ = 0;
  std::string dimension_;
  char abbreviation_ = 's';
};

}  // namespace gprof
