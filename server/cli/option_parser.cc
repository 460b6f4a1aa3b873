#include "server/cli/option_parser.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gprof::lsp {
namespace {

// Letters to insert, remove or replace.
std::size_t edits_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Suggests the option that was meant, if one is close enough; else says where to look.
std::string unknown_option(const CommandSyntax& syntax, std::string_view word) {
  constexpr std::size_t most_edits = 2;
  constexpr std::size_t longest_word = 64;
  std::size_t fewest = most_edits + 1;
  std::string_view nearest;
  for_each_option(syntax, [&](const OptionRow& row) {
    const bool comparable =
        word.starts_with("--") && word.size() <= longest_word && row.name.size() > most_edits + 1;
    if (!comparable) return;
    const std::size_t edits = edits_between(word.substr(2), row.name);
    if (edits < fewest) nearest = row.name;
    fewest = std::min(fewest, edits);
  });
  if (nearest.empty()) return fmt::format("{} is not an option; --help lists them", word);
  return fmt::format("{} is not an option; did you mean --{}?", word, nearest);
}

class WordReader {
 public:
  WordReader(const CommandSyntax& syntax, std::span<const std::string_view> words)
      : syntax_(syntax), words_(words) {}

  ParsedWords read();

 private:
  using Value = std::optional<std::string_view>;

  void fail(std::string message) { stop_ = UsageError{std::move(message)}; }
  void take_operand(std::string_view word);
  void take_long(std::string_view word);
  void take_letters(std::string_view letters);
  void take(const OptionRow& row, Value attached);
  void set(const OptionRow& row, Value value);
  const OptionRow* find_name(std::string_view name);
  [[nodiscard]] const OptionRow* find_letter(char letter) const;

  [[nodiscard]] bool as_getopt() const {
    return syntax_.order == WordOrder::getopt || syntax_.order == WordOrder::getopt_leading;
  }
  [[nodiscard]] bool operand_ends_options() const {
    return syntax_.order == WordOrder::leading || syntax_.order == WordOrder::getopt_leading;
  }

  const CommandSyntax& syntax_;
  std::span<const std::string_view> words_;
  std::size_t next_ = 0;
  Operands operands_;
  // Why reading ends before the last word.
  std::optional<ParsedWords> stop_;
};

ParsedWords WordReader::read() {
  bool only_operands = false;
  while (next_ < words_.size() && !stop_) {
    const std::string_view word = words_[next_++];
    if (only_operands || word.size() < 2 || word.front() != '-') {
      operands_.words.push_back(word);
      only_operands = only_operands || operand_ends_options();
    } else if (word == "--") {
      operands_.parted = operands_.words.size();
      only_operands = true;
    } else if (word.starts_with("--")) {
      take_long(word);
    } else {
      take_letters(word.substr(1));
    }
  }
  if (!stop_ && syntax_.finish) {
    if (const auto finished = syntax_.finish(operands_); !finished) {
      fail(finished.error().message);
    }
  }
  return stop_ ? *std::move(stop_) : ParsedWords();
}

void WordReader::take_long(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const OptionRow* row = find_name(name);
  if (row == nullptr) return;
  const bool attached = equals != std::string_view::npos;
  take(*row, attached ? Value(word.substr(equals + 1)) : std::nullopt);
}

// Null if none is meant; that has then been reported.
const OptionRow* WordReader::find_name(std::string_view name) {
  const std::string_view bare = name.substr(2);
  const OptionRow* exact = nullptr;
  std::vector<const OptionRow*> longer;
  for_each_option(syntax_, [&](const OptionRow& row) {
    if (bare.empty() || !row.name.starts_with(bare)) return;
    if (!row.in_full) longer.push_back(&row);
    if (row.name == bare) exact = &row;
  });
  if (exact != nullptr) return exact;
  if (!as_getopt() || longer.empty()) {
    fail(unknown_option(syntax_, name));
  } else if (longer.size() > 1) {
    std::string candidates;
    for (const OptionRow* row : longer) {
      candidates += fmt::format("{}--{}", candidates.empty() ? "" : ", ", row->name);
    }
    fail(fmt::format("{} may mean {}; write more of it", name, candidates));
  } else {
    return longer.front();
  }
  return nullptr;
}

const OptionRow* WordReader::find_letter(char letter) const {
  const OptionRow* found = nullptr;
  for_each_option(syntax_, [&](const OptionRow& row) {
    if (row.letter != 0 && row.letter == letter) found = &row;
  });
  return found;
}

// -abc: what follows an option that takes a value is that value.
void WordReader::take_letters(std::string_view letters) {
  while (!letters.empty() && !stop_) {
    const OptionRow* row = find_letter(letters.front());
    if (row == nullptr) return fail(unknown_option(syntax_, fmt::format("-{}", letters.front())));
    letters.remove_prefix(1);
    if (row->value.use == ValueUse::none) {
      take(*row, std::nullopt);
    } else {
      return take(*row, letters.empty() ? Value() : Value(letters));
    }
  }
}

void WordReader::take(const OptionRow& row, Value attached) {
  if (row.value.use == ValueUse::none && attached) {
    return fail(fmt::format("--{} takes no value", row.name));
  }
  if (row.value.use == ValueUse::required && !attached) {
    const bool is_there =
        next_ < words_.size() && (as_getopt() || !words_[next_].starts_with("--"));
    if (!is_there) return fail(fmt::format("{} needs a value", spelled(row)));
    attached = words_[next_++];
  }
  if (row.role == OptionRole::help) {
    stop_ = HelpRequest{};
  } else if (row.role == OptionRole::version) {
    stop_ = VersionRequest{};
  } else {
    set(row, attached);
  }
}

void WordReader::set(const OptionRow& row, Value value) {
  const bool is_path = row.value.kind == ValueKind::file || row.value.kind == ValueKind::directory;
  if (is_path && value && value->empty()) {
    return fail(fmt::format("{} needs the name of a {}", spelled(row),
                            row.value.kind == ValueKind::file ? "file" : "directory"));
  }
  const auto done = row.value.set(value);
  if (done) return;
  fail(fmt::format("{}{}{}: {}", spelled(row), value ? "=" : "", value.value_or(""),
                   done.error().message));
}

}  // namespace

std::string spelled(const OptionRow& row) {
  if (row.name.empty()) return fmt::format("-{}", row.letter);
  if (row.letter == 0) return fmt::format("--{}", row.name);
  return fmt::format("-{}/--{}", row.letter, row.name);
}

ParsedWords parse_words(const CommandSyntax& syntax, std::span<const std::string_view> words) {
  return WordReader(syntax, words).read();
}

}  // namespace gprof::lsp
