---@meta
--- What the messages of the server hold: annotations alone, never loaded. Made by scripts/generate.

---@alias gprof.Metric string

---@class gprof.ServerExtensions
---@field version integer
---@field requests string[] methods, sorted
---@field notifications string[] methods that the server may send

---@class gprof.ClientExtensions
---@field decorations? boolean it draws gprof/lineData itself and gets no inlay hints
---@field status? boolean it shows gprof/status and its warnings, and gets no messages of these
---@field tests? boolean it runs programs: lenses above tests have the command gprof.profileTest, which is the client's

---@class gprof.CallGraphParams
---@field textDocument? gprof.TextDocumentIdentifier
---@field position? gprof.Position
---@field program? string
---@field symbol? string instead of the two above: the linkage name, or the name as shown
---@field depth? integer how many calls away from the function: 1 to 8; 2 by default
---@field direction? 'callers'|'callees'|'both' both by default
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.TextDocumentIdentifier
---@field uri string

---@class gprof.Position
---@field line integer
---@field character integer

---@class gprof.Selection
---@field processes? integer[] numbers of gprof/metrics; without them, all
---@field threads? (integer|string)[] numbers, or names of threads; without them, all
---@field from? number seconds since the run began; included
---@field to? number not included
---@field idle? boolean true: idle waiting too, whatever gprof.idle says

---@class gprof.CallGraphResult
---@field program string empty if there is none
---@field generation integer
---@field root integer|vim.NIL the function's node; null if there is no such function
---@field otherRoots? integer[] its other instances: of a template, in several units
---@field whole? gprof.CallGraphWhole root and otherRoots as one function; left out if there is one instance
---@field basis? gprof.TimeBasis
---@field nodes gprof.CallGraphNode[] at most 500
---@field arcs gprof.CallGraphArc[] at most 5,000
---@field truncated boolean something was left out; the hottest at each function was kept
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact

---@class gprof.CallGraphWhole
---@field calls integer
---@field recursiveCalls integer
---@field selfSeconds number
---@field childSeconds number
---@field totalError number of both together

---@alias gprof.TimeBasis
---| 'measured'
---| 'estimated'

---@class gprof.CallGraphNode
---@field id integer
---@field name string
---@field linkageName string
---@field uri? string
---@field range? gprof.Range of the name in the definition
---@field calls integer by other functions
---@field recursiveCalls integer by itself; these have no arcs
---@field selfSeconds number
---@field childSeconds number
---@field totalError number of both together
---@field cycle? integer the number of the cycle that it belongs to

---@class gprof.Range
---@field start gprof.Position
---@field end gprof.Position

---@class gprof.CallGraphArc
---@field from integer the caller's node
---@field to integer
---@field calls integer
---@field selfSeconds number of the callee's time, for these calls
---@field childSeconds number
---@field error number of both together
---@field sites? gprof.Location[] where the counted calls are, if known; at most 20

---@class gprof.Location
---@field uri string
---@field range gprof.Range

---@class gprof.CallSitesParams
---@field textDocument? gprof.TextDocumentIdentifier
---@field position? gprof.Position
---@field program? string with symbol
---@field symbol? string instead of a place: a function's name as in lists, "write [libc.so.6]", or linkage name
---@field direction 'callers'|'callees'
---@field function? string which of several whose names are on the line
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.CallSitesResult
---@field program string empty if no profile has code of the document
---@field generation integer
---@field name? string of the function; left out if there is none at the place
---@field basis? gprof.TimeBasis
---@field unit string "seconds" unless the profile says otherwise
---@field programSeconds number the program's time, of which shares are parts
---@field seconds? number of all these calls together: less than their sum where functions are recursive
---@field sites gprof.CallSite[] most time first, then most calls, recursive ones last; at most 10,000
---@field truncated boolean
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact

---@class gprof.CallSite
---@field name string callers: the calling function; callees: the called one; the place is the call's
---@field uri? string
---@field range? gprof.Range
---@field alternatives? gprof.Location[] other lines that may have made some of these calls, or all
---@field definition? gprof.Location of that function
---@field through? string unprofiled code that made the call, such as qsort's
---@field calls integer
---@field approximate? boolean some of these calls may belong to `alternatives`
---@field seconds? number total time of the callee for these calls
---@field error? number one standard deviation
---@field recursive? boolean the function called itself

---@class gprof.CyclesParams
---@field program? string
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.CyclesResult
---@field program string empty if none is loaded
---@field generation integer
---@field basis? gprof.TimeBasis of childSeconds
---@field cycles gprof.CallCycle[] most time first; at most 1,000
---@field total integer number of all cycles
---@field unit string "seconds" unless the profile says otherwise
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact

