#include "engine/object/demangle.h"

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

struct Case {
  std::string_view linkage_name;
  std::string_view name;
  std::string_view signature;
  Language language = Language::unknown;
};

void check(const Case& expected) {
  INFO(expected.linkage_name);
  const DemangledName found = demangle(expected.linkage_name, expected.language);
  CHECK(found.name == expected.name);
  CHECK(found.signature == expected.signature);
}

}  // namespace

TEST_CASE("C++ names are shown without and with parameters") {
  const Case cases[] = {
      {"_ZN3boxIiE4growEm", "box<int>::grow", "box<int>::grow(unsigned long)"},
      {"_ZN3boxIiEclEi", "box<int>::operator()", "box<int>::operator()(int)"},
      {"_ZN3boxIiElsEi", "box<int>::operator<<", "box<int>::operator<<(int)"},
      {"_ZNK3boxIiEltERKS0_", "box<int>::operator<", "box<int>::operator<(box<int> const&) const"},
      {"_ZNK3boxIiEcvPiEv", "box<int>::operator int*", "box<int>::operator int*() const"},
      {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
       "main::{lambda(int)#1}::operator()(int) const"},
      {"_ZNKR12_GLOBAL__N_14Anon2goEi", "(anonymous namespace)::Anon::go",
       "(anonymous namespace)::Anon::go(int) const &"},
      {"_Z6taggedB2v2v", "tagged[abi:v2]", "tagged[abi:v2]()"},
      {"_Z5parenILb1EEiv", "paren<true>", "paren<true>()"},
      {"_Z4pickIiEPFicET_", "pick<int>", "pick<int>(int)"},
      {"_Zli3_kmy", "operator\"\" _km", "operator\"\" _km(unsigned long long)"},
      {"_ZN1AC2Ei", "A::A", "A::A(int)"},
      {"_ZN1AD0Ev", "A::~A", "A::~A()"},
      {"_Znwm", "operator new", "operator new(unsigned long)"},
      {"main", "main", "main"},
  };
  for (const Case& expected : cases) check(expected);
}

TEST_CASE("what a compiler appends to a name is set apart") {
  const Case cases[] = {
      {"_Z3fooi.constprop.0.isra.0", "foo [.constprop.0.isra.0]", "foo(int) [.constprop.0.isra.0]"},
      {"_Z3fooi.cold", "foo [.cold]", "foo(int) [.cold]"},
      {"_Z3fooi.actor", "foo [.actor]", "foo(int) [.actor]"},
      {"_Z3fooi.resume", "foo [.resume]", "foo(int) [.resume]"},
      {"_Z3fooi.unknown", "foo [.unknown]", "foo(int) [.unknown]"},
      {"foo.part.1", "foo [.part.1]", "foo [.part.1]"},
      {"inner.0", "inner.0", "inner.0"},
      {"inner.0", "inner", "inner", Language::c},
      {"inner.0.cold", "inner [.cold]", "inner [.cold]", Language::c},
  };
  for (const Case& expected : cases) check(expected);
}

TEST_CASE("Rust's methods without their traits") {
  CHECK(without_trait("<a::Circle as a::Shape>::area") == "a::Circle::area");
  CHECK(without_trait("<[T]>::sort") == "[T]::sort");
  CHECK(without_trait("<fn() -> u8 as a::Shape>::area") == "fn() -> u8::area");
  CHECK(without_trait("<<T as A>::Item as B<u8>>::f") == "T::Item::f");
  CHECK(without_trait("<lambda>") == "<lambda>");
  CHECK(without_trait("<<<<") == "<<<<");
  CHECK(without_trait("a::f") == "a::f");
  CHECK(without_template_arguments("<a::Circle as a::Shape>::area") == "a::Circle::area");
  CHECK(without_template_arguments("a::total::<a::Circle>") == "a::total");
  CHECK(without_template_arguments("a::total::<u8>::{closure#0}") == "a::total::{closure#0}");
}

