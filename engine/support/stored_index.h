// A file that holds what was computed once, so that a later process need not compute it again:
// arrays, numbers and texts, one behind the other, in the layout that they have in memory.
//
// It is a cache of this machine, not a format for others: byte order, sizes of elements and a
// version are told, and another one of any of them makes the file void. Blocks of it are
// checksummed; all are verified when it is opened, before anything of it is used, unless whoever
// opens it knows that they were, and that nobody wrote into the file since. That tells damage, not
// intent: a reader compares each size with the bytes that are there, and whoever restores something
// checks that what it reads leads nowhere else (stored_checks.h).
// On a local file system the file is mapped: nobody writes into it, new ones are renamed over it.
// Elsewhere, where another machine may cut it short, it is read. Only the user whose files these
// are can still cut short what is mapped, which ends the process with SIGBUS. It says at which
// address it wants to be, so that pointers in it to what is in it are right as they stand;
// displacement() tells whoever reads some where it could not have that address.
//
// Layout: items, each filled up to eight bytes; then the trailer. An array is the size of its
// elements, their number, and they; a text its size and its bytes.
// Ownership: a StoredIndex owns its mapping; what a reader views lives as long as it.
// Thread contract: StoredIndex is immutable; writers and readers are for one thread.
// Errors: a writer keeps the first failure, which finish() gives; a reader that meets something
// else than what was expected is no longer good(), and gives zeros and nothing.
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
#include "engine/support/flat_array.h"

namespace gprof {

class StoredIndex {
 public:
  // How its bytes come to be in memory.
  enum class Access : std::uint8_t { by_file_system, read };

  // Null where there is none, and where it is damaged, foreign or larger than `most_bytes`.
  // `verified`: the file_state() in which its bytes were found to be right, if they ever were.
  static std::shared_ptr<const StoredIndex> open(const std::filesystem::path& path,
                                                 std::uint64_t most_bytes,
                                                 std::string_view verified = {},
                                                 Access access = Access::by_file_system);
  ~StoredIndex();
  StoredIndex(const StoredIndex&) = delete;
  StoredIndex& operator=(const StoredIndex&) = delete;

  // The file_state() of the file, whose bytes are right.
  [[nodiscard]] const std::string& verified() const { return verified_; }
  // Without the trailer.
  [[nodiscard]] std::span<const std::byte> items() const { return items_; }
  // What is to be added to a pointer that was stored.
  [[nodiscard]] std::ptrdiff_t displacement() const { return displacement_; }

 private:
  StoredIndex(std::span<const std::byte> mapped, std::string state)
      : mapped_(mapped), verified_(std::move(state)) {}
  [[nodiscard]] bool verify(bool all_bytes);

  std::span<const std::byte> mapped_;
  std::string verified_;
  std::span<const std::byte> items_;
  std::ptrdiff_t displacement_ = 0;
};

class IndexWriter {
 public:
  // The descriptor is the caller's. `identity` is any number that other indexes hardly have: they
  // want to be at other addresses.
  IndexWriter(int descriptor, std::uint64_t identity);

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
  // Where the bytes of the text are going to be that is written next.
  [[nodiscard]] const char* next_text() const;
  template <typename T>
  void optional(const std::optional<T>& value) {
    number(value.has_value());
    number(value.value_or(T{}));
  }
  // Of anything that is not an array of plain values: how many there are, then each.
  template <typename List, typename Exchange>
  void list(const List& values, const Exchange& exchange) {
    number(values.size());
    for (const auto& value : values) exchange(value);
  }

  // The trailer, and whether all of it could be written.
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

class IndexReader {
 public:
  // `index` may be null: then nothing is good.
  explicit IndexReader(std::shared_ptr<const StoredIndex> index)
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
  // Not copied.
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
    // One by one: what an element takes in memory may be many times its eight bytes.
    for (std::size_t i = 0; i < announced && good_; ++i) exchange(values.emplace_back());
  }

  [[nodiscard]] bool good() const { return good_; }
  // Where a value is not what it has to be.
  void fail() { good_ = false; }
  [[nodiscard]] const std::shared_ptr<const StoredIndex>& index() const { return index_; }

 private:
  // Of things that follow: each of them takes eight bytes or more.
  [[nodiscard]] std::size_t count();
  // The next `count` elements of `size` bytes, filled up to eight; null where they are not there.
  const std::byte* take(std::uint64_t count, std::size_t size);

  std::shared_ptr<const StoredIndex> index_;
  std::size_t at_ = 0;
  bool good_;
};

template <typename List, typename Stream>
void exchange_warnings(List& warnings, Stream& stream) {
  stream.list(warnings, [&](auto& warning) {
    stream.number(warning.code);
    if constexpr (std::is_same_v<Stream, IndexReader>) {
      if (warning.code > last_error_code) stream.fail();
    }
    stream.text(warning.message);
    stream.text(warning.path);
    stream.optional(warning.offset);
  });
}

// Where indexes are kept, by what they are of.
// Thread contract: any thread; other processes may do the same at the same time.
class IndexStore {
 public:
  IndexStore() = default;
  IndexStore(const IndexStore&) = delete;
  IndexStore& operator=(const IndexStore&) = delete;
  virtual ~IndexStore() = default;

  // Null where there is none that can be used.
  [[nodiscard]] virtual std::shared_ptr<const StoredIndex> find(std::string_view key) = 0;
};

}  // namespace gprof