---@class gprof.CallCycle
---@field cycle integer its number, as in gprof/callGraph
---@field calls integer from outside
---@field internalCalls integer between different members
---@field selfSeconds number
---@field childSeconds number of callees outside the cycle
---@field totalError number of both together
---@field memberCount integer how many members there are
---@field members gprof.CycleMember[] most self time first; at most 500, and 10,000 in all

---@class gprof.CycleMember
---@field name string
---@field linkageName string
---@field uri? string
---@field range? gprof.Range of the name in the definition
---@field calls integer by others, including members of the cycle
---@field recursiveCalls? integer by itself; left out if there are none
---@field selfSeconds number
---@field selfError number

---@class gprof.FlameGraphParams
---@field textDocument? gprof.TextDocumentIdentifier with a position
---@field position? gprof.Position
---@field program? string if there is no place
---@field maximumDepth? integer calls below the root: 100 by default; at most 400
---@field minimumShare? number smaller nodes are left out; a share of the root's time, 0.0001 by default
---@field differences? boolean from the base, where there is one
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.FlameGraphResult
---@field program string empty if there is none
---@field generation integer
---@field basis gprof.TimeBasis from sampled stacks, or by gprof's propagation
---@field unit string "seconds" unless the profile says otherwise
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact
---@field total number the root's
---@field compared? boolean if differences were asked for: whether the base has a tree of this kind
---@field root gprof.FlameGraphNode|vim.NIL null if there is no program, or no function at the place

---@class gprof.FlameGraphNode
---@field name string
---@field total number self, the children's totals and leftOut together
---@field self number
---@field error? number of the total: one standard deviation; left out if costs are exact
---@field selfError? number
---@field leftOut? number of callees that are too small, too deep or too many
---@field inlined? boolean a function without a call: its code lies in that of the node around it
---@field module? string the file of a function or code of another module
---@field uri? string of the definition
---@field range? gprof.Range
---@field difference? gprof.Difference of the total; left out unless asked for, and where the base's is not known
---@field gone? gprof.GoneCallee[] callees that only the base has here; most time first, at most 10
---@field goneSeconds? number of all of these, in a run of the base
---@field children gprof.FlameGraphNode[] most time first; at most 10,000 nodes in all

---@class gprof.Difference
---@field baseSeconds number
---@field difference number of a run now, minus a run of the base
---@field error number one standard deviation, including possible drift
---@field verdict gprof.Verdict
--- of noise: with that many runs on each side, a difference of this size would probably be significant; left out where
--- it is within its error, and above 100
---@field runsToDecide? integer

---@alias gprof.Verdict
---| 'regressed'
---| 'improved'
---| 'noise'
---| 'new'
---| 'gone'

---@class gprof.GoneCallee
---@field name string
---@field seconds number of a run of the base

---@class gprof.FlatProfileParams
---@field program? string
---@field offset? integer rows to skip
---@field limit? integer 1,000 by default; at most 10,000
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
---@field metrics? string[] names of metrics by which rows have values; at most 64
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.FlatProfileResult
---@field program string empty if none is loaded
---@field generation integer
---@field basis? gprof.TimeBasis of totalSeconds and totalPerCall
---@field rows gprof.FlatProfileRow[]
---@field total integer number of all rows
---@field unit string "seconds" unless the profile says otherwise
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact
---@field programSeconds number all samples but the collector's: percentages are of this
---@field sampledSeconds number all samples: of all rows and all others
---@field others gprof.OtherSamples[] most time first

---@class gprof.FlatProfileRow
---@field name string as written in the source
---@field linkageName string
---@field percent number of the program's time
---@field selfSeconds number
---@field selfError number
---@field totalSeconds number with what it called
---@field totalError number
---@field cumulativeSeconds number of this row and all before it
---@field calls? integer by other functions; left out if there are none
---@field selfDifference? gprof.Difference from the base; left out if nothing is compared
---@field selfPerCall? number
---@field totalPerCall? number
---@field uri? string
---@field line? integer
---@field values? table<string, gprof.MetricValues> by the metrics asked for, where the function has any

---@class gprof.MetricValues
---@field self number of the code itself; of counts, the count
---@field selfError? number one standard deviation; left out if it is exact
---@field total? number with what it called
---@field totalError? number

