// Makes small recordings as `perf record` writes them, of machines of either byte order, for tests.
//
// Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/support/units.h"

namespace gprof::test {

// Numbers and texts, one after the other.
class PerfDataBytes {
 public:
  explicit PerfDataBytes(ByteOrder order) : order_(order) {}

  template <typename Integer>
  PerfDataBytes& put(Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      const std::size_t place = order_ == ByteOrder::little ? i : sizeof value - 1 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * place)));
    }
    return *this;
  }
  PerfDataBytes& text(std::string_view text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes_.push_back(static_cast<std::byte>(i < text.size() ? text[i] : '\0'));
    }
    return *this;
  }
  PerfDataBytes& add(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  ByteOrder order_;
  std::vector<std::byte> bytes_;
};

// What not all samples have.
struct PerfSampleParts {
  std::uint64_t weight = 0;
  std::vector<std::uint64_t> branches = {};  // from and to, the latest first
  std::vector<std::uint64_t> registers = {};
  std::vector<std::uint64_t> stack = {};  // from the stack pointer up
  std::vector<std::byte> raw = {};        // a tracepoint's fields
  // Events, by number, and what their counters had reached.
  std::vector<std::pair<std::size_t, std::uint64_t>> counters = {};
};

// The layout of a tracepoint, as the kernel tells it.
struct PerfTracepoint {
  std::string system;
  std::string format;
};

// An event, and the records of a recording of it.
class PerfDataBuilder {
 public:
  struct Event {
    std::uint32_t type = 1;  // software
    std::uint64_t config = 0;
    std::uint64_t period = 1'000'000;
    std::string name = "cpu-clock";
    bool weighs = false;            // its samples have a weight
    std::uint64_t branch_type = 0;  // of their branch stacks; 0: they have none
    std::uint64_t registers = 0;    // that they have, with a copy of the stack
    bool has_raw = false;           // the fields of a tracepoint
    std::uint64_t reads = 0;        // how its samples read counters; 0: they do not
    bool inherits = false;          // threads have counters of their own
    bool has_switches = false;      // there are records of threads that are switched in and out
  };

  PerfDataBuilder(ByteOrder order, std::vector<Event> events)
      : order_(order), events_(std::move(events)), records_(order) {}

  // Records; those with a time are in no order.
  void record(std::uint32_t type, std::uint16_t misc, const PerfDataBytes& body) {
    records_.put(type).put(misc).put(static_cast<std::uint16_t>(8 + body.size())).add(body.bytes());
  }
  void name(std::uint32_t process, std::uint32_t thread, std::string_view name) {
    PerfDataBytes body(order_);
    body.put(process).put(thread).text(name, 16);
    record(3, 0, ending(body, 1));
  }
  // `build_id`: of 20 bytes; empty: not known.
  void map(std::uint32_t process, std::uint64_t address, std::uint64_t size, std::uint64_t offset,
           const std::string& path, std::uint64_t time, std::span<const std::byte> build_id = {}) {
    PerfDataBytes body(order_);
    body.put(process).put(process).put(address).put(size).put(offset);
    if (build_id.empty()) {
      body.text("", 24);
    } else {
      body.put(std::uint8_t{20}).text("", 3).add(build_id.first(20));
    }
    body.put(std::uint64_t{5}).text(path, (path.size() + 8) / 8 * 8);
    record(10, build_id.empty() ? 2 : 2 | 1 << 14, ending(body, time));
  }
  void fork(std::uint32_t parent, std::uint32_t child, std::uint64_t time) {
    PerfDataBytes body(order_);
    body.put(child).put(parent).put(child).put(parent).put(time);
    record(7, 0, ending(body, time));
  }
  // That a thread was switched in, or out: then perhaps only for another.
  void switched(std::uint32_t process, std::uint32_t thread, std::uint64_t time, bool out,
                bool preempted = false) {
    PerfDataBytes body(order_);
    body.put(process).put(thread).put(time).put(id_of(0));
    record(14, static_cast<std::uint16_t>((out ? 1 << 13 : 0) | (preempted ? 1 << 14 : 0)), body);
  }
  void exit(std::uint32_t process, std::uint32_t thread, std::uint64_t time) {
    PerfDataBytes body(order_);
    body.put(process).put(std::uint32_t{1}).put(thread).put(std::uint32_t{1}).put(time);
    record(4, 0, ending(body, time));
  }
  // Of which the recording tells the layout.
  void tell(std::vector<PerfTracepoint> tracepoints) { tracepoints_ = std::move(tracepoints); }

  // `chain`: addresses and marks; empty: none was recorded.
  void sample(std::size_t event, std::uint32_t process, std::uint32_t thread, std::uint64_t time,
              std::uint64_t ip, std::uint64_t period, const std::vector<std::uint64_t>& chain,
              const PerfSampleParts& parts = {}) {
    PerfDataBytes body(order_);
    body.put(id_of(event)).put(ip).put(process).put(thread).put(time).put(period);
    put_counters(body, events_[event], parts);
    body.put(std::uint64_t{chain.size()});
    for (const std::uint64_t address : chain) body.put(address);
    put_parts(body, events_[event], parts);
    record(9, 2, body);
  }

