#include "engine/object/image.h"

#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>

#include "tests/support/build_program.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/skipped_tests.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_in(const Image& image, std::uint64_t low, std::uint64_t high) {
  std::vector<std::byte> own;
  return text_of(image.bytes_in({{low}, {high}}, own));
}

std::shared_ptr<const Image> image_of(std::vector<std::byte> bytes) {
  auto image = Image::from_bytes(std::move(bytes), "built");
  if (!image) FAIL(describe(image.error()));
  return *image;
}

// Queries everything about an image; for files that must be refused or survived.
void ask_everything(const Image& image) {
  (void)image.debug_link();
  (void)image.code_range();
  std::vector<std::byte> own;
  (void)image.bytes_in({image.entry(), image.entry() + 100}, own);
  for (const Section& section : image.sections()) {
    (void)image.section_bytes(section);
    (void)image.bytes_in(section.range(), own);
    (void)image.code_section_at(section.address);
  }
}

std::vector<std::byte> small_file(PointerWidth width, ByteOrder order) {
  ElfBuilder builder(width, order, EM_PPC64);
  const auto text = builder.add_text(0x1000, bytes_of("code and more code"));
  builder.add_section(
      {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, bytes_of("data"), 0, 0});
  builder.add_section(
      {".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x3000, bytes_of("ends"), 0, 0});
  builder.add_symbol("main", 0x1000, 4, STB_GLOBAL, STT_FUNC, text);
  return builder.build();
}

}  // namespace

TEST_CASE("ELF files of either class and byte order are read") {
  const auto width = GENERATE(PointerWidth::four, PointerWidth::eight);
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const auto image = image_of(small_file(width, order));
  CHECK(image->pointer_width() == width);
  CHECK(image->byte_order() == order);
  CHECK(image->machine() == EM_PPC64);
  CHECK(image->is_program());
  CHECK(image->code_range() == AddressRange{{0x1000}, {0x3004}});
  REQUIRE(image->find_section(".data") != nullptr);
  CHECK(text_of(*image->section_bytes(*image->find_section(".data"))) == "data");
  CHECK(text_in(*image, 0x1005, 0x1008) == "and");
  CHECK(text_in(*image, 0x1005, 0x3000) == "and more code");
  CHECK(text_in(*image, 0x2001, ~std::uint64_t{0}) == "ata");
  CHECK(text_in(*image, 0x2004, 0x2008).empty());
  CHECK(text_in(*image, 0x2001, 0x2001).empty());
  REQUIRE(image->code_section_at({0x3003}) != nullptr);
  CHECK(image->code_section_at({0x3003})->name == ".fini");
  CHECK(image->code_section_at({0x2000}) == nullptr);
}

TEST_CASE("files that are no ELF programs are named for what they are") {
  struct Case {
    std::string_view start;
    std::string_view message;
  };
  const Case cases[] = {
      {"#!/bin/sh\n", "a script"},
      {"MZ\x90", "DOS"},
      {"\xcf\xfa\xed\xfe", "Mach-O"},
      {"!<arch>\n", "an archive"},
      {"gmon\1", "profile data"},
      {"", "empty"},
      {"some text", "neither an ELF nor a PE file"},
  };
  for (const Case& expected : cases) {
    const auto image = Image::from_bytes(bytes_of(expected.start), "file");
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::wrong_format);
    CHECK_THAT(image.error().message, Catch::Contains(std::string(expected.message)));
  }
  CHECK(Image::open("/no/such/file").error().code == ErrorCode::not_found);
  CHECK(Image::open("/").error().code == ErrorCode::unreadable);
}

TEST_CASE("an ELF file without section headers opens") {
  auto bytes = small_file(PointerWidth::eight, ByteOrder::little);
  const auto clear = [&bytes](std::size_t offset, std::size_t size) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), size, std::byte{0});
  };
  clear(offsetof(Elf64_Ehdr, e_shoff), 8);
  clear(offsetof(Elf64_Ehdr, e_shnum), 4);
  const auto image = image_of(bytes);
  CHECK(image->sections().empty());
  CHECK(image->code_range().empty());
}

TEST_CASE("a section that reaches past the file's end is an error of its own") {
  auto bytes = small_file(PointerWidth::eight, ByteOrder::little);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Elf64_Shdr section;
  std::byte* place = bytes.data() + header.e_shoff + 2 * sizeof section;  // .data
  std::memcpy(&section, place, sizeof section);
  section.sh_size = ~std::uint64_t{0} - 100;
  std::memcpy(place, &section, sizeof section);
  const auto image = image_of(bytes);
  const auto data = image->section_bytes(*image->find_section(".data"));
  REQUIRE_FALSE(data);
  CHECK(data.error().code == ErrorCode::truncated);
  CHECK_THAT(data.error().message, Catch::Contains(".data"));
  CHECK(text_in(*image, 0x1000, 0x2000) == "code and more code");
}

