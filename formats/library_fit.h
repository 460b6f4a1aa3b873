// Whether the collector's library can be loaded into an executable file, as its headers show: the
// ELF interpreter that the kernel would start must be glibc's dynamic linker of this processor, not
// older than the library needs. Scripts are followed to their interpreter. `record` asks this of
// the program that it starts, the collector of what its process executes.
//
// `File` reads a file, without libc where that is needed:
//   bool open(const char* path)                                 // closed by its destructor
//   std::size_t read(std::uint64_t offset, void* to, std::size_t size)   // what could be read
//   static long read_link(const char* path, char* to, std::size_t size)  // negative: no link
//   static bool is_known_linker(const char* path)               // needs no examination
//
// Thread contract: that of `File`; uses some 4 KiB of stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include <elf.h>

namespace gprof_formats {

enum class LibraryFit : std::uint8_t {
  unknown,        // the file cannot be read, or is of another format
  loads,          // the library can be loaded
  reads_nothing,  // static: LD_PRELOAD has no effect on it
  other_libc,     // another dynamic linker than glibc's
  old_libc,       // a glibc that does not have what the library needs
  other_machine,  // another processor, word size or byte order
};

// glibc's name of its dynamic linker, by which every version of it identifies itself, and a symbol
// version that it has since 2.17.
#if defined(__x86_64__)
inline constexpr unsigned library_machine = EM_X86_64;
inline constexpr const char* linker_soname = "ld-linux-x86-64.so.2";
inline constexpr const char* needed_version = "GLIBC_2.17";
#else
inline constexpr unsigned library_machine = EM_AARCH64;
inline constexpr const char* linker_soname = "ld-linux-aarch64.so.1";
inline constexpr const char* needed_version = nullptr;  // no glibc for this processor is older
#endif

namespace library_fit {

// As the kernel follows "#!" from script to script.
inline constexpr int max_scripts = 5;
inline constexpr std::size_t script_line_size = 256;
inline constexpr std::size_t max_program_headers = 256;
inline constexpr std::size_t max_dynamic_entries = 512;
inline constexpr std::size_t block_size = 1024;

// A path in the caller's memory; cut where it is too long.
class Path {
 public:
  Path() { text_[0] = '\0'; }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  void set(const char* text, std::size_t length) {
    length_ = 0;
    add(text, length);
  }
  void add(const char* text, std::size_t length) {
    for (std::size_t i = 0; i < length && length_ + 1 < sizeof text_; ++i) {
      text_[length_++] = text[i];
    }
    text_[length_] = '\0';
  }
  // Up to the last '/', and with it.
  void remove_name() {
    while (length_ != 0 && text_[length_ - 1] != '/') --length_;
    text_[length_] = '\0';
  }
  [[nodiscard]] const char* c_str() const { return text_; }
  [[nodiscard]] std::size_t size() const { return length_; }

 private:
  char text_[1024];
  std::size_t length_ = 0;
};

inline std::size_t length_of(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

inline bool is_same(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

template <class File, class Struct>
bool read_struct(const File& file, std::uint64_t offset, Struct* to) {
  return file.read(offset, to, sizeof *to) == sizeof *to;
}

// A zero-terminated text of at most `length` bytes.
template <class File, std::size_t Size>
bool read_text(const File& file, std::uint64_t offset, std::uint64_t length, char (&to)[Size]) {
  const std::size_t size = file.read(offset, to, length < Size - 1 ? length : Size - 1);
  to[size] = '\0';
  return size != 0;
}

inline bool is_elf(const Elf64_Ehdr& header) {
  return header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1 &&
         header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3;
}

// Both processors of the collector are little-endian.
inline bool is_of_this_machine(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_machine == library_machine;
}

// The program headers of a file.
template <class File>
class Segments {
 public:
  Segments(const File& file, const Elf64_Ehdr& header)
      : file_(file), offset_(header.e_phoff), count_(header.e_phnum) {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || count_ > max_program_headers) count_ = 0;
  }

  bool find(std::uint32_t type, Elf64_Phdr* found) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!read(i, found)) return false;
      if (found->p_type == type) return true;
    }
    return false;
  }

