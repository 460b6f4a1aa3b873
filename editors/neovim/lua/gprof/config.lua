--- The settings of `require('gprof').setup()`: one table says their names, types, defaults and what they do.
--- Values are checked against it, and `:help gprof-settings` is generated from it.

local M = {}

---@class gprof.Setting
---@field name string with dots between its parts
---@field type string one of: boolean, integer, number, string, list (of texts), any
---@field default any
---@field choices string[]?
---@field least number?
---@field most number?
---@field is_optional boolean? nil does as well
---@field text string for the help page

--- What the server reads is below `settings`, under the names that it has in every editor.
---@type gprof.Setting[]
M.schema = {
  {
    name = 'autostart',
    type = 'boolean',
    default = true,
    text = 'Start the server when a file of one of the `filetypes` is opened. Without it, |vim.lsp.enable()| does, '
      .. 'or `:Gprof start`.',
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
    name = 'annotations.enable',
    type = 'boolean',
    default = true,
    text = "Show counts and times at the ends of lines. Where this is off, Neovim's own inlay hints show them when "
      .. '|vim.lsp.inlay_hint.enable()| says so.',
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
    name = 'lists.open',
    type = 'boolean',
    default = true,
    text = 'Open the window of a quickfix list that |:GprofCallers|, |:GprofCallees|, |:GprofHotspots| or |:GprofDiff| '
      .. 'has filled.',
  },
  {
    name = 'record.stacks',
    type = 'boolean',
    default = true,
    text = '|:GprofRun| keeps the call stack of each sample: times with what was called are then measured.',
  },
  {
    name = 'record.rate',
    type = 'integer',
    default = 0,
    least = 0,
    most = 20000,
    text = 'Samples that |:GprofRun| takes for each second of CPU time of each thread. 0: 1000 where the clock of '
      .. 'perf is allowed, else 100.',
  },
  {
    name = 'settings.programs',
    type = 'any',
    is_optional = true,
    text = 'Programs and their profiles: `{ { executable = "build/prog", profiles = { "gmon.out" } } }`. Without '
      .. 'them they are looked for in the workspace.',
  },
  {
    name = 'settings.base',
    type = 'any',
    is_optional = true,
    text = 'What is compared with: `{ executable = …, profiles = { … } }`. |:GprofDiff| sets it as well.',
  },
  {
    name = 'settings.metric',
    type = 'string',
    default = 'self',
    choices = { 'calls', 'executions', 'self', 'total' },
    text = 'What leads on lines, colours them, and orders lists.',
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
    text = 'Code lenses, where Neovim draws them itself; `annotations.functions` shows the same without it.',
  },
  {
    name = 'settings.inlayHints.enable',
    type = 'boolean',
    default = true,
    text = "Hints at the ends of lines, for Neovim's own inlay hints. Annotations take their place.",
  },
  {
    name = 'settings.diagnostics.enable',
    type = 'boolean',
    default = false,
    text = 'Mark sources that changed since the build, and functions that got slower than in the base.',
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
    name = 'settings.logLevel',
    type = 'string',
    default = 'warning',
    choices = { 'off', 'error', 'warning', 'info', 'debug' },
    text = "What the server writes to Neovim's log of language servers (`:lua =vim.lsp.get_log_path()`).",
  },
}

---@param tree table
---@param name string
local function value_at(tree, name)
  for part in name:gmatch('[^.]+') do
    if type(tree) ~= 'table' then
      return nil
    end
    tree = tree[part]
  end
  return tree
end

---@param tree table
---@param name string
---@param value any
local function set_at(tree, name, value)
  local parts = {}
  for part in name:gmatch('[^.]+') do
    table.insert(parts, part)
  end
  for index = 1, #parts - 1 do
    tree[parts[index]] = tree[parts[index]] or {}
    tree = tree[parts[index]]
  end
  tree[parts[#parts]] = value
end

---@param setting gprof.Setting
---@return string
local function expected(setting)
  if setting.choices then
    return 'one of ' .. table.concat(setting.choices, ', ')
  end
  if setting.least then
    return ('%s from %s to %s'):format(
      setting.type == 'integer' and 'a whole number' or 'a number',
      setting.least,
      setting.most
    )
  end
  local words = { boolean = 'true or false', string = 'a text', list = 'a list of texts', any = 'a table' }
  return words[setting.type]
end

---@param setting gprof.Setting
---@param value any
---@return boolean
local function fits(setting, value)
  local kind = setting.type
  if kind == 'any' then
    return type(value) == 'table'
  elseif kind == 'list' then
    if type(value) ~= 'table' then
      return false
    end
    for _, element in ipairs(value) do
      if type(element) ~= 'string' then
        return false
      end
    end
    return #value > 0
  elseif kind == 'integer' or kind == 'number' then
    local is_number = type(value) == 'number' and (kind == 'number' or value % 1 == 0)
    return is_number and value >= setting.least and value <= setting.most
  end
  if type(value) ~= kind then
    return false
  end
  return setting.choices == nil or vim.tbl_contains(setting.choices, value)
end

--- Names in what was given that are no settings.
---@param given table
---@param prefix string
---@param known table<string, gprof.Setting>
---@param problems string[]
local function find_unknown(given, prefix, known, problems)
  for key, value in pairs(given) do
    local name = prefix .. tostring(key)
    if not known[name] then
      local is_group = false
      for other in pairs(known) do
        is_group = is_group or vim.startswith(other, name .. '.')
      end
      if is_group and type(value) == 'table' then
        find_unknown(value, name .. '.', known, problems)
      else
        table.insert(problems, name .. (is_group and ' must be a table' or ' is no setting of this plugin'))
      end
    end
  end
end

--- The settings with what the user gave in the places of the defaults. What does not fit is left as it was and named.
---@param given table?
---@return table settings
---@return string[] problems
function M.resolve(given)
  local settings, problems, known = {}, {}, {}
  if given ~= nil and type(given) ~= 'table' then
    given, problems = nil, { 'they must be a table' }
  end
  for _, setting in ipairs(M.schema) do
    known[setting.name] = setting
    set_at(settings, setting.name, vim.deepcopy(setting.default))
    local value = value_at(given or {}, setting.name)
    if value ~= nil then
      if fits(setting, value) then
        set_at(settings, setting.name, vim.deepcopy(value))
      else
        table.insert(problems, ('%s must be %s'):format(setting.name, expected(setting)))
      end
    end
  end
  find_unknown(given or {}, '', known, problems)
  table.sort(problems)
  return settings, problems
end

M.expected = expected

local current, current_problems

--- The settings that hold now: those of setup(), else of `vim.g.gprof`, else the defaults.
---@return table
function M.get()
  if not current then
    M.set(vim.g.gprof)
  end
  return current
end

---@param given table?
---@return string[] problems
function M.set(given)
  current, current_problems = M.resolve(given)
  return current_problems
end

--- What was wrong with the settings, for the health report.
---@return string[]
function M.problems()
  M.get()
  return current_problems
end

return M
