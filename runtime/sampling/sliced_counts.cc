#include "runtime/sampling/sliced_counts.h"

namespace gprof_runtime::sampler {

namespace sliced_counts {
std::uint64_t table_bytes = 0;
std::uint32_t resets = 0;
std::uint64_t tables = 0;
}  // namespace sliced_counts

void abandon_sliced_counts() {
  sliced_counts::table_bytes = 0;
  sliced_counts::resets = 0;
  sliced_counts::tables = 0;
}

}  // namespace gprof_runtime::sampler
