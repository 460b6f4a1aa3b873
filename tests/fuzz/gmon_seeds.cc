// Writes the seeds of the gmon fuzz target into a directory: one a format, byte order and width.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/gmon_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

struct Kind {
  const char* name;
  GmonFormat format;
  std::uint32_t version;
};

constexpr Kind kinds[] = {{"gnu0", GmonFormat::gnu, 0},
                          {"gnu1", GmonFormat::gnu, 1},
                          {"bsd", GmonFormat::bsd, 0},
                          {"bsd44", GmonFormat::bsd44, 0}};

GmonDescription seed(const Kind& kind, const GmonLayout& layout) {
  GmonDescription description;
  description.format = kind.format;
  description.version = kind.version;
  description.layout = layout;
  description.histograms = {{0x1000, 0x1010, {7, 0xffff, 0, 1}, 100, "seconds", 's', {}}};
  description.arcs = {{0x1002, 0x1008, 3}, {0x1004, 0x1008, 0x10203}, {0x1002, 0x1008, 4}};
  if (kind.format == GmonFormat::gnu) {
    description.histograms.push_back(description.histograms.front());
    description.histograms.push_back({0x2000, 0x2004, {9}, 100, "seconds", 's', {}});
    description.blocks = {{{{0x1002, 5}, {0x1006, 0x1234}}, {}}};
    if (kind.version == 1) description.build_id_prefix.emplace().fill(std::byte{0x5a});
  }
  return description;
}

bool write_seed(const std::string& path, char how_to_read, const GmonDescription& description) {
  std::ofstream stream(path, std::ios::binary);
  stream.put(how_to_read);
  for (const std::byte byte : build_gmon(description)) stream.put(static_cast<char>(byte));
  return static_cast<bool>(stream.flush());
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: gmon_seeds DIRECTORY\n");
    return 1;
  }
  for (const Kind& kind : kinds) {
    for (int bits = 0; bits < 4; ++bits) {
      const GmonLayout layout{(bits & 1) != 0 ? PointerWidth::four : PointerWidth::eight,
                              (bits & 2) != 0 ? ByteOrder::big : ByteOrder::little};
      const std::string path = std::string(arguments[1]) + "/" + kind.name + "_" +
                               ((bits & 1) != 0 ? "32" : "64") + ((bits & 2) != 0 ? "be" : "le");
      if (!write_seed(path, static_cast<char>(bits), seed(kind, layout))) {
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
        return 1;
      }
    }
  }
  return 0;
}
