#include "engine/import/perf_data/perf_sample.h"

#include <algorithm>
#include <bit>

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/perf_data/perf_format.h"

namespace gprof::perf_data {
namespace {

class SampleParser {
 public:
  SampleParser(const PerfRecord& record, const PerfAttr& attr, ByteOrder order)
      : body_(record.body), attr_(attr), order_(order), cursor_(body_, order) {}

  std::optional<PerfSampleRecord> parse() {
    parse_numbers();
    if (has(sample_bit::read)) parse_counters();
    if (has(sample_bit::callchain)) {
      sample_.chain = words(cursor_.fixed(8));
      sample_.has_chain = true;
    }
    if (has(sample_bit::raw)) parse_raw();
    if (has(sample_bit::branch_stack)) parse_branches();
    if (has(sample_bit::regs_user)) parse_registers();
    if (has(sample_bit::stack_user)) parse_stack();
    if (has(sample_bit::weight)) {
      sample_.weight = cursor_.fixed(8);
    } else if (has(sample_bit::weight_struct)) {
      sample_.weight = parse_weight_struct();
    }
    if (cursor_.ended_early()) return std::nullopt;
    return sample_;
  }

 private:
  [[nodiscard]] bool has(std::uint64_t bit) const { return (attr_.sample_type & bit) != 0; }

  void parse_numbers() {
    if (has(sample_bit::identifier)) cursor_.skip(8);
    if (has(sample_bit::ip)) sample_.ip = cursor_.fixed(8);
    if (has(sample_bit::tid)) {
      sample_.process = static_cast<std::uint32_t>(cursor_.fixed(4));
      sample_.thread = static_cast<std::uint32_t>(cursor_.fixed(4));
    }
    if (has(sample_bit::time)) sample_.time = cursor_.fixed(8);
    for (const std::uint64_t bit :
         {sample_bit::addr, sample_bit::id, sample_bit::stream_id, sample_bit::cpu}) {
      if (has(bit)) cursor_.skip(8);
    }
    sample_.period = has(sample_bit::period) ? cursor_.fixed(8) : attr_.period;
  }

  // A single counter: value, times, id. A group: the number of counters, times, then value and id
  // of each. An id may be followed by the number of lost samples.
  void parse_counters() {
    const std::uint64_t format = attr_.read_format;
    const auto present = [&](std::uint64_t bits) {
      return static_cast<std::size_t>(std::popcount(format & bits));
    };
    const std::size_t times = present(read_bit::total_time_enabled | read_bit::total_time_running);
    const std::size_t of_each = 1 + present(read_bit::id | read_bit::lost);
    const bool has_ids = present(read_bit::id) != 0;
    if (present(read_bit::group) == 0) {
      const StoredWords counter = words(times + of_each);
      if (has_ids && counter.size() != 0) sample_.counters = {counter, 1, 0, 1 + times};
      return;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(cursor_.fixed(8), most));
    cursor_.skip(8 * times);
    const StoredWords counters = words(count * of_each);
    if (has_ids && counters.size() != 0) sample_.counters = {counters, count, of_each, 1};
  }

  void parse_raw() {
    const std::uint64_t size = cursor_.fixed(4);
    const auto begin = static_cast<std::size_t>(cursor_.position());
    cursor_.skip(size);
    if (!cursor_.ended_early()) sample_.raw = body_.subspan(begin, static_cast<std::size_t>(size));
  }

  void parse_branches() {
    const std::uint64_t count = cursor_.fixed(8);
    if ((attr_.branch_type & branch_bit::hardware_index) != 0) cursor_.skip(8);
    sample_.branches = words(3 * std::min<std::uint64_t>(count, most));
  }

  void parse_registers() {
    sample_.registers_abi = cursor_.fixed(8);
    if (sample_.registers_abi == 0) return;
    sample_.registers = words(static_cast<std::uint64_t>(std::popcount(attr_.user_registers)));
  }

  // The copy, and how much of it is one.
  void parse_stack() {
    const std::uint64_t size = cursor_.fixed(8);
    if (size == 0) return;
    const auto begin = static_cast<std::size_t>(cursor_.position());
    cursor_.skip(size);
    const std::uint64_t used = cursor_.fixed(8);
    if (cursor_.ended_early()) return;
    sample_.stack = body_.subspan(begin, static_cast<std::size_t>(std::min(size, used)));
    sample_.is_stack_cut = used >= size;
  }

  // The first of three numbers, which lie in the order of the machine's bytes.
  std::uint64_t parse_weight_struct() {
    const std::uint64_t value = cursor_.fixed(8);
    return value & 0xffffffff;
  }

  // `count` may be a lie.
  StoredWords words(std::uint64_t count) {
    const auto begin = static_cast<std::size_t>(cursor_.position());
    const std::uint64_t bytes = 8 * std::min<std::uint64_t>(count, most);
    cursor_.skip(bytes);
    if (cursor_.ended_early()) return {};
    return {body_.subspan(begin, static_cast<std::size_t>(bytes)), order_};
  }

  // A record has at most 64 KiB.
  static constexpr std::uint64_t most = 1 << 16;

  const std::span<const std::byte> body_;
  const PerfAttr& attr_;
  const ByteOrder order_;
  dwarf::ByteCursor cursor_;
  PerfSampleRecord sample_;
};

}  // namespace

std::optional<std::uint64_t> time_of_sample(const PerfRecord& record, const PerfAttr& attr,
                                            ByteOrder order) {
  std::uint64_t place = 0;
  for (const std::uint64_t bit : {sample_bit::identifier, sample_bit::ip, sample_bit::tid}) {
    if ((attr.sample_type & bit) != 0) place += 8;
  }
  if ((attr.sample_type & sample_bit::time) == 0 || record.body.size() < place + 8) {
    return std::nullopt;
  }
  return stored_integer<std::uint64_t>(record.body.data() + place, order);
}

std::optional<PerfSampleRecord> parse_sample(const PerfRecord& record, const PerfAttr& attr,
                                             ByteOrder order) {
  return SampleParser(record, attr, order).parse();
}

namespace {

// The time stands before these numbers, with which the record ends; none if there is none.
std::optional<std::size_t> place_of_time(const PerfRecord& record, const PerfAttr& attr) {
  if (!attr.sample_id_all || (attr.sample_type & sample_bit::time) == 0) return std::nullopt;
  std::size_t after = 8;
  for (const std::uint64_t bit :
       {sample_bit::id, sample_bit::stream_id, sample_bit::cpu, sample_bit::identifier}) {
    if ((attr.sample_type & bit) != 0) after += 8;
  }
  if (record.body.size() < after) return std::nullopt;
  return record.body.size() - after;
}

}  // namespace

std::uint64_t time_of_other(const PerfRecord& record, const PerfAttr& attr, ByteOrder order) {
  const auto place = place_of_time(record, attr);
  return place ? stored_integer<std::uint64_t>(record.body.data() + *place, order) : 0;
}

std::optional<PerfRecordOrigin> origin_of_other(const PerfRecord& record, const PerfAttr& attr,
                                                ByteOrder order) {
  const auto place = place_of_time(record, attr);
  // Process and thread are stored before it.
  if (!place || *place < 8 || (attr.sample_type & sample_bit::tid) == 0) return std::nullopt;
  const std::byte* time = record.body.data() + *place;
  return PerfRecordOrigin{stored_integer<std::uint32_t>(time - 8, order),
                          stored_integer<std::uint32_t>(time - 4, order),
                          stored_integer<std::uint64_t>(time, order)};
}

}  // namespace gprof::perf_data