---@class gprof.OtherSamples
--- "snprintf [libc.so.6]"; "[libc.so.6]": its code of no known function; "[unknown]": code of which nothing is known
---@field name string
---@field kind 'module'|'collector'|'unknown' module: a library, or a function of it; collector: the profiler itself
---@field function? string of a library, where its symbols name it: "snprintf"
---@field module? string "libc.so.6"
---@field seconds number in the function itself
---@field error number
---@field percent? number of the program's time, which excludes the collector's
---@field totalSeconds? number with what it called; only of functions, and only if it is measured
---@field totalError? number
---@field selfDifference? gprof.Difference from the base, of libraries; left out if nothing is compared

---@class gprof.HotSpotsParams
---@field program? string
--- the setting gprof.metric by default; executions: by calls, which is how functions are counted
---@field metric? gprof.Metric
---@field query? string letters of the name in this order, ignoring case
---@field order? 'cost'|'regression' cost by default; regression: as the comparison with the base ranks them
---@field limit? integer 50 by default; at most 1,000
---@field metrics? string[] names of metrics by which spots have values; at most 64
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.HotSpotsResult
---@field program string empty if none is loaded
---@field generation integer
---@field basis? gprof.TimeBasis
---@field unit string "seconds" unless the profile says otherwise; empty if none is loaded
---@field programSeconds number the program's time, of which shares are parts
---@field spots gprof.HotSpot[] hottest first; those below their error last
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact

---@class gprof.HotSpot
---@field name string
---@field signature? string if it differs from the name
---@field module? string of a function of a library, or of its other code: the library's file
---@field callSite? gprof.Location of a library's function: where the program called it most; left out if unknown
---@field uri? string
---@field range? gprof.Range of the name in the definition
---@field calls? integer by other functions; left out if there are none
---@field recursiveCalls? integer by itself; left out if there are none
---@field selfSeconds number
---@field selfError number
---@field totalSeconds number
---@field totalError number
---@field significant? boolean false: the time it is ranked by is less than its error; left out when true
---@field selfDifference? gprof.Difference from the base; left out if nothing is compared
---@field totalDifference? gprof.Difference
---@field callsDifference? integer exact; left out if counts depend on the run
---@field heat number
---@field rank integer among all functions, those of libraries included, in the order asked for, from 1
---@field values? table<string, gprof.MetricValues> by the metrics asked for, where the function has any

---@class gprof.IdleParams

---@class gprof.IdleResult

---@class gprof.LineDataParams
---@field textDocument gprof.TextDocumentIdentifier
---@field range? gprof.Range the lines that it touches; without it, all of them
---@field inlinedAtCalls? boolean without it, the setting gprof.inlinedAtCalls
---@field hottest? integer only so many lines, the hottest by the metric, and none without heat
---@field metric? gprof.Metric of cells, heat and level; without it, the setting gprof.metric
---@field threshold? number cells have no times below this share; without it, the setting gprof.threshold
---@field errors? boolean cells have times with their errors
---@field functions? boolean the texts of lenses as well
---@field metrics? string[] names of metrics by which lines have values; at most 64
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.LineDataResult
---@field version integer|vim.NIL of the document; null where it is not open
---@field source 'inStep'|'changed'|'stale'|'unknown'
---@field asCompiled? boolean the text is the compiled one, line by line
---@field program? string the figures are this one's
---@field basis? gprof.TimeBasis of totalSeconds, and of what callees cost
---@field columns? gprof.LineColumn[] of the lines' cells, from left to right
---@field lines gprof.LineData[] ascending; at most 100,000
---@field functions? gprof.FunctionSummary[] ascending; left out unless asked for
---@field sampleSeconds? number what one sample stands for; left out if costs are exact
---@field unsampledBelow? number code without samples took less than this, at 95 %; left out if costs are exact

---@class gprof.LineColumn
---@field name string
---@field width integer characters that nearly all of its texts fit into

---@class gprof.LineData
---@field line integer
---@field state 'current'|'changed'|'approximate'
---@field calls? integer made from this line
---@field executions? integer of its basic blocks, where the program was built to count them
---@field selfSeconds? number
---@field selfError? number
---@field totalSeconds? number with what the calls cost
---@field significant? boolean false: its times are less than their error; left out when true
---@field selfDifference? gprof.Difference beside the base; left out where the line is not compared
---@field totalDifference? gprof.Difference with what the line calls; only if both sides have stacks
---@field cells? string[] texts by column; empty ones at the end are left out
---@field level integer of heat: 0 for none, 5 for the hottest
---@field heat number by the metric
---@field heats gprof.Heats
---@field callees? gprof.LineCallee[] most calls first; at most 100
---@field values? table<string, gprof.MetricValues> by the metrics asked for, where the line has any

