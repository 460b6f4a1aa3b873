#include "engine/dwarf/node_reader.h"

namespace gprof::dwarf {

TagMeaning meaning_of(std::uint16_t tag, Language language) {
  switch (tag) {
    case DW_TAG_subprogram:
      return {Treatment::node, DieKind::subprogram};
    case DW_TAG_inlined_subroutine:
      return {Treatment::node, DieKind::inlined_call};
    case DW_TAG_namespace:
      return {Treatment::node, DieKind::name_space};
    case DW_TAG_module:
      return {Treatment::node, DieKind::module};
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
      return {Treatment::node, DieKind::class_type};
    case DW_TAG_enumeration_type:
      // Rust enumerations have methods; those of other languages only have many members.
      if (language != Language::rust) return {Treatment::skipped, DieKind::class_type};
      return {Treatment::node, DieKind::class_type};
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
      return {Treatment::transparent, DieKind::subprogram};
    default:
      return {Treatment::skipped, DieKind::subprogram};
  }
}

}  // namespace gprof::dwarf
