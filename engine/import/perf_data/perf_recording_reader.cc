#include "engine/import/perf_data/perf_recording_reader.h"

#include <algorithm>
#include <utility>

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/support/hexadecimal.h"

namespace gprof::perf_data {
namespace {

constexpr std::size_t fewest_pieces = std::size_t{1} << 16;
constexpr std::uint64_t bytes_of_piece = 64;
constexpr std::uint32_t last_kernel_type = 22;  // those that are known
constexpr std::uint32_t last_tool_type = 84;

// What happened to a process. Records of several processors are not in the order of time.
struct Happening {
  enum class Kind : std::uint8_t { map, fork, exec, name };

  std::uint64_t time = 0;
  Kind kind = Kind::map;
  std::uint32_t process = 0;
  std::uint32_t other = 0;  // a parent, or a thread
  PerfMapping mapping;
  std::string name;
};

class Overviewer {
 public:
  explicit Overviewer(PerfDataFile& file, bool by_process)
      : file_(file),
        by_process_(by_process),
        most_(fewest_pieces + static_cast<std::size_t>(file.size() / bytes_of_piece)),
        found_(most_) {}

  PerfOverview look(std::uint64_t most_bytes) {
    const auto walked = file_.for_each_record(
        [&](const PerfRecord& record) {
          see(record);
          return true;
        },
        most_bytes);
    if (!walked) found_.damage = walked.error();
    std::stable_sort(happenings_.begin(), happenings_.end(),
                     [](const Happening& a, const Happening& b) { return a.time < b.time; });
    for (const Happening& happening : happenings_) tell(happening);
    found_.processes.finish();
    found_.is_full = happenings_.size() >= most_ || found_.processes.is_full();
    return std::move(found_);
  }

 private:
  void see(const PerfRecord& record) {
    if (record.type > record::last_of_kernel) {
      if (record.type > last_tool_type) see_unknown(record);
      return;
    }
    // Compressed ones may be many.
    if (record.type != record::sample && happenings_.size() >= most_) return;
    const auto event = file_.event_of(record);
    if (!event) {
      if (record.type == record::sample) see_unknown(record);
      return;
    }
    const PerfAttr& attr = file_.attrs()[*event];
    switch (record.type) {
      case record::sample:
        see_sample(record, attr);
        break;
      case record::mmap:
      case record::mmap2:
        see_mapping(record, attr);
        break;
      case record::comm:
        see_name(record, attr);
        break;
      case record::fork:
        see_fork(record);
        break;
      case record::lost:
        found_.lost += number_at(record, 8);
        break;
      case record::lost_samples:
        found_.lost += number_at(record, 0);
        break;
      default:
        if (record.type == 0 || record.type > last_kernel_type) see_unknown(record);
        break;
    }
  }

  void see_unknown(const PerfRecord& record) {
    if (found_.unknown++ == 0) found_.first_unknown = record.offset;
  }

  [[nodiscard]] std::uint64_t number_at(const PerfRecord& record, std::size_t place) const {
    if (record.body.size() < place + 8) return 0;
    return stored_integer<std::uint64_t>(record.body.data() + place, file_.order());
  }

  void see_sample(const PerfRecord& record, const PerfAttr& attr) {
    ++found_.samples;
    if (const auto time = time_of_sample(record, attr, file_.order())) {
      found_.first_time = std::min(found_.first_time, *time);
      found_.last_time = std::max(found_.last_time, *time);
    }
    if (!by_process_) return;
    const auto sample = parse_sample(record, attr, file_.order());
    if (sample) ++found_.samples_of[sample->process];
  }

  Happening& happen(Happening::Kind kind, const PerfRecord& record, const PerfAttr& attr) {
    Happening& happening = happenings_.emplace_back();
    happening.kind = kind;
    happening.time = time_of_other(record, attr, file_.order());
    return happening;
  }

  void see_mapping(const PerfRecord& record, const PerfAttr& attr) {
    // Data is not executed.
    const std::uint16_t mode = record.misc & misc::mode_mask;
    if ((record.misc & misc::mmap_data) != 0 || mode == misc::guest_kernel) return;
    dwarf::ByteCursor cursor(record.body, file_.order());
    PerfMapping mapping;
    mapping.process = static_cast<std::uint32_t>(cursor.fixed(4));
    cursor.skip(4);
    mapping.low = cursor.fixed(8);
    mapping.high = mapping.low + cursor.fixed(8);
    mapping.file_offset = cursor.fixed(8);
    if (record.type == record::mmap2) {
      if ((record.misc & misc::mmap_build_id) != 0) {
        const std::size_t size = std::min<std::size_t>(cursor.byte(), longest_build_id);
        cursor.skip(3);
        const auto begin = static_cast<std::size_t>(cursor.position());
        cursor.skip(longest_build_id);
        if (cursor.ended_early()) return;
        mapping.build_id = hexadecimal(record.body.subspan(begin, size));
      } else {
        cursor.skip(24);
      }
      cursor.skip(8);
    }
    mapping.path = cursor.string();
    if (cursor.ended_early()) return;
    if (mode == misc::kernel) return see_kernel(mapping);
    happen(Happening::Kind::map, record, attr).mapping = std::move(mapping);
  }

  // "[kernel.kallsyms]" and a symbol, whose address stands in place of an offset.
  void see_kernel(const PerfMapping& mapping) {
    const std::string_view path = mapping.path;
    if (found_.kernel || !path.starts_with(kernel_path)) return;
    found_.kernel = KernelBase{std::string(path.substr(kernel_path.size())), mapping.file_offset};
  }

  void see_name(const PerfRecord& record, const PerfAttr& attr) {
    dwarf::ByteCursor cursor(record.body, file_.order());
    const auto process = static_cast<std::uint32_t>(cursor.fixed(4));
    const auto thread = static_cast<std::uint32_t>(cursor.fixed(4));
    const std::string_view name = cursor.string();
    if (cursor.ended_early()) return;
    const bool is_exec = (record.misc & misc::comm_exec) != 0;
    if (is_exec) happen(Happening::Kind::exec, record, attr).process = process;
    Happening& naming = happen(Happening::Kind::name, record, attr);
    naming.process = process;
    naming.other = thread;
    naming.name = name;
  }

  void see_fork(const PerfRecord& record) {
    dwarf::ByteCursor cursor(record.body, file_.order());
    Happening fork;
    fork.kind = Happening::Kind::fork;
    fork.process = static_cast<std::uint32_t>(cursor.fixed(4));
    fork.other = static_cast<std::uint32_t>(cursor.fixed(4));
    cursor.skip(8);
    fork.time = cursor.fixed(8);
    if (!cursor.ended_early()) happenings_.push_back(std::move(fork));
  }

  void tell(const Happening& happening) {
    PerfProcesses& processes = found_.processes;
    switch (happening.kind) {
      case Happening::Kind::map:
        processes.map(happening.mapping, happening.time);
        break;
      case Happening::Kind::fork:
        processes.fork(happening.other, happening.process, happening.time);
        break;
      case Happening::Kind::exec:
        processes.begin_image(happening.process, happening.time);
        break;
      case Happening::Kind::name:
        processes.name_thread(happening.process, happening.other, happening.name);
        break;
    }
  }

  static constexpr std::size_t longest_build_id = 20;

  PerfDataFile& file_;
  const bool by_process_;
  const std::size_t most_;
  PerfOverview found_;
  std::vector<Happening> happenings_;
};

}  // namespace

PerfOverview look_through(PerfDataFile& file, bool by_process, std::uint64_t most_bytes) {
  return Overviewer(file, by_process).look(most_bytes);
}

}  // namespace gprof::perf_data
