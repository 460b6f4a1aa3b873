#include "engine/object/clone_suffix.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/object/swift_name.h"

namespace gprof {
namespace {

struct SuffixWord {
  std::string_view word;
  CloneKind kind;
};

// Privatised, aliased and renamed functions are the functions themselves, not clones.
constexpr std::array suffix_words = {
    SuffixWord{"constprop", CloneKind::specialised},
    SuffixWord{"isra", CloneKind::specialised},
    SuffixWord{"clone", CloneKind::specialised},
    SuffixWord{"simdclone", CloneKind::specialised},
    SuffixWord{"part", CloneKind::part},
    SuffixWord{"cold", CloneKind::part},
    SuffixWord{"lto_priv", CloneKind::none},
    SuffixWord{"localalias", CloneKind::none},
    SuffixWord{"llvm", CloneKind::none},
    SuffixWord{"__uniq", CloneKind::none},
};

// The pieces of a C++ or Swift coroutine: what resumes it and what ends it. Other languages have
// functions of such names, as Zig's mem.Allocator.destroy.
constexpr std::array coroutine_words = {std::string_view("resume"), std::string_view("destroy"),
                                        std::string_view("cleanup"), std::string_view("actor")};

// Compilers stack up four or five; the bound keeps hostile names cheap.
constexpr std::size_t most_suffixes = 16;

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::optional<CloneKind> kind_of_word(std::string_view word, bool has_coroutines) {
  for (const SuffixWord& known : suffix_words) {
    if (known.word == word) return known.kind;
  }
  const bool of_coroutine =
      has_coroutines && std::ranges::find(coroutine_words, word) != coroutine_words.end();
  if (of_coroutine) return CloneKind::part;
  return std::nullopt;
}

struct SuffixPart {
  std::size_t start = 0;  // of its dot
  CloneKind kind = CloneKind::none;
};

// The suffixes at the end of the name, in order. A number belongs to the word before it.
std::vector<SuffixPart> suffix_parts(std::string_view name) {
  std::vector<SuffixPart> parts;
  if (name.find('.') == std::string_view::npos) return parts;  // as in nearly all names
  const bool has_coroutines = name.starts_with("_Z") || is_swift_name(name);
  std::size_t end = name.size();
  while (parts.size() < most_suffixes) {
    std::size_t dot = name.substr(0, end).rfind('.');
    if (dot == std::string_view::npos || dot == 0) break;
    std::string_view word = name.substr(dot + 1, end - dot - 1);
    const bool numbered = is_number(word);
    if (numbered) {
      const std::size_t word_end = dot;
      dot = name.substr(0, word_end).rfind('.');
      if (dot == std::string_view::npos || dot == 0) break;
      word = name.substr(dot + 1, word_end - dot - 1);
    }
    // Zig's names are not mangled, and its methods may be called so: "list.List(u8,null).clone".
    if (word == "clone" && !numbered) break;
    const auto kind = kind_of_word(word, has_coroutines);
    if (!kind) break;
    parts.push_back({dot, *kind});
    end = dot;
  }
  std::ranges::reverse(parts);
  return parts;
}

// A piece of a copy is a piece.
CloneKind combined_kind(const std::vector<SuffixPart>& parts) {
  CloneKind kind = CloneKind::none;
  for (const SuffixPart& part : parts) kind = std::max(kind, part.kind);
  return kind;
}

}  // namespace

CloneName split_clone_name(std::string_view linkage_name) {
  const auto parts = suffix_parts(linkage_name);
  if (parts.empty()) return {linkage_name, {}, CloneKind::none};
  const std::size_t start = parts.front().start;
  return {linkage_name.substr(0, start), linkage_name.substr(start), combined_kind(parts)};
}

std::vector<std::string_view> clone_origin_names(std::string_view linkage_name) {
  const auto parts = suffix_parts(linkage_name);
  std::vector<std::string_view> names;
  const auto first_clone =
      std::ranges::find_if(parts, [](const SuffixPart& p) { return p.kind != CloneKind::none; });
  if (first_clone == parts.end()) return names;
  // The function itself, privatised or not; then the base if only clones remain.
  for (auto part = first_clone;; --part) {
    names.push_back(linkage_name.substr(0, part->start));
    if (part == parts.begin()) break;
  }
  for (auto part = std::next(first_clone); part != parts.end(); ++part) {
    names.push_back(linkage_name.substr(0, part->start));
  }
  return names;
}

}  // namespace gprof