TEST_CASE("other languages' names") {
  const Case cases[] = {
      {"_ZN4main4func17h0123456789abcdefE", "main::func", "main::func"},
      {"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"},
      {"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
       "core::ptr::drop_in_place<alloc::string::String>",
       "core::ptr::drop_in_place<alloc::string::String>"},
      {"_D3foo3barFiZv", "foo.bar", "foo.bar(int)"},
      {"_D3foo3Bar3bazMxFNaZi", "foo.Bar.baz", "foo.Bar.baz() const"},
      {"_Dmain", "D main", "D main"},
      {"__grid_MOD_solve", "grid::solve", "grid::solve"},
      {"_QMgridPsolve", "grid::solve", "grid::solve"},
      {"_QMgridFsolvePsmooth_all", "grid::solve::smooth_all", "grid::solve::smooth_all"},
      {"_QPsolve", "solve", "solve"},
      {"_QQmain", "_QQmain", "_QQmain"},
      {"ada__text_io__put__4", "ada.text_io.put", "ada.text_io.put"},
      {"ada__text_io__put__4", "ada__text_io__put__4", "ada__text_io__put__4", Language::c},
      {"main.Parser.next", "main.Parser.next", "main.Parser.next"},
      {"mem.Allocator.destroy__anon_4031", "mem.Allocator.destroy__anon_4031",
       "mem.Allocator.destroy__anon_4031"},
      {"solve_", "solve", "solve", Language::fortran},
      {"solve_", "solve_", "solve_", Language::c},
      {"MAIN__", "MAIN__", "MAIN__", Language::fortran},
      {"_ada_hello", "hello", "hello", Language::ada},
      {"stacks__push", "stacks.push", "stacks.push", Language::ada},
      {"stacks__push", "stacks__push", "stacks__push", Language::c},
  };
  for (const Case& expected : cases) check(expected);
}

TEST_CASE("names of Go functions are shown as Go's own tools do") {
  const auto name = [](const char* linkage) { return demangle(linkage).signature; };
  CHECK(name("main.(*box).grow") == "main.(*box).grow");
  CHECK(name("main.main.func1") == "main.main.func1");
  CHECK(name("main.largest[go.shape.int_0]") == "main.largest[...]");
  CHECK(name("main.(*box[go.shape.int64_0]).grow") == "main.(*box[...]).grow");
  CHECK(name("main.pair[go.shape.[]uint8_0,go.shape.struct { x [3]int }_1].less") ==
        "main.pair[...].less");
  CHECK(name("runtime.asyncPreempt.abi0") == "runtime.asyncPreempt");
  CHECK(name("main.f[go.shape.int_0") == "main.f[go.shape.int_0");
  CHECK(name(".abi0") == ".abi0");
  CHECK(name("f.abi0") == "f.abi0");
}

TEST_CASE("names of Swift functions are shown with their labels") {
  const std::pair<std::string, std::string> cases[] = {
      {"$s4main3fooyyF", "main.foo()"},
      {"$S4test6testitySiyt_tF", "test.testit(_:)"},
      {"_$S8mangling14varargsVsArray3arr1nySid_SStF", "mangling.varargsVsArray(arr:n:)"},
      {"$s4test3StrCACycfC", "test.Str.init()"},
      {"$S4main4TestC1xACSi_tc6_PRIV_Llfc", "main.Test.init(x:)"},
      {"$s4main1gyySiXCvp", "main.g"},
      {"$sSo11UITextFieldC4textSSSgvg", "__C.UITextField.text.getter"},
      {"$Ss10DictionaryV3t17E6Index2V1loiySbAEyxq__G_AGtFZ", "Swift.Dictionary.Index2.<(_:_:)"},
      {"$s12typed_throws15rethrowConcreteyyAA7MyErrorOYKF", "typed_throws.rethrowConcrete()"},
      {"$s4test10returnsOptyxycSgxyScMYccSglF", "test.returnsOpt(_:)"},
      // Specialised, resumed, and with what was propagated into it.
      {"$s4Test6testityyxlFAA8MystructV_TB5", "Test.testit(_:)"},
      {"$s5Actor02MyA0C17testAsyncFunctionyyYaKFTY0_", "Actor.MyActor.testAsyncFunction()"},
      {"$S3foo6testityyyyc_yyctF1a1bTf3pfpf_n", "foo.testit(_:_:)"},
      {"$s4main3fooyyF.resume.0", "main.foo() [.resume.0]"},
      {"_$Ss17MutableCollectionP1asAARzs012RandomAccessB0RzsAA11SubSequences013BidirectionalB0PRpz"
       "sAdHRQlE06rotatecD015shiftingToStart5Indexs01_A9IndexablePQzAN_tFAKs01_M4BasePQzAQcfU_",
       "closure #1 in Swift.MutableCollection.rotateRandomAccess(shiftingToStart:)"},
      // No functions, or of forms that are not known.
      {"$s", "$s"},
      {"$s4main", "$s4main"},
      {"$ss6SimpleHr", "$ss6SimpleHr"},
      {"$syQo", "$syQo"},
      {"$s4main3fooyyFF", "$s4main3fooyyFF"},
  };
  for (const auto& [linkage_name, name] : cases) {
    INFO(linkage_name);
    CHECK(demangle(linkage_name).name == name);
    CHECK(demangle(linkage_name).signature == name);
    for (std::size_t size = 0; size < linkage_name.size(); ++size) {
      CHECK_FALSE(demangle(linkage_name.substr(0, size)).name.size() > linkage_name.size() + 64);
    }
  }
}

