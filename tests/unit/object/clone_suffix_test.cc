#include "engine/object/clone_suffix.h"

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("suffixes tell what a symbol was made for") {
  struct Case {
    std::string_view name;
    std::string_view base;
    CloneKind kind;
  };
  const Case cases[] = {
      {"f", "f", CloneKind::none},
      {"f.1", "f.1", CloneKind::none},
      {".cold", ".cold", CloneKind::none},
      {"f.constprop.0", "f", CloneKind::specialised},
      {"f.isra.12", "f", CloneKind::specialised},
      {"f.cold", "f", CloneKind::part},
      {"f.cold.3", "f", CloneKind::part},
      {"f.part.0", "f", CloneKind::part},
      {"f.part.0.constprop.1", "f", CloneKind::part},
      {"f.constprop.0.isra.0.cold", "f", CloneKind::part},
      {"f.lto_priv.0", "f", CloneKind::none},
      {"f.localalias", "f", CloneKind::none},
      {"f.llvm.1234567", "f", CloneKind::none},
      {"f.__uniq.99.llvm.1", "f", CloneKind::none},
      {"inner.2.cold", "inner.2", CloneKind::part},
      {"_Z1fv.actor", "_Z1fv", CloneKind::part},
      {"_Z1fv.resume.cold", "_Z1fv", CloneKind::part},
      {"_Z1fv.destroy", "_Z1fv", CloneKind::part},
      {"_Z1fv.cleanup", "_Z1fv", CloneKind::part},
      {"mem.Allocator.destroy", "mem.Allocator.destroy", CloneKind::none},
      {"list.List(u8,null).clone", "list.List(u8,null).clone", CloneKind::none},
      {"f.clone.0", "f", CloneKind::specialised},
      {"f.cold.unknown", "f.cold.unknown", CloneKind::none},
  };
  for (const Case& expected : cases) {
    INFO(expected.name);
    const CloneName found = split_clone_name(expected.name);
    CHECK(found.base == expected.base);
    CHECK(found.kind == expected.kind);
    CHECK(std::string(found.base) + std::string(found.suffix) == expected.name);
  }
}

TEST_CASE("a clone is looked for under its privatised name first") {
  using Names = std::vector<std::string_view>;
  CHECK(clone_origin_names("f").empty());
  CHECK(clone_origin_names("f.lto_priv.0").empty());
  CHECK(clone_origin_names("f.lto_priv.0.cold") == Names{"f.lto_priv.0", "f"});
  CHECK(clone_origin_names("f.constprop.0.cold") == Names{"f", "f.constprop.0"});
}
