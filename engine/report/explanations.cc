#include "engine/report/explanations.h"

namespace gprof {

const std::string_view flat_profile_explanation = R"(
 Columns of the flat profile, one row a function, the most expensive first:

 % time     The function's own share of all sampled time. Callees are not part
            of it.

 cumulative The seconds of this row and of all rows above it, added up.
 seconds

 self       The seconds sampled in the function itself. Rows are sorted by it;
 seconds    equal ones by calls, then by name.

 calls      How often the function was entered from other functions. Blank when
            no call was counted: it was not compiled for profiling, or never
            ran.

 self       The function's own time, divided by its calls, in the unit that
 */call     the heading names. Blank without calls.

 total      The same with the time of everything that it called. This column
 */call     alone is an estimate from the call graph.

 name       The function. Where the call graph is printed too, its index tells
            the number of the function's entry.
)";

const std::string_view call_graph_explanation = R"(
 Reading the call graph. Dashes part the entries, one a function, sorted by the
 time of the function and all that it called. In each, the line that starts with
 a number in brackets is the function itself; above it stand those that called
 it, below it those that it called.

 The line of the function:
     index     Its number. Names refer to it: "f [7]" has entry 7; a number in
               round brackets says that the entry is not printed.
     % time    The share of the propagated time that was spent in it and in what
               it called. Times count for callers again: shares do not add up to
               100.
     self      Seconds in the function itself.
     children  Seconds handed up by the functions that it called.
     called    Calls from other functions; behind a plus, its calls of itself.
     name      With its cycle, if it is part of one, and its number.

 The lines above it, its callers:
     self      The part of the function's own seconds charged to this caller.
     children  The part of its children's seconds charged to this caller.
     called    Calls by this caller / all calls that are not recursive.
     name      "<spontaneous>" when no caller is known.

 The lines below it, its callees:
     self      The part of the callee's own seconds charged to this function.
     children  The part of the callee's children's seconds charged to it.
     called    Calls by this function / all calls of the callee that are not
               recursive.

 A caller is charged by the number of its calls, as if every call cost the same:
 these parts are estimates.

 Functions that call each other in a circle form a cycle. It has an entry as a
 whole, with its members below: its calls are those from outside, plus those
 between members. Calls inside a cycle charge no time.
)";

const std::string_view traditional_flat_profile_explanation = R"(
 % time     The function's own share of all sampled time.
 cumulative The seconds of this row and of all rows above it.
 self       The seconds sampled in the function itself, by which rows are sorted.
 calls      Counted calls from other functions; blank when there is none.
 self,      Milliseconds a call: of the function alone, and of it together with
 total      what it called.
 name       The function and the number of its entry in the call graph.

)";

const std::string_view traditional_call_graph_explanation = R"(
 Dashes part the entries, one a function. The line with a number in brackets is
 the function; above it stand its callers, below it its callees.

 The line of the function:
 index       Its number, by which other entries refer to it.
 %time       The share of the propagated time spent in it and in what it called.
 self        Seconds in the function itself.
 descendants Seconds handed up by the functions that it called.
 called+self Calls from other functions, and its calls of itself.
 name        With its cycle, if it is part of one.

 A caller's line:
 self        The function's own seconds charged to this caller.
 descendants Its descendants' seconds charged to this caller.
 called/     Calls by this caller, of all calls that are not recursive.
 total

 A callee's line:
 self        The callee's own seconds charged to the function.
 descendants The callee's descendants' seconds charged to the function.
 called/     Calls by the function, of all the callee's calls that are not
 total       recursive.

 A cycle of functions that call each other has an entry as a whole, with its
 members as callees; calls inside it charge no time.

)";

}  // namespace gprof