---@class gprof.Heats
---@field time number
---@field calls number
---@field executions number
---@field self number
---@field total number

---@class gprof.LineCallee
---@field name string
---@field count integer
---@field approximate? boolean some of these calls may belong to other lines
---@field seconds? number total time of these calls
---@field uri? string of the definition
---@field position? gprof.Position

---@class gprof.FunctionSummary
---@field line integer of the function's name
---@field text string of the lens above it

---@class gprof.MetricsParams
---@field program? string

---@class gprof.MetricsResult
---@field program string empty if none is loaded
---@field generation integer
---@field metrics gprof.MetricDescription[] of cost, then counts, then derived ones
---@field processes gprof.ProfiledProcess[]
---@field threads gprof.ProfiledThread[] empty if they are not told apart
---@field length number seconds that the run took; 0 if unknown
---@field sliceWidth number seconds; 0: it is not known when samples were taken
---@field problems? string[] formulas that cannot be used, and why

---@class gprof.MetricDescription
---@field name string for gprof.metric and for every member that names a metric
---@field label string for lists: "CPU time"
---@field unit string
---@field kind 'sampled'|'exact'|'derived' derived: a formula of others
---@field origin string how its figures were obtained: "sampled 100 times per CPU second"; or the formula
---@field total? number of what is selected; left out where it has none
---@field totalError? number

---@class gprof.ProfiledProcess
---@field process integer its number; from 1 where that is not known
---@field name string of its profile's file
---@field from number seconds since the run began
---@field to number as from where it is not known

---@class gprof.ProfiledThread
---@field process integer
---@field thread integer
---@field name string empty if it has none
---@field cpu number what it cost, by the first metric

---@class gprof.ProgramsParams

---@class gprof.ProgramsResult
---@field programs gprof.ProgramEntry[] the one being shown comes first

---@class gprof.ProgramEntry
---@field name string unique
---@field executable string path
---@field profiles string[] paths; their sum is shown
---@field candidates string[] profiles that could be shown, newest first
---@field partOf? string of a shared library: the executable that it was profiled in
---@field selected boolean
---@field rebuiltSince boolean the executable is newer than the profile; the last good state is shown
---@field live? boolean it is running: its counts are a moment old, and rising
---@field generation integer
---@field state gprof.ProfileState

---@alias gprof.ProfileState
---| 'loading'
---| 'ready'
---| 'stale'
---| 'error'

---@class gprof.ReportParams
---@field kind gprof.ReportKind
---@field program? string
---@field options? string -b by default
---@field file? string for annotated-source: the path of one source
---@field metric? gprof.Metric of a report with --accurate: as in other requests
---@field selection? gprof.Selection|vim.NIL the same

---@alias gprof.ReportKind
---| 'all'
---| 'annotated-source'
---| 'call-graph'
---| 'execution-counts'
---| 'file-information'
---| 'flat-profile'
---| 'function-ordering'
---| 'index'

---@class gprof.ReportResult
---@field uri string
---@field text string
---@field links gprof.ReportLink[] ordered by range; at most 10,000, to at most 5,000 functions

---@class gprof.ReportLink
---@field range gprof.Range in the text, within one line
---@field target string ends with "#L12" for line 12, counted from 1
---@field tooltip? string

---@class gprof.TestsParams
---@field textDocument? gprof.TextDocumentIdentifier whose tests are asked for; without it, those that CTest would run

---@class gprof.TestsResult
---@field tests gprof.TestRun[] in the order of the text, or of CTest's files

---@class gprof.TestRun
---@field name string for people: Suite.Name, or the name of the test case
---@field program string path of the executable
---@field arguments string[] that make it run this test alone, as a list
---@field folder? string where CTest would run it; left out if its files do not say
---@field environment? string[] NAME=VALUE, added to the inherited environment
---@field range? gprof.Range of a test of a document: from its macro to the end of its body

---@class gprof.TimelineParams
---@field program? string
---@field metric? gprof.Metric a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
---@field rows 'threads'|'processes'
---@field from? number seconds since the run began; its beginning by default
---@field to? number its end by default
---@field columns? integer 200 by default; at most 4,096
--- what of the profile counts; null: all; without it, what gprof.setSelection chose
---@field selection? gprof.Selection|vim.NIL

