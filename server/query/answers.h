// The tools' answers, one function each. The arguments have been read and are checked here.
//
// Thread contract: on a worker, within one question. Errors: invalid_argument, which names the
// argument; no_profile_data where nothing is loaded; those of views and of reading files.
#pragma once

#include "server/protocol/tool_answers.h"
#include "server/protocol/tool_arguments.h"
#include "server/query/tool.h"

namespace gprof::lsp {

[[nodiscard]] Expected<ProgramsAnswer> answer_programs(ToolContext& context,
                                                       const ProgramsArguments& arguments);
[[nodiscard]] Expected<HotSpotsAnswer> answer_hot_spots(ToolContext& context,
                                                        const HotSpotsArguments& arguments);
[[nodiscard]] Expected<FunctionAnswer> answer_function(ToolContext& context,
                                                       const FunctionArguments& arguments);
[[nodiscard]] Expected<LinesAnswer> answer_lines(ToolContext& context,
                                                 const LinesArguments& arguments);
[[nodiscard]] Expected<CallPathAnswer> answer_call_path(ToolContext& context,
                                                        const CallPathArguments& arguments);
[[nodiscard]] Expected<TimelineAnswer> answer_timeline(ToolContext& context,
                                                       const TimelineArguments& arguments);
[[nodiscard]] Expected<CompareAnswer> answer_compare(ToolContext& context,
                                                     const CompareArguments& arguments);

}  // namespace gprof::lsp
