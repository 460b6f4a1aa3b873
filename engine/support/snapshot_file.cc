#include "engine/support/snapshot_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "engine/support/file_state.h"
#include "engine/support/input_file.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

// Changes whenever the meaning of anything written does.
constexpr std::uint32_t format_version = 9;
constexpr std::array<char, 8> magic = {'g', 'p', 'r', 'o', 'f', 'i', 'd', 'x'};

struct Trailer {
  std::array<char, 8> magic = gprof::magic;
  std::uint32_t version = format_version;
  std::uint32_t byte_order = 0x01020304;
  std::uint64_t items_size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t address = 0;
};

// Far from where programs, heaps, libraries and stacks are. Two snapshot files of a process hardly
// ever want the same place.
constexpr std::uint64_t first_address = std::uint64_t{1} << 45;
constexpr std::uint64_t address_step = std::uint64_t{1} << 32;
constexpr std::uint64_t address_count = 4096;

constexpr std::uint64_t odd_multiplier = 0x9e3779b97f4a7c15U;

// Against random damage, not deliberate forgery. Eight sums side by side, so that memory is the
// bottleneck.
std::uint64_t checksum_of_block(std::span<const std::byte> block) {
  std::array<std::uint64_t, 8> sums = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto mix = [](std::uint64_t sum, std::uint64_t word) {
    return std::rotl((sum ^ word) * odd_multiplier, 29);
  };
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + at, std::min(block.size() - at, sizeof word));
    return word;
  };
  std::size_t at = 0;
  for (; at + 64 <= block.size(); at += 64) {
    std::array<std::uint64_t, 8> words = {};
    std::memcpy(words.data(), block.data() + at, sizeof words);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = mix(sums[i], words[i]);
  }
  for (; at < block.size(); at += 8) sums[0] = mix(sums[0], word_at(at));
  std::uint64_t sum = block.size();
  for (const std::uint64_t one : sums) sum = mix(sum, one ^ (one >> 31));
  return sum;
}

std::uint64_t joined(std::uint64_t checksum, std::uint64_t of_block) {
  return std::rotl((checksum ^ of_block) * odd_multiplier, 17) + 1;
}

// Over all blocks; on all processors if there is much to read.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  constexpr std::size_t worth_a_thread = 16;
  const std::size_t blocks = (bytes.size() + block_size - 1) / block_size;
  std::vector<std::uint64_t> sums(blocks);
  for_each_index(blocks, blocks < worth_a_thread ? 1 : processor_count(), [&](std::size_t i) {
    const auto rest = bytes.subspan(i * block_size);
    sums[i] = checksum_of_block(rest.first(std::min(rest.size(), block_size)));
  });
  std::uint64_t checksum = 0;
  for (const std::uint64_t sum : sums) checksum = joined(checksum, sum);
  return checksum;
}

// Whether only this machine writes there. Unknown file systems count as remote.
bool is_on_local_file_system(int descriptor) {
  constexpr std::array<std::uint32_t, 12> local = {
      0xEF53,      // ext2, ext3, ext4
      0x58465342,  // XFS
      0x9123683E,  // Btrfs
      0x01021994,  // tmpfs
      0x858458F6,  // ramfs
      0xF2F52010,  // F2FS
      0x2FC12FC1,  // ZFS
      0xCA451A4E,  // bcachefs
      0x3153464A,  // JFS
      0x52654973,  // ReiserFS
      0x794C7630,  // overlayfs
      0xF15F,      // eCryptfs
  };
  struct statfs status = {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  return std::find(local.begin(), local.end(), static_cast<std::uint32_t>(status.f_type)) !=
         local.end();
}

// Memory at that address if it is free, with the file's bytes; empty if out of memory.
std::span<const std::byte> bytes_at(void* wanted, const InputFile& file, bool mapped) {
  const auto size = static_cast<std::size_t>(file.size());
  if (mapped) {
    void* place = ::mmap(wanted, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (place == MAP_FAILED) return {};
    return {static_cast<const std::byte*>(place), size};
  }
  void* place = ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return {};
  const std::span<std::byte> bytes(static_cast<std::byte*>(place), size);
  if (file.read_into(0, bytes) && ::mprotect(place, size, PROT_READ) == 0) return bytes;
  ::munmap(place, size);
  return {};
}

}  // namespace

std::shared_ptr<const SnapshotFile> SnapshotFile::open(const std::filesystem::path& path,
                                                       std::uint64_t most_bytes,
                                                       std::string_view verified, Access access) {
  const auto file = InputFile::open(path, FileUse::own);
  if (!file || file->size() < sizeof(Trailer) || file->size() > most_bytes) return nullptr;
  const auto size = static_cast<std::size_t>(file->size());
  const auto end = file->read_at(size - sizeof(Trailer), sizeof(Trailer));
  if (!end) return nullptr;
  Trailer trailer;
  std::memcpy(&trailer, end->data(), sizeof trailer);
  // Only a wish: if something is there already, it becomes another place.
  void* wanted = reinterpret_cast<void*>(trailer.address);  // NOLINT(performance-no-int-to-ptr)
  std::string state = file_state(file->descriptor());
  const bool is_known = !state.empty() && state == verified;
  const bool mapped =
      access == Access::by_file_system && is_on_local_file_system(file->descriptor());
  const auto bytes = bytes_at(wanted, *file, mapped);
  if (bytes.empty()) return nullptr;
  std::shared_ptr<SnapshotFile> snapshot(new SnapshotFile(bytes, std::move(state)));
  // Touching pages that the file has lost since would kill the process.
  if (file->written_since() || !snapshot->verify(!is_known)) return nullptr;
  return snapshot;
}

SnapshotFile::~SnapshotFile() { ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size()); }

