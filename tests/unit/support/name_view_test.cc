// Names in twelve bytes.
#include "engine/support/name_view.h"

#include <string>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

struct Named {
  [[no_unique_address]] NameView name;
  std::uint32_t number = 0;
};
static_assert(sizeof(Named) == 16 || sizeof(void*) != 8);

}  // namespace

TEST_CASE("a name is what it was made from, and what stands behind it stays when it is written") {
  const std::string text = "matrix::multiply";
  Named named{text, 7};
  CHECK(named.name == "matrix::multiply");
  CHECK(named.name.view().data() == text.data());
  CHECK(named.name.size() == text.size());
  named.name = std::string_view("solve");
  CHECK(named.number == 7);
  named.number = 0xffffffff;
  CHECK(named.name == NameView("solve"));
  CHECK(named.name < std::string_view("tolve"));
  CHECK(named.name != text);
  CHECK(NameView() == "");
  const Named copy = named;
  CHECK(copy.name == "solve");
  CHECK(copy.number == 0xffffffff);
}
