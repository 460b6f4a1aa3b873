// A file that holds computed data so that a later process need not compute it again: arrays,
// numbers and texts, one after the other, in their in-memory layout.
//
// It is a cache for this machine, not an exchange format: it states its byte order, element sizes
// and version, and a difference in any of them makes the file void. Its blocks are checksummed; all
// are verified on opening, before anything is used, unless the caller knows that they were and that
// nobody wrote to the file since. That detects damage, not malice: a reader checks each size
// against the bytes available, and code that restores from it checks that what it reads points
// nowhere else (stored_checks.h).
// On a local file system the file is mapped: nobody writes to it, new ones are renamed over it.
// Elsewhere, where another machine may truncate it, it is read. Only the user who owns these files
// can still truncate a mapped one, which kills the process with SIGBUS. The file states the address
// it wants to be mapped at, so that pointers within it are right as stored; if that address is
// taken, displacement() tells readers of pointers how far off they are.
//
// Layout: items, each padded to eight bytes; then the trailer. An array is its element size, its
// length and its elements; a text its size and its bytes.
// Ownership: a SnapshotFile owns its mapping; views from a reader live as long as it does.
// Thread contract: SnapshotFile is immutable; writers and readers are for one thread.
// Errors: a writer keeps the first failure, which finish() returns; a reader that meets anything
// unexpected is no longer good() and yields zeros and empty lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/file_state.h"
#include "engine/support/flat_array.h"

namespace gprof {

class SnapshotFile {
 public:
  // How its bytes get into memory.
  enum class Access : std::uint8_t { by_file_system, read };

  // Null if there is no such file, or it is damaged, foreign or larger than `most_bytes`.
  // `verified`: the file_state() at which its bytes were last verified, if ever.
  static std::shared_ptr<const SnapshotFile> open(const std::filesystem::path& path,
                                                  std::uint64_t most_bytes,
                                                  std::string_view verified = {},
                                                  Access access = Access::by_file_system);
  ~SnapshotFile();
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  // The file_state() of the file with verified bytes.
  [[nodiscard]] const std::string& verified() const { return verified_; }
  // Without the trailer.
  [[nodiscard]] std::span<const std::byte> items() const { return items_; }
  // What to add to a stored pointer.
  [[nodiscard]] std::ptrdiff_t displacement() const { return displacement_; }

 private:
  SnapshotFile(std::span<const std::byte> mapped, std::string state)
      : mapped_(mapped), verified_(std::move(state)) {}
  [[nodiscard]] bool verify(bool all_bytes);

  std::span<const std::byte> mapped_;
  std::string verified_;
  std::span<const std::byte> items_;
  std::ptrdiff_t displacement_ = 0;
};

class SnapshotFileWriter {
 public:
  // The caller keeps the descriptor. `identity` is any number that few other files share: they
  // are to be mapped at other addresses.
  SnapshotFileWriter(int descriptor, std::uint64_t identity);

  template <typename T>
  void array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    number(sizeof(T));
    number(values.size());
    put(std::as_bytes(values));
    fill_up();
  }
  template <typename T>
  void array(const std::vector<T>& values) {
    array(std::span<const T>(values));
  }
  template <typename T>
  void array(const FlatArray<T>& values) {
    array(std::span<const T>(values));
  }
  template <typename T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, &value, sizeof value);
    put(std::as_bytes(std::span(&bytes, 1)));
  }
  void text(std::string_view text);
  // Where the bytes of the next text written will be.
  [[nodiscard]] const char* next_text() const;
  template <typename T>
  void optional(const std::optional<T>& value) {
    number(value.has_value());
    number(value.value_or(T{}));
  }
  // A list of anything but plain values: its length, then each element.
  template <typename List, typename Exchange>
  void list(const List& values, const Exchange& exchange) {
    number(values.size());
    for (const auto& value : values) exchange(value);
  }

  // Writes the trailer; fails if anything could not be written.
  [[nodiscard]] Expected<void> finish();

 private:
  void put(std::span<const std::byte> bytes);
  void fill_up();
  void write_block();

  int descriptor_;
  std::uint64_t address_;
  std::vector<std::byte> block_;  // not written yet
  std::uint64_t written_ = 0;
  std::uint64_t checksum_ = 0;
  std::optional<Error> failure_;
};

class SnapshotFileReader {
 public:
  // `index` may be null: the reader is then not good().
  explicit SnapshotFileReader(std::shared_ptr<const SnapshotFile> index)
      : index_(std::move(index)), good_(index_ != nullptr) {}

