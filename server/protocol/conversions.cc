#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json& json, MarkupContent& out, ReadContext& context) {
  if (json.is_string()) return read_json(json, out.value, context);
  ObjectReader reader(json, context);
  MarkupContent::fields(reader, out);
}

}  // namespace gprof::lsp