  // The file offset of the byte that is loaded at that address.
  bool offset_of(std::uint64_t address, std::uint64_t* offset) const {
    Elf64_Phdr segment;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!read(i, &segment)) return false;
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
          address - segment.p_vaddr >= segment.p_filesz) {
        continue;
      }
      *offset = segment.p_offset + (address - segment.p_vaddr);
      return true;
    }
    return false;
  }

 private:
  bool read(std::size_t index, Elf64_Phdr* segment) const {
    return read_struct(file_, offset_ + index * sizeof *segment, segment);
  }

  const File& file_;
  std::uint64_t offset_;
  std::size_t count_;
};

// The parts of the dynamic section that are needed here.
struct DynamicFacts {
  bool has_soname = false;
  char soname[64] = {};
  std::uint64_t strings = 0;  // file offset of the names of its symbols
  std::uint64_t strings_size = 0;
};

template <class File>
DynamicFacts read_dynamic_facts(const File& file, const Segments<File>& segments) {
  DynamicFacts facts;
  Elf64_Phdr dynamic;
  if (!segments.find(PT_DYNAMIC, &dynamic)) return facts;
  std::uint64_t address = 0;
  std::uint64_t soname = 0;
  for (std::size_t i = 0; i < max_dynamic_entries; ++i) {
    Elf64_Dyn entry;
    if (!read_struct(file, dynamic.p_offset + i * sizeof entry, &entry)) break;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) facts.strings_size = entry.d_un.d_val;
    if (entry.d_tag != DT_SONAME) continue;
    soname = entry.d_un.d_val;
    facts.has_soname = true;
  }
  if (!segments.offset_of(address, &facts.strings)) return {};
  facts.has_soname = facts.has_soname &&
                     read_text(file, facts.strings + soname, sizeof facts.soname, facts.soname);
  return facts;
}

// Whether these bytes of the file have the text, zero-terminated.
template <class File>
bool has_text(const File& file, std::uint64_t offset, std::uint64_t end, const char* text) {
  const std::size_t length = length_of(text) + 1;
  constexpr std::uint64_t max_searched = std::uint64_t{1} << 20;
  if (end - offset > max_searched) end = offset + max_searched;
  char block[block_size];
  for (; offset < end; offset += sizeof block - length) {
    const std::uint64_t left = end - offset;
    const std::size_t wanted = left < sizeof block ? left : sizeof block;
    const std::size_t size = file.read(offset, block, wanted);
    for (std::size_t start = 0; start + length <= size; ++start) {
      std::size_t same = 0;
      while (same < length && block[start + same] == text[same]) ++same;
      if (same == length) return true;
    }
    if (size < sizeof block) return false;
  }
  return false;
}

// Follows symbolic links of the path's last component, so that siblings are looked up in the folder
// of the file itself.
template <class File>
void follow_links(Path* path) {
  constexpr int max_links = 8;
  for (int i = 0; i < max_links; ++i) {
    char target[512];
    const long length = File::read_link(path->c_str(), target, sizeof target);
    if (length < 0) return;
    if (*target == '/') {
      path->set(target, static_cast<std::size_t>(length));
    } else {
      path->remove_name();
      path->add(target, static_cast<std::size_t>(length));
    }
  }
}

template <class File>
bool has_needed_version(const char* linker) {
  if (needed_version == nullptr) return true;
  constexpr const char* libc = "libc.so.6";
  constexpr std::uint64_t whole_file = ~std::uint64_t{0};
  Path path;
  path.set(linker, length_of(linker));
  follow_links<File>(&path);
  path.remove_name();
  path.add(libc, length_of(libc));
  File file;
  return file.open(path.c_str()) && has_text(file, 0, whole_file, needed_version);
}

