--- The settings, as config.lua reads them. Made by scripts/generate.

---@type gprof.Setting[]
return {
  {
    name = 'annotations.enable',
    type = 'boolean',
    default = true,
    text = 'Show figures at the ends of lines: how often they ran or called, their time and its share. Where this is '
      .. "off, Neovim's own inlay hints show them when |vim.lsp.inlay_hint.enable()| says so.",
  },
  {
    name = 'annotations.lines',
    type = 'string',
    default = 'all',
    choices = { 'all', 'cursor', 'held' },
    text = 'Which lines have figures at their ends. `held`: as long as a mapping of yours repeats |:Gprof-peek|.',
  },
  {
    name = 'annotations.inserting',
    type = 'boolean',
    default = true,
    text = 'Show figures in insert mode as well.',
  },
  {
    name = 'annotations.functions',
    type = 'boolean',
    default = true,
    text = 'Show calls, times and rank of a function behind the line that it begins with, unless Neovim draws code '
      .. 'lenses itself.',
  },
  {
    name = 'annotations.errors',
    type = 'boolean',
    default = true,
    text = 'Show sampled times with their error, one standard deviation (±).',
  },
  {
    name = 'annotations.column',
    type = 'integer',
    default = 80,
    least = 0,
    most = 1000,
    text = 'No figures begin further to the right than this column, but for lines that are longer themselves.',
  },
  {
    name = 'annotations.signs',
    type = 'boolean',
    default = true,
    text = 'Mark hot lines in the sign column by their heat. With `signcolumn=yes` code does not move when the first '
      .. 'mark appears.',
  },
  {
    name = 'annotations.sign_text',
    type = 'string',
    default = '▎',
    text = 'The mark in the sign column, one or two cells wide.',
  },
  {
    name = 'autostart',
    type = 'boolean',
    default = true,
    text = 'Start the server when a file of one of the `filetypes` is opened. Without it, |vim.lsp.enable()| does, or '
      .. '`:Gprof start`.',
  },
  {
    name = 'cmd',
    type = 'list',
    is_optional = true,
    text = 'The command that starts the server, such as `{ "gprof-lsp", "--stdio" }`. Without it: `gprof-lsp` on the '
      .. 'PATH, else the one that was built in the clone that this plugin lies in.',
  },
  {
    name = 'filetypes',
    type = 'list',
    default = { 'c', 'cpp', 'objc', 'objcpp', 'cuda', 'fortran', 'ada', 'd', 'rust', 'asm' },
    text = 'The file types that the server is started for.',
  },
  {
    name = 'root_markers',
    type = 'list',
    default = { '.git', '.hg', '.jj', '.svn' },
    text = 'What lies in the top folder of a workspace; each workspace has one server. Where none of them is above a '
      .. 'file, the folder of the nearest `gmon.out` or build file is the workspace, else the current directory.',
  },
  {
    name = 'lists.open',
    type = 'boolean',
    default = true,
    text = 'Open the window of a quickfix list that |:GprofCallers|, |:GprofCallees|, |:GprofHotspots| or '
      .. '|:GprofDiff| has filled.',
  },
  {
    name = 'record.stacks',
    type = 'boolean',
    default = true,
    text = 'Programs that are run from the editor keep the call stack of each sample: times with what was called are '
      .. 'then measured. Without stacks they are estimated, as gprof does it.',
  },
  {
    name = 'record.rate',
    type = 'integer',
    default = 0,
    least = 0,
    most = 20000,
    text = 'Samples of a program that is run from the editor, for each second of CPU time of each thread. 0: 1000 '
      .. "where perf's clock is allowed, else 100.",
  },
  {
    name = 'record.wait',
    type = 'boolean',
    default = false,
    text = 'Programs that are run from the editor tell how long their threads wait: for locks, input and output, '
      .. 'sleep, other processes.',
  },
  {
    name = 'settings.programs',
    type = 'any',
    is_optional = true,
    text = 'Programs and their profiles. Empty: they are looked for in the workspace, which is enough for most '
      .. 'projects. `{ { executable = "build/prog", profiles = { "gmon.out" } } }` names one.',
  },
  {
    name = 'settings.base',
    type = 'any',
    is_optional = true,
    text = 'What is compared with: another profile, or another build. Lenses, lines, hovers and lists then show what '
      .. 'differs. `{ executable = …, profiles = { … } }`; |:GprofDiff| sets it as well.',
  },
  {
    name = 'settings.metric',
    type = 'string',
    default = 'time',
    text = 'What leads on lines, colours them, and orders lists.',
  },
  {
    name = 'settings.derived',
    type = 'any',
    is_optional = true,
    text = 'Metrics of your own: formulas of those that a profile has. Built in are `seconds per call`, `seconds per '
      .. 'execution`, `instructions per cycle` and `misses per execution`. `{ { name = "miss rate", formula = "D1mr '
      .. '/ Dr", unit = "misses" } }` is one.',
  },
  {
    name = 'settings.threshold',
    type = 'number',
    default = 0.005,
    least = 0,
    most = 1,
    text = "The share of the program's time, from 0 to 1, below which a line's time is not shown.",
  },
  {
    name = 'settings.codeLens.enable',
    type = 'boolean',
    default = true,
    text = 'Show calls, times and rank above functions. These are code lenses, where Neovim draws them itself; '
      .. '`annotations.functions` shows the same without it.',
  },
  {
    name = 'settings.codeLens.threshold',
    type = 'number',
    default = 0.005,
    least = 0,
    most = 1,
    text = "The share of the program's time, from 0 to 1, below which a function has no lens; a function that never "
      .. 'ran has none either. A short run, or one without samples, shows each function that was called. 0 shows '
      .. 'every function.',
  },
  {
    name = 'settings.codeLens.tests',
    type = 'boolean',
    default = true,
    text = 'Offer above a test of GoogleTest or Catch2 to profile it, in editors that run programs, where a program '
      .. 'of the workspace contains it. `:Gprof test` profiles the test under the cursor in any case.',
  },
  {
    name = 'settings.inlayHints.enable',
    type = 'boolean',
    default = true,
    text = 'Hints at the ends of lines, for editors that do not draw annotations. Annotations take the place of '
      .. "Neovim's own inlay hints.",
  },
  {
    name = 'settings.diagnostics.enable',
    type = 'boolean',
    default = false,
    text = 'Mark sources that changed since the build, and functions that got slower than in the base.',
  },
  {
    name = 'settings.diagnostics.crashes',
    type = 'boolean',
    default = true,
    text = 'Mark the line where the program crashed in the profiled run, by SIGSEGV, SIGABRT and the like.',
  },
  {
    name = 'settings.demangle',
    type = 'boolean',
    default = true,
    text = 'Show C++, Rust, D and Ada names as they are written.',
  },
  {
    name = 'settings.inlinedAtCalls',
    type = 'boolean',
    default = false,
    text = 'Count the time of inlined code at the calls that were inlined, not at its own lines.',
  },
  {
    name = 'settings.idle',
    type = 'string',
    default = 'folded',
    choices = { 'folded', 'shown' },
    text = 'Waiting that is no time lost: threads that wait nearly always at one place for something to do.',
  },
  {
    name = 'settings.logLevel',
    type = 'string',
    default = 'warning',
    choices = { 'off', 'error', 'warning', 'info', 'debug' },
    text = "What the server writes to the editor's log. It is that of language servers (`:lua "
      .. '=vim.lsp.get_log_path()`).',
  },
}