  template <typename T>
  std::span<const T> view() {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    std::uint64_t size = 0;
    std::uint64_t count = 0;
    number(size);
    number(count);
    if (size != sizeof(T)) fail();
    const std::byte* bytes = take(count, sizeof(T));
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const T*>(bytes), static_cast<std::size_t>(count)};
  }
  template <typename T>
  void array(std::vector<T>& values) {
    const std::span<const T> stored = view<T>();
    values.assign(stored.begin(), stored.end());
  }
  // Does not copy.
  template <typename T>
  void array(FlatArray<T>& values) {
    values = FlatArray<T>(view<T>(), index_);
  }
  template <typename T>
  void number(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    value = T{};
    const std::byte* bytes = take(1, 8);
    if (bytes == nullptr) return;
    if constexpr (std::is_same_v<T, bool>) {
      value = *bytes != std::byte{0};
      if (*bytes > std::byte{1}) fail();
    } else {
      std::memcpy(&value, bytes, sizeof value);
    }
  }
  void text(std::string& text) { text = view_text(); }
  [[nodiscard]] std::string_view view_text();
  template <typename T>
  void optional(std::optional<T>& value) {
    bool known = false;
    T stored{};
    number(known);
    number(stored);
    value = known ? std::optional<T>(stored) : std::nullopt;
  }
  template <typename List, typename Exchange>
  void list(List& values, const Exchange& exchange) {
    const std::size_t announced = count();
    // One by one: an element may take many times its eight bytes in memory.
    for (std::size_t i = 0; i < announced && good_; ++i) exchange(values.emplace_back());
  }

  [[nodiscard]] bool good() const { return good_; }
  // Call when a value is not valid.
  void fail() { good_ = false; }
  [[nodiscard]] const std::shared_ptr<const SnapshotFile>& index() const { return index_; }

 private:
  // The number of things that follow, each of at least eight bytes.
  [[nodiscard]] std::size_t count();
  // The next `count` elements of `size` bytes, padded to eight; null if there are fewer.
  const std::byte* take(std::uint64_t count, std::size_t size);

  std::shared_ptr<const SnapshotFile> index_;
  std::size_t at_ = 0;
  bool good_;
};

template <typename List, typename Stream>
void exchange_warnings(List& warnings, Stream& stream) {
  stream.list(warnings, [&](auto& warning) {
    stream.number(warning.code);
    if constexpr (std::is_same_v<Stream, SnapshotFileReader>) {
      if (warning.code > last_error_code) stream.fail();
    }
    stream.text(warning.message);
    stream.text(warning.path);
    stream.optional(warning.offset);
  });
}

template <typename Stream>
inline constexpr bool is_reader = std::is_same_v<Stream, SnapshotFileReader>;

template <typename List, typename Stream>
void exchange_versions(List& versions, Stream& stream) {
  stream.list(versions, [&](auto& version) {
    stream.text(version.path);
    stream.optional(version.changed);
    auto stamp = version.stamp.value_or(FileStamp{});
    bool known = version.stamp.has_value();
    stream.number(known);
    stream.number(stamp.device);
    stream.number(stamp.inode);
    stream.number(stamp.size);
    stream.number(stamp.modified);
    if constexpr (is_reader<Stream>) {
      version.stamp = known ? std::optional(stamp) : std::nullopt;
    }
  });
}

// A map of plain values, as a list of its entries.
template <typename Map, typename Stream>
void exchange_map(Map& map, Stream& stream) {
  struct Entry {
    typename Map::key_type key = {};
    typename Map::mapped_type value = {};
  };
  std::vector<Entry> entries;
  if constexpr (!is_reader<Stream>) {
    for (const auto& [key, value] : map) entries.push_back({key, value});
  }
  stream.array(entries);
  if constexpr (is_reader<Stream>) {
    for (const Entry& entry : entries) map.emplace_hint(map.end(), entry.key, entry.value);
  }
}

// Where snapshot files are kept, by key. Thread contract: any thread; other processes may do the
// same at the same time.
class SnapshotFileStore {
 public:
  SnapshotFileStore() = default;
  SnapshotFileStore(const SnapshotFileStore&) = delete;
  SnapshotFileStore& operator=(const SnapshotFileStore&) = delete;
  virtual ~SnapshotFileStore() = default;

  // Null if there is no usable one.
  [[nodiscard]] virtual std::shared_ptr<const SnapshotFile> find(std::string_view key) = 0;
};

}  // namespace gprof
