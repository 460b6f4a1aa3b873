// The stack machine that Swift's names are programs for; see swift_name.h. Used by swift_*.cc
// alone.
//
// Operands come before what is made of them. Each step returns whether it is known and found what
// it needs. Only what a function's name is made of has a text: types have none but as contexts.
// Thread contract: a value. Bounded: so many nodes, of texts of so many bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gprof::swift {

inline constexpr std::size_t longest_swift_name = 4096;
inline constexpr std::size_t longest_text = 4096;
inline constexpr std::size_t most_nodes = 2048;
inline constexpr std::size_t most_words = 26;

inline bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }
inline bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }
inline bool is_decimal(char letter) { return letter >= '0' && letter <= '9'; }

enum class NodeKind : std::uint8_t {
  none,
  identifier,   // also a module
  declared,     // a name that is no module: private, local, of an operator
  module,       // of the standard library, or of imported C
  type,         // may be a context
  entity,       // a function or variable
  empty_list,   // y
  first_mark,   // _
  variadic,     // d
  annotation,   // throws, async and the like, of a function type
  requirement,  // of a generic signature
  signature,    // generic
};

struct Node {
  NodeKind kind = NodeKind::none;
  std::string text;
  bool is_function = false;  // of a type
  std::size_t count = 1;     // of the parameters of a function type, of the elements of a tuple
};

class Machine {
 public:
  explicit Machine(std::string_view rest) : rest_(rest) {}

  std::optional<std::string> run() {
    while (!rest_.empty() && !ended_) {
      if (!step() || stack_.size() > most_nodes) return std::nullopt;
    }
    if (ended_) return innermost_entity();
    if (stack_.size() != 1 || stack_.back().kind != NodeKind::entity) return std::nullopt;
    return std::move(stack_.back().text);
  }

 private:
  // Reading.
  char next() {
    if (rest_.empty()) return '\0';
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    return letter;
  }
  bool next_if(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::size_t> natural() {
    if (rest_.empty() || !is_decimal(rest_.front())) return std::nullopt;
    std::size_t value = 0;
    while (!rest_.empty() && is_decimal(rest_.front())) {
      value = value * 10 + static_cast<std::size_t>(next() - '0');
      if (value > longest_swift_name) return std::nullopt;
    }
    return value;
  }
  // _ is 0, 0_ is 1.
  std::optional<std::size_t> index() {
    if (next_if('_')) return 0;
    const auto value = natural();
    if (!value || !next_if('_')) return std::nullopt;
    return *value + 1;
  }

  // The stack.
  [[nodiscard]] NodeKind top() const {
    return stack_.empty() ? NodeKind::none : stack_.back().kind;
  }
  Node take() {
    Node node = std::move(stack_.back());
    stack_.pop_back();
    return node;
  }
  std::optional<Node> pop(NodeKind kind) {
    if (top() != kind) return std::nullopt;
    return take();
  }
  std::optional<Node> pop_name() {
    if (top() != NodeKind::identifier && top() != NodeKind::declared) return std::nullopt;
    return take();
  }
  std::optional<Node> pop_context() {
    switch (top()) {
      case NodeKind::identifier:
      case NodeKind::module:
      case NodeKind::entity:
        return take();
      case NodeKind::type:
        if (stack_.back().text.empty()) return std::nullopt;
        return take();
      default:
        return std::nullopt;
    }
  }
  bool push(NodeKind kind, std::string text = {}) { return push(Node{kind, std::move(text)}); }
  bool push(Node node) {
    if (node.text.size() > longest_text) return false;
    stack_.push_back(std::move(node));
    return true;
  }
  bool push_type(std::string text = {}) { return push(NodeKind::type, std::move(text)); }
  // Also to be referred to.
  bool push_known(Node node) {
    known_.push_back(node);
    return push(std::move(node));
  }

  [[nodiscard]] std::optional<std::string> innermost_entity() const {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      if (stack_[i].kind == NodeKind::entity) return stack_[i].text;
    }
    return std::nullopt;
  }

  bool step();
  bool identifier();
  void add_words(std::string_view text);
  bool back_reference();
  bool standard();
  bool push_several(const Node& node, std::size_t count);
  bool nominal();
  bool bound_generic();
  bool extension();
  bool function_type();
  std::optional<std::string> labels(const Node& type);
  bool function();
  bool variable(bool subscript);
  bool accessor(std::string text);
  bool other_function();
  bool initializer();
  bool closure(std::string_view what);
  bool local_name();
  bool operator_name();
  bool tuple();
  bool protocol_list();
  bool pop_protocol();
  bool generic_parameter();
  bool associated_type();
  bool requirement();
  bool generic_signature(bool counted);
  bool generic_type();
  bool annotation();
  bool special_type();
  bool builtin_type();

  std::string_view rest_;
  std::vector<Node> stack_;
  std::vector<Node> known_;
  std::vector<std::string> words_;
  bool ended_ = false;
};

}  // namespace gprof::swift