bool SnapshotFile::verify(bool all_bytes) {
  Trailer found;
  std::memcpy(&found, mapped_.data() + mapped_.size() - sizeof found, sizeof found);
  const Trailer expected;
  if (found.magic != expected.magic || found.version != expected.version ||
      found.byte_order != expected.byte_order ||
      found.items_size != mapped_.size() - sizeof found) {
    return false;
  }
  items_ = mapped_.first(mapped_.size() - sizeof found);
  const auto place = reinterpret_cast<std::uintptr_t>(mapped_.data());
  displacement_ = static_cast<std::ptrdiff_t>(place - found.address);
  return !all_bytes || joined(checksum_of(items_), found.address) == found.checksum;
}

SnapshotFileWriter::SnapshotFileWriter(int descriptor, std::uint64_t identity)
    : descriptor_(descriptor), address_(first_address + identity % address_count * address_step) {}

const char* SnapshotFileWriter::next_text() const {
  const std::uint64_t size_of_size = 8;
  const std::uint64_t place = address_ + written_ + block_.size() + size_of_size;
  return reinterpret_cast<const char*>(place);  // NOLINT(performance-no-int-to-ptr): to be mapped
}

void SnapshotFileWriter::text(std::string_view text) {
  number(text.size());
  put(std::as_bytes(std::span(text)));
  fill_up();
}

void SnapshotFileWriter::put(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), block_size - block_.size());
    block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
    bytes = bytes.subspan(part);
    if (block_.size() == block_size) write_block();
  }
}

void SnapshotFileWriter::fill_up() {
  constexpr std::array<std::byte, 8> zeros = {};
  const std::size_t over = block_.size() % zeros.size();
  if (over != 0) put(std::span(zeros).first(zeros.size() - over));
}

void SnapshotFileWriter::write_block() {
  if (block_.empty()) return;
  checksum_ = joined(checksum_, checksum_of_block(block_));
  written_ += block_.size();
  std::span<const std::byte> rest = block_;
  while (!rest.empty() && !failure_) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      failure_ = Error{ErrorCode::unreadable,
                       fmt::format("cannot write: {}", std::generic_category().message(errno)),
                       "",
                       {}};
      break;
    }
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
  block_.clear();
}

Expected<void> SnapshotFileWriter::finish() {
  write_block();
  Trailer trailer;
  trailer.items_size = written_;
  trailer.checksum = joined(checksum_, address_);
  trailer.address = address_;
  const auto bytes = std::as_bytes(std::span(&trailer, 1));
  block_.assign(bytes.begin(), bytes.end());
  write_block();
  if (failure_) return *failure_;
  return {};
}

std::string_view SnapshotFileReader::view_text() {
  std::uint64_t size = 0;
  number(size);
  const std::byte* bytes = take(size, 1);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::size_t SnapshotFileReader::count() {
  std::uint64_t count = 0;
  number(count);
  if (!good_ || count > (index_->items().size() - at_) / 8) {
    fail();
    return 0;
  }
  return static_cast<std::size_t>(count);
}

const std::byte* SnapshotFileReader::take(std::uint64_t count, std::size_t size) {
  if (!good_) return nullptr;
  const std::size_t left = index_->items().size() - at_;
  if (count > left / size) {
    fail();
    return nullptr;
  }
  const std::byte* begin = index_->items().data() + at_;
  const std::size_t taken = static_cast<std::size_t>(count) * size;
  at_ += std::min(left, (taken + 7) / 8 * 8);
  return begin;
}

}  // namespace gprof
