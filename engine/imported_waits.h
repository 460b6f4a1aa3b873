// What threads waited for in recordings of other tools, which say no more than when they were
// switched out: by the names on their stacks.
//
// Thread contract: a pure function. Errors: none; waits that tell nothing stay as they are.
#pragma once

#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// Sets kind and function of the waits that have no function. `symbols`: of the program, which
// `own_modules` are; `functions`: of the others.
void name_waits(Sidecar& sidecar, const std::vector<bool>& own_modules, const SymbolTable& symbols,
                const ExternalFunctions& functions);

}  // namespace gprof