  [[nodiscard]] const std::vector<std::byte>& records() const { return records_.bytes(); }
  // Replaces them, by compressed ones.
  void replace_records(std::vector<std::byte> bytes) {
    records_ = PerfDataBytes(order_);
    records_.add(bytes);
  }

  [[nodiscard]] std::vector<std::byte> file() const {
    PerfDataBytes attrs(order_);
    PerfDataBytes ids(order_);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      attrs.add(attr(events_[i]));
      attrs.put(std::uint64_t{header_size + i * 8}).put(std::uint64_t{8});
      ids.put(id_of(i));
    }
    const std::uint64_t attrs_at = header_size + ids.size();
    const std::uint64_t data_at = attrs_at + attrs.size();
    const std::uint64_t table_at = data_at + records_.size();
    const PerfDataBytes names = event_names();
    const PerfDataBytes tracing = tracing_data();
    const std::uint64_t features = tracepoints_.empty() ? 1 : 2;
    PerfDataBytes file = magic();
    file.put(std::uint64_t{header_size}).put(std::uint64_t{attr_size + 16});
    file.put(attrs_at).put(std::uint64_t{attrs.size()});
    file.put(data_at).put(std::uint64_t{records_.size()});
    file.put(std::uint64_t{0}).put(std::uint64_t{0});
    // Descriptions of events, and perhaps of tracepoints.
    file.put(std::uint64_t{1} << 12 | (tracepoints_.empty() ? 0U : 1U << 1));
    for (int i = 0; i < 3; ++i) file.put(std::uint64_t{0});
    file.add(ids.bytes()).add(attrs.bytes()).add(records_.bytes());
    const std::uint64_t begin = table_at + 16 * features;
    if (!tracepoints_.empty()) {
      file.put(begin + names.size()).put(std::uint64_t{tracing.size()});
    }
    file.put(begin).put(std::uint64_t{names.size()}).add(names.bytes()).add(tracing.bytes());
    return file.bytes();
  }

  // As into a pipe: what is about the events comes as records.
  [[nodiscard]] std::vector<std::byte> pipe() const {
    PerfDataBytes file = magic();
    file.put(std::uint64_t{16});
    const auto put_record = [&](std::uint32_t type, const PerfDataBytes& body) {
      file.put(type).put(std::uint16_t{0}).put(static_cast<std::uint16_t>(8 + body.size()));
      file.add(body.bytes());
    };
    for (std::size_t i = 0; i < events_.size(); ++i) {
      PerfDataBytes body(order_);
      body.add(attr(events_[i])).put(id_of(i));
      put_record(64, body);
    }
    PerfDataBytes body(order_);
    body.put(std::uint64_t{12}).add(event_names().bytes());
    put_record(80, body);
    if (!tracepoints_.empty()) {
      PerfDataBytes tracing = tracing_data();
      put_record(66, PerfDataBytes(order_).put(static_cast<std::uint32_t>(tracing.size())));
      tracing.text("", (8 - tracing.size() % 8) % 8);
      file.add(tracing.bytes());
    }
    file.add(records_.bytes());
    return file.bytes();
  }

 private:
  static constexpr std::uint64_t header_size = 104;
  static constexpr std::size_t attr_size = 112;
  // identifier, ip, tid, time, period, call chain
  static constexpr std::uint64_t sample_type = 1U << 16 | 1 | 2 | 4 | 1U << 8 | 1U << 5;

  static void put_counters(PerfDataBytes& body, const Event& event, const PerfSampleParts& parts) {
    constexpr std::uint64_t times = 3;
    constexpr std::uint64_t lost = 16;
    if (event.reads == 0) return;
    const auto put_times = [&] {
      for (const std::uint64_t bit : {1U, 2U}) {
        if ((event.reads & times & bit) != 0) body.put(std::uint64_t{77});
      }
    };
    const bool is_group = (event.reads & 8) != 0;
    if (is_group) {
      body.put(std::uint64_t{parts.counters.size()});
      put_times();
    }
    for (const auto& [counted, value] : parts.counters) {
      body.put(value);
      if (!is_group) put_times();
      if ((event.reads & 4) != 0) body.put(id_of(counted));
      if ((event.reads & lost) != 0) body.put(std::uint64_t{0});
    }
  }
  void put_parts(PerfDataBytes& body, const Event& event, const PerfSampleParts& parts) const {
    if (event.has_raw) {
      const std::size_t size = (4 + parts.raw.size() + 7) / 8 * 8 - 4;
      PerfDataBytes raw(order_);
      raw.add(parts.raw).text("", size - parts.raw.size());
      body.put(static_cast<std::uint32_t>(size)).add(raw.bytes());
    }
    if (event.branch_type != 0) {
      body.put(std::uint64_t{parts.branches.size() / 2});
      if ((event.branch_type >> 17 & 1) != 0) body.put(std::uint64_t{0});
      for (std::size_t i = 0; i + 2 <= parts.branches.size(); i += 2) {
        body.put(parts.branches[i]).put(parts.branches[i + 1]).put(std::uint64_t{0});
      }
    }
    if (event.registers != 0) {
      body.put(std::uint64_t{2});  // of 64 bits
      for (const std::uint64_t value : parts.registers) body.put(value);
      body.put(std::uint64_t{8 * parts.stack.size()});
      for (const std::uint64_t value : parts.stack) body.put(value);
      if (!parts.stack.empty()) body.put(std::uint64_t{8 * parts.stack.size()});
    }
    if (event.weighs) body.put(parts.weight);
  }
  [[nodiscard]] static std::uint64_t sample_type_of(const Event& event) {
    const std::uint64_t of_weight = event.weighs ? std::uint64_t{1} << 14 : 0;
    const std::uint64_t of_branches = event.branch_type != 0 ? std::uint64_t{1} << 11 : 0;
    const std::uint64_t of_stack = event.registers != 0 ? std::uint64_t{3} << 12 : 0;
    const std::uint64_t of_raw = event.has_raw ? std::uint64_t{1} << 10 : 0;
    const std::uint64_t of_counters = event.reads != 0 ? std::uint64_t{1} << 4 : 0;
    return sample_type | of_weight | of_branches | of_stack | of_raw | of_counters;
  }
  [[nodiscard]] static std::uint64_t id_of(std::size_t event) { return 100 + event; }
  [[nodiscard]] PerfDataBytes magic() const {
    PerfDataBytes file(order_);
    file.text(order_ == ByteOrder::little ? "PERFILE2" : "2ELIFREP", 8);
    return file;
  }
  // Whose and when a record is that is no sample.
  [[nodiscard]] PerfDataBytes ending(PerfDataBytes body, std::uint64_t time) const {
    body.put(std::uint32_t{1}).put(std::uint32_t{1}).put(time).put(id_of(0));
    return body;
  }
  [[nodiscard]] std::vector<std::byte> attr(const Event& event) const {
    const auto flag = [&](unsigned place) {
      return std::uint64_t{1} << (order_ == ByteOrder::little ? place : 63 - place);
    };
    const std::uint64_t all =
        flag(18) | (event.has_switches ? flag(26) : 0) | (event.inherits ? flag(1) : 0);
    PerfDataBytes attr(order_);
    attr.put(event.type).put(static_cast<std::uint32_t>(attr_size)).put(event.config);
    attr.put(event.period).put(sample_type_of(event));
    attr.put(event.reads != 0 ? event.reads : std::uint64_t{4}).put(all);
    attr.text("", 24).put(event.branch_type).put(event.registers);
    attr.text("", attr_size - attr.size());
    return attr.bytes();
  }
  [[nodiscard]] PerfDataBytes event_names() const {
    PerfDataBytes names(order_);
    names.put(static_cast<std::uint32_t>(events_.size()));
    names.put(static_cast<std::uint32_t>(attr_size));
    for (std::size_t i = 0; i < events_.size(); ++i) {
      names.add(attr(events_[i])).put(std::uint32_t{1}).put(std::uint32_t{64});
      names.text(events_[i].name, 64).put(id_of(i));
    }
    return names;
  }

  [[nodiscard]] PerfDataBytes tracing_data() const {
    PerfDataBytes data(order_);
    if (tracepoints_.empty()) return data;
    data.text("\x17\x08\x44tracing", 10).text("0.6", 4);
    data.put(static_cast<std::uint8_t>(order_ == ByteOrder::little ? 0 : 1)).put(std::uint8_t{8});
    data.put(std::uint32_t{4096});
    data.text("header_page", 12).put(std::uint64_t{3}).text("abc", 3);
    data.text("header_event", 13).put(std::uint64_t{1}).text("d", 1);
    data.put(std::uint32_t{1}).put(std::uint64_t{2}).text("ef", 2);
    data.put(static_cast<std::uint32_t>(tracepoints_.size()));
    for (const PerfTracepoint& tracepoint : tracepoints_) {
      data.text(tracepoint.system, tracepoint.system.size() + 1).put(std::uint32_t{1});
      data.put(std::uint64_t{tracepoint.format.size()});
      data.text(tracepoint.format, tracepoint.format.size());
    }
    // Symbols of the kernel, texts of printk, commands.
    data.put(std::uint32_t{0}).put(std::uint32_t{0}).put(std::uint64_t{0});
    return data;
  }

  ByteOrder order_;
  std::vector<Event> events_;
  std::vector<PerfTracepoint> tracepoints_;
  PerfDataBytes records_;
};

}  // namespace gprof::test