TEST_CASE("parts of a large section are what the whole section has there") {
  std::vector<std::byte> code(std::size_t{5} << 20);
  for (std::size_t i = 0; i < code.size(); ++i) code[i] = static_cast<std::byte>(i * i >> 7U);
  ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  builder.add_text(0x1000, code);
  const auto bytes = builder.build();
  const auto path = fresh_directory("image_parts") / "program";
  write_file(path, bytes);
  const auto image = Image::open(path);
  REQUIRE(image);
  // Before and after the image has read the section as a whole.
  constexpr std::uint64_t size = 100'000;
  std::size_t read_alone = 0;
  for (std::uint64_t offset = 0; offset < code.size(); offset += size) {
    std::vector<std::byte> own;
    const auto part = (*image)->bytes_in({{0x1000 + offset}, {0x1000 + offset + size}}, own);
    const auto wanted = std::span(code).subspan(offset);
    CHECK(std::ranges::equal(part, wanted.first(std::min<std::size_t>(size, wanted.size()))));
    read_alone += own.empty() ? 0 : 1;
  }
  CHECK(read_alone == code.size() / 8 / size);
}

TEST_CASE("of a megabyte, debugging information is read in parts, and code as a whole") {
  const std::vector<std::byte> bytes(std::size_t{1} << 20);
  ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  builder.add_text(0x1000, bytes);
  builder.add_section({".debug_str", SHT_PROGBITS, 0, 0, bytes, 0, 0});
  builder.add_section({".debug_line_str", SHT_PROGBITS, 0, 0, bytes_of("short"), 0, 0});
  const auto file = builder.build();
  const auto path = fresh_directory("image_debug_parts") / "program";
  write_file(path, file);
  const auto image = Image::open(path);
  REQUIRE(image);
  CHECK((*image)->has_parts(*(*image)->find_section(".debug_str")));
  CHECK_FALSE((*image)->has_parts(*(*image)->find_section(".debug_line_str")));
  CHECK_FALSE((*image)->has_parts(*(*image)->find_section(".text")));
}

TEST_CASE("truncated and altered ELF files are refused or survived") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const auto whole = small_file(PointerWidth::eight, order);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto image =
        Image::from_bytes({whole.begin(), whole.begin() + static_cast<long>(size)}, "cut");
    if (image) ask_everything(**image);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
      auto altered = whole;
      altered[at] = static_cast<std::byte>(value);
      const auto image = Image::from_bytes(std::move(altered), "altered");
      if (image) ask_everything(**image);
    }
  }
}

TEST_CASE("a compressed section that announces too much is refused without the memory") {
  ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  std::vector<std::byte> bytes;
  const auto put = [&](std::uint64_t value, std::size_t size) {
    const auto integer = builder.integer(value, size);
    bytes.insert(bytes.end(), integer.begin(), integer.end());
  };
  put(1, 4);
  put(0, 4);
  put(std::uint64_t{1} << 60, 8);
  put(1, 8);
  put(0x789c, 2);
  builder.add_section({".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, bytes, 0, 0});
  const auto image = image_of(builder.build());
  const auto unpacked = image->section_bytes(*image->find_section(".debug_info"));
  REQUIRE_FALSE(unpacked);
  CHECK(unpacked.error().code == ErrorCode::unsupported);
}

TEST_CASE("compressed sections give the bytes that they were made of") {
  if (!have_programs({"gcc", "objcopy"})) return;
  const auto directory = fresh_directory("image_compressed");
  run_or_fail({"g++", "-g", "-gz=none", program_source("object_shapes.cc"), "-o", "plain"},
              directory);
  const auto plain = Image::open(directory / "plain");
  REQUIRE(plain);
  const auto expected = (*plain)->section_bytes(*(*plain)->find_section(".debug_info"));
  REQUIRE(expected);
  for (const std::string kind : {"zlib", "zlib-gnu", "zstd"}) {
    const auto packed = run_process(
        {"objcopy", "--compress-debug-sections=" + kind, "plain", "packed-" + kind}, directory);
    if (packed.exit_status != 0) {
      gprof::test::skip_test(std::string("objcopy cannot compress with ") + kind);
      continue;
    }
    INFO(kind);
    const auto image = Image::open(directory / ("packed-" + kind));
    REQUIRE(image);
    const Section* section = (*image)->find_section(".debug_info");
    REQUIRE(section != nullptr);
    CHECK(section->size < expected->size());
    const auto bytes = (*image)->section_bytes(*section);
    if (!bytes) FAIL(describe(bytes.error()));
    CHECK(std::ranges::equal(*bytes, *expected));
  }
}

TEST_CASE("programs, libraries and objects are told apart, and know their build-id") {
  if (!have_programs({"gcc", "readelf"})) return;
  const auto directory = fresh_directory("image_kinds");
  const std::string source = program_source("object_shapes.cc");
  struct Case {
    std::vector<std::string> options;
    bool is_program;
  };
  const Case cases[] = {
      {{"-pie", "-fPIE"}, true},
      {{"-no-pie"}, true},
      {{"-static"}, true},
      {{"-static-pie", "-fPIE"}, true},
      {{"-shared", "-fPIC", "-Wl,-soname,s.so"}, false},
      {{"-c"}, false},
  };
  for (const Case& expected : cases) {
    std::vector<std::string> command = {"g++", source, "-o", "file", "-Wl,--build-id=0xabcdef"};
    command.insert(command.end(), expected.options.begin(), expected.options.end());
    run_or_fail(command, directory);
    INFO(expected.options.front());
    const auto image = Image::open(directory / "file");
    REQUIRE(image);
    CHECK((*image)->is_program() == expected.is_program);
    CHECK((*image)->modified() > 0);
    const bool linked = (*image)->file_type() != ET_REL;
    CHECK((*image)->build_id().size() == (linked ? 3U : 0U));
    if (linked) CHECK((*image)->build_id()[0] == std::byte{0xab});
  }
}