TEST_CASE("names that are no names come back unchanged") {
  for (const std::string name :
       {"", "_Z", "_ZN", "_R", "_D", "_D9", "__MOD_", ".", ".cold", "_Z1f("}) {
    INFO(name);
    CHECK(demangle(name).signature == name);
    CHECK(demangle(name, Language::ada).signature == name);
  }
}

TEST_CASE("hostile names cost bounded time and memory") {
  // Every argument doubles the previous one: in full it would have 2^22 times the letters.
  std::string doubling = "_Z1f1AIiE";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 0; i < 22; ++i) {
    doubling += std::string("S_IS") + digits[i] + "_S" + digits[i] + "_E";
  }
  CHECK(demangle(doubling).name == doubling);

  std::string references = "_D1aF";
  for (int i = 0; i < 200; ++i) references += "HQcQc";
  CHECK(demangle(references + "Zv").name.size() < 100'000);
  CHECK_FALSE(demangle("_D1aF" + std::string(60'000, 'P') + "Zv").name.empty());
  CHECK_FALSE(demangle("_Z1f" + std::string(60'000, 'P') + "i").name.empty());
  CHECK_FALSE(demangle("_RNv" + std::string(60'000, 'N')).name.empty());
  CHECK_FALSE(demangle("x" + std::string(60'000, '_') + "y", Language::ada).name.empty());
  // Of Swift: many of one, and words made of words.
  CHECK(demangle("$s4000i").name == "$s4000i");
  CHECK(demangle("$s4mainS4000iyF").name == "$s4mainS4000iyF");
  std::string words = "$s8abcdefgh";
  for (int i = 0; i < 300; ++i) words += "0" + std::string(25, 'a') + "A0";
  CHECK(demangle(words).name == words);
  std::string nested = "$s4main";
  for (int i = 0; i < 1000; ++i) nested += "4main" + std::string("V");
  CHECK(demangle(nested + "3fooyyF").name == nested + "3fooyyF");
  const std::string huge(1'000'000, 'Z');
  CHECK(demangle("_" + huge).name.size() == huge.size() + 1);
}

TEST_CASE("the reports' names are GNU gprof's") {
  CHECK(demangle_like_gnu("_Z5parenILb1EEiv") == "int paren<true>()");
  CHECK(demangle_like_gnu("_Z3fooi.constprop.0.isra.0") ==
        "foo(int) [clone .constprop.0] [clone .isra.0]");
  CHECK(demangle_like_gnu("_Z3fooi@@V1") == "foo(int)@@V1");
  CHECK(demangle_like_gnu("._Z3fooi") == ".foo(int)");
  CHECK(demangle_like_gnu("_D3foo3barFiZv") == "_D3foo3barFiZv");
  CHECK(demangle_like_gnu("__grid_MOD_solve") == "__grid_MOD_solve");
}