---@class gprof.TimelineResult
---@field program string empty if none is loaded
---@field generation integer
---@field metric string of cost
---@field unit string of totals and values
---@field from number of the first column
---@field to number where the last one ends
---@field rows gprof.TimelineRow[] as gprof/metrics lists them; at most 1,000
---@field omittedRows? integer those that cost least
---@field untimed? number cost of which it is not known when it arose

---@class gprof.TimelineRow
---@field process integer
---@field thread? integer in rows of threads
---@field name string empty if it has none
---@field total number of all columns
---@field values number[] by column
---@field activities? gprof.TimelineActivity[] by wall, wait or a part of it: what the thread did; those that occur

---@class gprof.TimelineActivity
---@field name gprof.Activity
---@field values number[] by column

---@alias gprof.Activity
---| 'running'
---| 'lock'
---| 'io'
---| 'sleep'
---| 'child'
---| 'other'
---| 'cpu'
---| 'idle'

---@class gprof.StatusParams
---@field state gprof.ProfileState
---@field program string path of the executable being shown; empty for none
---@field profiles string[] paths
---@field generation integer
---@field message? string what is wrong, and what to do
---@field warnings? string[] what was noticed of profiles that are shown; ten at most, the log has all
---@field unavailable? string path of the program that was chosen and cannot be shown; message says why
---@field why? string a sentence: why these profiles are shown
---@field pinned? boolean newer profiles are not shown
---@field live? boolean the program is running: its counts are about a second old, and rising
---@field ran? string by the clock and on CPUs: "ran 3.9 s, 0.09 s on CPU"; up to now if live
---@field waiting? string a sentence, if less than a third of that was on a CPU
---@field tick? string a sentence, if the kernel's tick may have decided where samples fell
---@field comparison? gprof.ProgramComparison with the base, where there is one
---@field metric gprof.Metric that is shown; time where the program lacks another one
---@field metricText? string what users call it, where costs are no times: "Ir", "self Ir", "total Ir"
---@field selection? gprof.Selection left out if all of the profile is shown
---@field selectionText? string "thread parser (12), 1.2 s to 3.4 s"
---@field idle? 'folded'|'shown' what gprof.idle says; left out where waits were not measured

---@class gprof.ProgramComparison
---@field text string "0.51 → 0.77 s, +51 %: regressed"
---@field verdict? gprof.Verdict left out if only calls are compared

---@class gprof.ExportArgument
---@field format 'callgrind'|'csv'|'dot'|'folded'|'json'|'pprof'|'speedscope'
---@field program? string
---@field path? string of the file to write, or its URI; relative to the first workspace folder
---@field table? 'functions'|'arcs'|'lines' for csv; functions by default

---@class gprof.ExportedText
---@field text string at most 32 MiB

---@class gprof.ExportedFile
---@field uri string

---@class gprof.LoadArgument
---@field executable string path or file URI, like all paths here
---@field profiles? string[] glob patterns; if omitted, the server looks for them
---@field newest? boolean show only the newest match, now and later, not the sum

---@class gprof.CompareArgument
---@field executable? string if omitted, profiles of the program being shown
---@field profiles? string[] glob patterns: each profile is a run; if omitted, the server looks for them

---@class gprof.SelectArgument
---@field executable string
---@field profiles? string[] paths: their sum is shown until a newer one is written; if omitted, the newest
---@field pinned? boolean keep showing these profiles, whatever is written

---@class gprof.PlaceArgument
---@field uri string
---@field position gprof.Position
---@field function? string which of several whose names are on the line

---@class gprof.FunctionOfLine
---@field name string as it differs from those of the others
---@field figures string
---@field function string for a PlaceArgument

---@class gprof.ShownReport
---@field uri string
---@field text? string if the client cannot show the document

---@class gprof.RunSummary
---@field program string as it was named on the command line
---@field profile? string path of the gmon file; left out where there is none
---@field status? integer the exit status; left out if a signal ended the program
---@field signal? string that ended the program: "SIGSEGV"
---@field crash? gprof.CrashedAt the line where it did; left out where it is not known
---@field problem? string why there is no profile, or why the program was not started
---@field running integer[] profiled processes that the program has left behind
---@field figures? string "1,234 calls, 321 samples at 100 Hz, 8 threads, nothing lost"
---@field times? string by the clock and on CPUs: "ran 3.9 s, 0.09 s on CPU"
---@field headline? string the same in short: "0.09 s CPU of 3.9 s"
---@field remarks string[] caveats, the most important first

---@class gprof.CrashedAt
---@field path string of the source, as it was compiled
---@field line integer from 1
---@field function string empty if it is not known
