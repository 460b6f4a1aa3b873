// Conservation: what parts of a profile cost adds up to what the whole costs, name by name.
//
// Thread contract: a pure function; it reports to the test that runs.
#pragma once

#include <vector>

#include <catch2/catch.hpp>

namespace gprof::test {

// `Figures`: a map from names to figures, of which those of 0 may be missing.
template <typename Figures>
void check_sum(const std::vector<Figures>& parts, const Figures& whole) {
  Figures sum;
  for (const Figures& part : parts) {
    for (const auto& [name, figure] : part) sum[name] += figure;
  }
  for (const auto& [name, figure] : whole) {
    INFO(name);
    CHECK(sum[name] == figure);
  }
  for (const auto& [name, figure] : sum) {
    INFO(name);
    CHECK((figure == 0 || whole.contains(name)));
  }
}

}  // namespace gprof::test
