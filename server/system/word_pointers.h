// The words of a command line or of an environment in the form in which the kernel takes them.
//
// Ownership: the pointers are into the texts, which must outlive them unchanged.
#pragma once

#include <string>
#include <vector>

namespace gprof::lsp {

// Null comes last.
[[nodiscard]] inline std::vector<char*> word_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace gprof::lsp
