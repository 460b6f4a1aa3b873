#include "server/cli/record/perf_data_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/import/perf_data/perf_format.h"
#include "engine/support/byte_writer.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t pending_bytes = std::size_t{1} << 20;
// Texts are padded to a multiple of this.
constexpr std::size_t text_unit = 64;
constexpr std::uint32_t finished_round = 68;  // PERF_RECORD_FINISHED_ROUND
constexpr std::size_t build_id_room = 20;
// perf's number of the host, in place of a process.
constexpr std::uint32_t host = 0xffffffff;

ByteWriter new_bytes() { return {ByteOrder::little, PointerWidth::eight}; }

std::size_t padded_size(std::string_view text) {
  return (text.size() + 1 + text_unit - 1) / text_unit * text_unit;
}

void put_sized_text(ByteWriter& bytes, std::string_view text) {
  bytes.put(padded_size(text), 4);
  bytes.put_text(text, padded_size(text));
}

void put_event(ByteWriter& bytes, const perf_event_attr& event) {
  const auto stored = std::as_bytes(std::span(&event, 1));
  bytes.put_text({reinterpret_cast<const char*>(stored.data()), stored.size()}, stored.size());
}

std::vector<std::byte> text_feature(std::string_view text) {
  ByteWriter bytes = new_bytes();
  put_sized_text(bytes, text);
  return bytes.take();
}

std::vector<std::byte> event_feature(const perf_event_attr& event, std::string_view name,
                                     const std::vector<std::uint64_t>& numbers) {
  ByteWriter bytes = new_bytes();
  bytes.put(1, 4);
  bytes.put(sizeof event, 4);
  put_event(bytes, event);
  bytes.put(numbers.size(), 4);
  put_sized_text(bytes, name);
  for (const std::uint64_t number : numbers) bytes.put(number, 8);
  return bytes.take();
}

std::vector<std::byte> builds_feature(const std::map<std::string, RecordedBuild>& builds) {
  namespace misc = perf_data::misc;
  ByteWriter bytes = new_bytes();
  for (const auto& [path, build] : builds) {
    const std::size_t id_size = std::min(build.build_id.size(), build_id_room);
    bytes.put(0, 4);
    bytes.put((build.is_kernel ? misc::kernel : misc::user) | misc::has_build_id_size, 2);
    bytes.put(perf_data::record_header_size + 4 + 24 + padded_size(path), 2);
    bytes.put(host, 4);
    for (std::size_t i = 0; i < build_id_room; ++i) {
      bytes.put(i < id_size ? std::to_integer<std::uint64_t>(build.build_id[i]) : 0, 1);
    }
    bytes.put(id_size, 4);
    bytes.put_text(path, padded_size(path));
  }
  return bytes.take();
}

}  // namespace

PerfDataWriter::PerfDataWriter(NewFile file, std::string path, const perf_event_attr& event,
                               std::vector<std::uint64_t> numbers)
    : file_(std::move(file)), path_(std::move(path)), event_(event), numbers_(std::move(numbers)) {}

Expected<PerfDataWriter> PerfDataWriter::create(const fs::path& path, const perf_event_attr& event,
                                                std::vector<std::uint64_t> numbers) {
  TRY_ASSIGN(auto file, NewFile::create(path, Readers::owner_alone));
  // Even if others may read the file that it replaces: copies of stacks may hold secrets.
  if (fchmod(file.descriptor(), S_IRUSR | S_IWUSR) != 0) {
    return Error{ErrorCode::unreadable,
                 "cannot be kept from other users: " + std::system_category().message(errno),
                 path.string(), std::nullopt};
  }
  PerfDataWriter writer(std::move(file), path.string(), event, std::move(numbers));
  const auto start = writer.event_and_numbers();
  writer.begin_ = perf_data::file_header_size + start.size();
  // A reader of an unfinished file learns from the header that it has no records yet.
  const auto head = writer.header(0);
  if (!writer.write_at(0, head) || !writer.write_at(head.size(), start)) {
    return Error{ErrorCode::unreadable,
                 "cannot be written: " + std::system_category().message(writer.error_),
                 path.string(), std::nullopt};
  }
  return writer;
}

void PerfDataWriter::add(std::span<const std::byte> record) {
  if (failed_) return;
  pending_.insert(pending_.end(), record.begin(), record.end());
  if (pending_.size() >= pending_bytes) flush();
}

void PerfDataWriter::end_round() {
  ByteWriter bytes = new_bytes();
  bytes.put(finished_round, 4);
  bytes.put(0, 2);
  bytes.put(perf_data::record_header_size, 2);
  add(bytes.take());
}

void PerfDataWriter::flush() {
  if (failed_ || pending_.empty()) return;
  if (write_at(begin_ + written_, pending_)) {
    written_ += pending_.size();
  } else {
    failed_ = true;
  }
  pending_.clear();
}

bool PerfDataWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(file_.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error_ = errno;
      return false;
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

// The description of the event, with the place of its numbers, which follow it.
std::vector<std::byte> PerfDataWriter::event_and_numbers() const {
  ByteWriter bytes = new_bytes();
  put_event(bytes, event_);
  bytes.put(perf_data::file_header_size + sizeof event_ + 16, 8);
  bytes.put(8 * numbers_.size(), 8);
  for (const std::uint64_t number : numbers_) bytes.put(number, 8);
  return bytes.take();
}

std::vector<std::byte> PerfDataWriter::header(std::uint64_t features) const {
  ByteWriter bytes = new_bytes();
  bytes.put_text(perf_data::magic, 8);
  bytes.put(perf_data::file_header_size, 8);
  constexpr std::uint64_t entry_size = sizeof event_ + 16;
  bytes.put(entry_size, 8);
  bytes.put(perf_data::file_header_size, 8);
  bytes.put(entry_size, 8);
  bytes.put(begin_, 8);
  bytes.put(written_, 8);
  bytes.put(0, 8);
  bytes.put(0, 8);
  bytes.put(features, 8);
  for (int i = 0; i < 3; ++i) bytes.put(0, 8);
  return bytes.take();
}

// A table of the features' places and sizes follows the records, and the features follow the table,
// both in the order of their bits.
bool PerfDataWriter::write_features(const PerfDataFeatures& features) {
  const std::array contents = {
      builds_feature(features.builds), text_feature(features.kernel_release),
      text_feature(features.machine), event_feature(event_, features.event_name, numbers_)};
  const std::uint64_t table = begin_ + written_;
  std::uint64_t place = table + 16 * contents.size();
  ByteWriter places = new_bytes();
  for (const auto& content : contents) {
    places.put(place, 8);
    places.put(content.size(), 8);
    place += content.size();
  }
  std::vector<std::byte> bytes = places.take();
  for (const auto& content : contents) bytes.insert(bytes.end(), content.begin(), content.end());
  return write_at(table, bytes);
}

Expected<void> PerfDataWriter::finish(const PerfDataFeatures& features) {
  namespace feature = perf_data::feature;
  flush();
  // If the disk is full, names and build-ids are lost, but not the samples.
  const bool has_features = write_features(features);
  const std::uint64_t bits =
      std::uint64_t{1} << feature::build_id | std::uint64_t{1} << feature::kernel_release |
      std::uint64_t{1} << feature::arch | std::uint64_t{1} << feature::event_description;
  if (!write_at(0, header(has_features ? bits : 0))) {
    return Error{ErrorCode::unreadable,
                 "cannot be written: " + std::system_category().message(error_), path_,
                 std::nullopt};
  }
  return file_.commit();
}

}  // namespace gprof::lsp
