#include "server/cli/record/recorded_process.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "engine/import/perf_data/kernel_symbols.h"
#include "engine/import/perf_data/perf_format.h"
#include "engine/object/image.h"
#include "engine/support/byte_writer.h"
#include "server/cli/record/attach_target.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// What perf calls a mapping without a file.
constexpr std::string_view no_file = "//anon";
// perf's number of the kernel, in place of a process.
constexpr std::uint32_t no_process = 0xffffffff;
// Bytes of a thread's name, with the final zero.
constexpr std::size_t thread_name_room = 16;
constexpr std::size_t longest_path = 4096;

// Takes words and numbers from the start of a line.
class LineWords {
 public:
  explicit LineWords(std::string_view line) : rest_(line) {}

  std::string_view word(char separator = ' ') {
    const std::size_t end = std::min(rest_.find(separator), rest_.size());
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return taken;
  }
  std::uint64_t number(char separator, int base = 16) {
    const std::string_view digits = word(separator);
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return value;
  }
  // What follows the blanks.
  std::string_view rest() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_;
  }

 private:
  std::string_view rest_;
};

bool is_file(std::string_view path) { return path.starts_with('/') && !path.starts_with("//"); }

bool is_code(const RecordedMapping& mapping) { return (mapping.protection & PROT_EXEC) != 0; }

// LOW-HIGH PERMISSIONS OFFSET MAJOR:MINOR INODE PATH; none if it holds neither code nor a file that
// is only read.
std::optional<RecordedMapping> mapping_in(std::string_view line) {
  LineWords words(line);
  RecordedMapping mapping;
  mapping.low = words.number('-');
  mapping.high = words.number(' ');
  const std::string_view permissions = words.word();
  if (permissions.size() < 4) return std::nullopt;
  if (permissions[0] == 'r') mapping.protection |= PROT_READ;
  if (permissions[1] == 'w') mapping.protection |= PROT_WRITE;
  if (permissions[2] == 'x') mapping.protection |= PROT_EXEC;
  mapping.flags = permissions[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  mapping.offset = words.number(' ');
  mapping.major = static_cast<std::uint32_t>(words.number(':'));
  mapping.minor = static_cast<std::uint32_t>(words.number(' '));
  mapping.inode = words.number(' ', 10);
  std::string_view path = words.rest();
  if (path.size() > longest_path) return std::nullopt;
  // The linker may have replaced a running program: its path is recorded all the same, and its
  // build-id shows that the file of that name is another build.
  if (path.starts_with('/') && path.ends_with(removed_ending)) {
    path.remove_suffix(removed_ending.size());
  }
  const bool is_read_file = mapping.protection == PROT_READ && is_file(path);
  if (!is_code(mapping) && !is_read_file) return std::nullopt;
  mapping.path = path.empty() ? no_file : path;
  return mapping.low < mapping.high ? std::optional(std::move(mapping)) : std::nullopt;
}

// Adds what each record ends with: the process, the thread, the time and the event's number.
PerfRecordBytes finished_record(std::uint32_t type, std::uint16_t mode, std::uint32_t process,
                                std::uint32_t thread, std::uint64_t number, ByteWriter body) {
  const std::vector<std::byte> content = body.take();
  ByteWriter record(ByteOrder::little, PointerWidth::eight);
  constexpr std::size_t ending = 24;
  record.put(type, 4);
  record.put(mode, 2);
  record.put(perf_data::record_header_size + content.size() + ending, 2);
  record.put_text({reinterpret_cast<const char*>(content.data()), content.size()}, content.size());
  record.put(process, 4);
  record.put(thread, 4);
  record.put(0, 8);
  record.put(number, 8);
  return record.take();
}

std::size_t padded_text(std::string_view text) { return (text.size() + 8) / 8 * 8; }

PerfRecordBytes kernel_record(const KernelCode& code, std::uint64_t number) {
  const std::string path = fmt::format("{}_text", perf_data::kernel_path);
  ByteWriter body(ByteOrder::little, PointerWidth::eight);
  body.put(no_process, 4);
  body.put(0, 4);
  body.put(code.begin, 8);
  body.put(code.end - code.begin, 8);
  body.put(code.begin, 8);
  body.put_text(path, padded_text(path));
  return finished_record(perf_data::record::mmap, perf_data::misc::kernel, 0, 0, number,
                         std::move(body));
}

std::vector<std::byte> build_id_in(const fs::path& path) {
  const auto image = Image::open(path);
  if (!image) return {};
  const auto id = (*image)->build_id();
  return {id.begin(), id.end()};
}

}  // namespace

