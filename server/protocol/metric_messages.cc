#include "server/protocol/metric_messages.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

Selection selection_of(const SelectionData& data) {
  Selection selection;
  selection.processes = data.processes;
  for (const ThreadChoice& choice : data.threads) {
    if (const auto* number = std::get_if<std::uint32_t>(&choice)) {
      selection.threads.push_back(*number);
    } else {
      selection.thread_names.push_back(*std::get_if<std::string>(&choice));
    }
  }
  selection.from = data.from;
  selection.to = data.to;
  selection.with_idle = data.idle.value_or(false);
  return selection;
}

SelectionData selection_data(const Selection& selection) {
  SelectionData data;
  data.processes = selection.processes;
  for (const std::uint32_t number : selection.threads) data.threads.emplace_back(number);
  for (const std::string& name : selection.thread_names) data.threads.emplace_back(name);
  data.from = selection.from;
  data.to = selection.to;
  if (selection.with_idle) data.idle = true;
  return data;
}

void read_json(const Json& json, ThreadChoice& out, ReadContext& context) {
  if (json.is_string()) {
    out = json.get<std::string>();
    return;
  }
  if (!whole_number(json)) return context.fail("the number of a thread, or a name");
  std::uint32_t number = 0;
  read_json(json, number, context);
  out = number;
}

}  // namespace gprof::lsp