// A dynamic linker, named by an executable or executed itself.
template <class File>
LibraryFit fit_of_linker(const DynamicFacts& facts, const char* path) {
  if (!facts.has_soname || !is_same(facts.soname, linker_soname)) return LibraryFit::other_libc;
  return has_needed_version<File>(path) ? LibraryFit::loads : LibraryFit::old_libc;
}

template <class File>
LibraryFit fit_of_interpreter(const char* path) {
  if (File::is_known_linker(path)) return LibraryFit::loads;
  File file;
  Elf64_Ehdr header;
  if (!file.open(path) || !read_struct(file, 0, &header)) return LibraryFit::unknown;
  if (!is_elf(header)) return LibraryFit::unknown;
  if (!is_of_this_machine(header)) return LibraryFit::other_machine;
  return fit_of_linker<File>(read_dynamic_facts(file, Segments<File>(file, header)), path);
}

template <class File>
LibraryFit fit_of_elf(const File& file, const Elf64_Ehdr& header, const char* path) {
  if (!is_of_this_machine(header)) return LibraryFit::other_machine;
  const Segments<File> segments(file, header);
  Elf64_Phdr segment;
  if (segments.find(PT_INTERP, &segment)) {
    char interpreter[512];
    if (segment.p_filesz >= sizeof interpreter ||
        !read_text(file, segment.p_offset, segment.p_filesz, interpreter)) {
      return LibraryFit::unknown;
    }
    return fit_of_interpreter<File>(interpreter);
  }
  // A dynamic linker can be executed by itself as well, with the program as its argument. It has a
  // name, or offers functions to programs, which static programs do not.
  const DynamicFacts facts = read_dynamic_facts(file, segments);
  const bool is_linker = facts.has_soname || has_text(file, facts.strings,
                                                      facts.strings + facts.strings_size, "dlopen");
  return is_linker ? fit_of_linker<File>(facts, path) : LibraryFit::reads_nothing;
}

// The interpreter in a script's first line; false if there is none.
inline bool read_script_line(const char* line, std::size_t size, Path* interpreter) {
  if (size < 2 || line[0] != '#' || line[1] != '!') return false;
  const auto is_blank = [&](std::size_t place) {
    return line[place] == ' ' || line[place] == '\t';
  };
  std::size_t start = 2;
  while (start < size && is_blank(start)) ++start;
  std::size_t end = start;
  while (end < size && !is_blank(end) && line[end] != '\n' && line[end] != '\0') ++end;
  interpreter->set(line + start, end - start);
  return end > start;
}

// Reads the headers of the file; for a script, names its interpreter, which is to be asked instead.
template <class File>
LibraryFit fit_of_file(const File& file, const char* path, Path* interpreter) {
  Elf64_Ehdr header;
  if (read_struct(file, 0, &header) && is_elf(header)) return fit_of_elf(file, header, path);
  char line[script_line_size];
  const std::size_t size = file.read(0, line, sizeof line);
  if (!read_script_line(line, size, interpreter)) interpreter->set("", 0);
  return LibraryFit::unknown;
}

}  // namespace library_fit

// Examines an open file; `path` is its name.
template <class File>
LibraryFit library_fit_of(const File& file, const char* path) {
  library_fit::Path interpreter;
  LibraryFit fit = library_fit::fit_of_file(file, path, &interpreter);
  for (int i = 1; i < library_fit::max_scripts && interpreter.size() != 0; ++i) {
    library_fit::Path script;
    script.set(interpreter.c_str(), interpreter.size());
    interpreter.set("", 0);
    File next;
    if (!next.open(script.c_str())) return LibraryFit::unknown;
    fit = library_fit::fit_of_file(next, script.c_str(), &interpreter);
  }
  return fit;
}

}  // namespace gprof_formats