std::optional<KernelCode> kernel_code() {
  std::ifstream symbols("/proc/kallsyms");
  KernelCode code;
  for (std::string line; (code.begin == 0 || code.end == 0) && std::getline(symbols, line);) {
    LineWords words(line);
    const std::uint64_t address = words.number(' ');
    words.word();
    const std::string_view name = words.rest();
    if (address == 0) continue;
    if (name == "_text") code.begin = address;
    if (name == "_etext") code.end = address;
  }
  return code.begin != 0 && code.begin < code.end ? std::optional(code) : std::nullopt;
}

std::vector<RecordedMapping> recorded_mappings(std::string_view maps, std::string_view executable) {
  std::vector<RecordedMapping> mappings;
  while (!maps.empty()) {
    const std::size_t end = std::min(maps.find('\n'), maps.size());
    if (auto mapping = mapping_in(maps.substr(0, end))) mappings.push_back(*std::move(mapping));
    maps.remove_prefix(std::min(end + 1, maps.size()));
  }
  std::stable_partition(mappings.begin(), mappings.end(),
                        [&](const RecordedMapping& mapping) { return mapping.path == executable; });
  return mappings;
}

PerfRecordBytes mapping_record(std::uint32_t process, const RecordedMapping& mapping,
                               std::uint64_t number) {
  ByteWriter body(ByteOrder::little, PointerWidth::eight);
  body.put(process, 4);
  body.put(process, 4);
  body.put(mapping.low, 8);
  body.put(mapping.high - mapping.low, 8);
  body.put(mapping.offset, 8);
  body.put(mapping.major, 4);
  body.put(mapping.minor, 4);
  body.put(mapping.inode, 8);
  body.put(0, 8);  // the inode's generation
  body.put(mapping.protection, 4);
  body.put(mapping.flags, 4);
  body.put_text(mapping.path, padded_text(mapping.path));
  const std::uint16_t data = is_code(mapping) ? 0 : perf_data::misc::mmap_data;
  return finished_record(perf_data::record::mmap2, perf_data::misc::user | data, process, process,
                         number, std::move(body));
}

PerfRecordBytes thread_name_record(std::uint32_t process, std::uint32_t thread,
                                   std::string_view name, std::uint64_t number) {
  ByteWriter body(ByteOrder::little, PointerWidth::eight);
  body.put(process, 4);
  body.put(thread, 4);
  body.put_text(name.substr(0, thread_name_room - 1), thread_name_room);
  return finished_record(perf_data::record::comm, 0, process, thread, number, std::move(body));
}

RecordedProcess describe_process(std::uint32_t process, std::string_view executable,
                                 std::uint64_t number, const std::optional<KernelCode>& kernel) {
  RecordedProcess described;
  if (kernel) described.records.push_back(kernel_record(*kernel, number));
  for (const std::uint32_t thread : threads_of(process)) {
    std::string name = proc_text(fmt::format("/proc/{}/task/{}/comm", process, thread));
    if (name.ends_with('\n')) name.pop_back();
    described.records.push_back(thread_name_record(process, thread, name, number));
  }
  const std::string maps = proc_text(fmt::format("/proc/{}/maps", process));
  for (const RecordedMapping& mapping : recorded_mappings(maps, executable)) {
    described.records.push_back(mapping_record(process, mapping, number));
    if (is_code(mapping) && is_file(mapping.path)) described.code_files.insert(mapping.path);
  }
  return described;
}

std::map<std::string, RecordedBuild> builds_of(std::uint32_t process, std::string_view executable,
                                               const fs::path& held,
                                               const std::set<std::string>& files) {
  std::map<std::string, RecordedBuild> builds;
  for (const std::string& path : files) {
    // The process may see other files than this one does, or have ended.
    std::vector<std::byte> id;
    if (path == executable) id = build_id_in(held);
    if (id.empty()) id = build_id_in(fmt::format("/proc/{}/root{}", process, path));
    if (id.empty()) id = build_id_in(path);
    if (!id.empty()) builds[path] = {std::move(id), false};
  }
  return builds;
}

std::optional<RecordedBuild> kernel_build() {
  const std::string digits = perf_data::running_kernel_build_id();
  RecordedBuild build{{}, true};
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
    std::uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    build.build_id.push_back(std::byte{byte});
  }
  return build.build_id.empty() ? std::nullopt : std::optional(std::move(build));
}

}  // namespace gprof::lsp
