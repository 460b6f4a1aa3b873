--- The commands with their completion, and the <Plug> maps, each defined by a table, which the help page is generated
--- from. A command is implemented in the module that it names, which is loaded on first use.

local M = {}

---@class gprof.CommandCall what Neovim passes to a command (nvim_create_user_command())
---@field args string
---@field fargs string[]
---@field bang boolean
---@field count integer
---@field mods string

---@class gprof.Command
---@field name string
---@field usage string? its arguments, for the help page
---@field module string where `run` and `complete` are
---@field run string name of a function that takes a gprof.CommandCall
---@field complete string? name of a function that takes the typed part of the last word, and the words before it
---@field has_bang boolean?
---@field has_count boolean?
---@field arguments string nargs
---@field text string for the help page

---@type gprof.Command[]
M.commands = {
  {
    name = 'Gprof',
    usage = '{what} [arguments]',
    module = 'gprof.control',
    run = 'run',
    complete = 'complete',
    arguments = '+',
    text = 'What is shown, and how; the next section has each {what}.',
  },
  {
    name = 'GprofCallers',
    module = 'gprof.navigation',
    run = 'callers',
    has_bang = true,
    arguments = '0',
    text = 'The calls of the function under the cursor, or of the one around the cursor: a quickfix list of every '
      .. 'profiled call site, hottest first. An entry leads to the line of the call, and shows how many calls were '
      .. 'made there, what they took with everything they called, and which function made them. On the name of a '
      .. 'function of a library, the calls of that one are listed, as far as stacks show them. As with |:grep|, the '
      .. 'cursor goes to the first entry; with a [!] it goes to the list instead. When another profile is loaded, a '
      .. 'list that is still the current one is filled again.',
  },
  {
    name = 'GprofCallees',
    module = 'gprof.navigation',
    run = 'callees',
    has_bang = true,
    arguments = '0',
    text = 'What that function calls, in the same way: the lines of the calls, hottest first, each with the place '
      .. 'where the callee is defined.',
  },
  {
    name = 'GprofHotspots',
    usage = '[metric]',
    module = 'gprof.navigation',
    run = 'hot_spots',
    complete = 'complete_metric',
    has_bang = true,
    arguments = '?',
    text = 'The most expensive functions, hottest first, as a quickfix list. [metric] is one of `:Gprof metric`; by '
      .. 'default the one that leads on lines. A function of a library leads to the line that called it most.',
  },
  {
    name = 'GprofNext',
    module = 'gprof.navigation',
    run = 'next_hot_line',
    has_count = true,
    arguments = '0',
    text = 'Goes to the next hot line of the buffer, or to the [count]th one: of its 20 hottest lines by the leading '
      .. 'metric, those that are not below the threshold. At the end of the buffer it continues at the beginning if '
      .. "'wrapscan' is on.",
  },
  {
    name = 'GprofPrev',
    module = 'gprof.navigation',
    run = 'previous_hot_line',
    has_count = true,
    arguments = '0',
    text = 'The same, upwards.',
  },
  {
    name = 'GprofFlat',
    usage = '[options]',
    module = 'gprof.reports',
    run = 'flat_profile',
    complete = 'complete_options',
    arguments = '*',
    text = "gprof's flat profile in a window of its own. [options] are gprof options that change what a report shows, "
      .. 'such as `-l` or `--accurate`. See |gprof-reports|.',
  },
  {
    name = 'GprofGraph',
    usage = '[options]',
    module = 'gprof.reports',
    run = 'call_graph',
    complete = 'complete_options',
    arguments = '*',
    text = "gprof's call graph, in the same way. The cursor is on the entry of the function that it was in before.",
  },
  {
    name = 'GprofAnnotate',
    usage = '[options] [file]',
    module = 'gprof.reports',
    run = 'annotated_source',
    complete = 'complete_annotate',
    has_bang = true,
    arguments = '*',
    text = "gprof's annotated source of the current file, or of [file]; with a [!] of all files.",
  },
  {
    name = 'GprofRun',
    usage = '[program [arguments]]',
    module = 'gprof.recording',
    run = 'run',
    complete = 'complete_run',
    has_bang = true,
    arguments = '*',
    text = 'Runs the program in a terminal under the collector, and shows its profile when it has ended. Without '
      .. 'arguments, it runs the program being shown, with the arguments that it had last time; if none is shown, you '
      .. 'choose an executable of the workspace. With a [!] it repeats the last run. %, #, ~, variables and wildcards '
      .. 'are expanded, but not by a shell; a bare name is a file, not looked up on the PATH. The program runs in the '
      .. 'current directory. Its profile goes to a folder of its own below `stdpath("state")`; the newest ten of each '
      .. 'program are kept. From then on the newest profile is shown, even one that the program writes elsewhere.',
  },
  {
    name = 'GprofDiff',
    usage = '[previous | [executable] [profiles]]',
    module = 'gprof.recording',
    run = 'diff',
    complete = 'complete_diff',
    has_bang = true,
    arguments = '*',
    text = 'Compares what is shown with other profiles, each of which counts as a run, or with another build of the '
      .. 'program. Says what became of the time of the whole program, and lists its functions: first those that got '
      .. 'slower or faster by more than the error of sampling. Figures on lines show the difference, too. `previous` '
      .. 'is the run before the one that is shown, whether the program was rebuilt in between or not: |:GprofRun| '
      .. 'keeps the executable. Without arguments, you choose one of the other profiles; with a [!] the comparison '
      .. 'ends.',
  },
}

---@class gprof.Map
---@field name string
---@field command string
---@field text string

---@type gprof.Map[]
M.maps = {
  { name = 'callers', command = 'GprofCallers', text = '|:GprofCallers|' },
  { name = 'callees', command = 'GprofCallees', text = '|:GprofCallees|' },
  { name = 'hotspots', command = 'GprofHotspots', text = '|:GprofHotspots|' },
  { name = 'next', command = 'GprofNext', text = '|:GprofNext|, with a count' },
  { name = 'prev', command = 'GprofPrev', text = '|:GprofPrev|, with a count' },
  { name = 'flat', command = 'GprofFlat', text = '|:GprofFlat|' },
  { name = 'graph', command = 'GprofGraph', text = '|:GprofGraph|' },
  { name = 'annotate', command = 'GprofAnnotate', text = '|:GprofAnnotate|' },
  { name = 'run', command = 'GprofRun', text = '|:GprofRun|, asks which program' },
  { name = 'again', command = 'GprofRun!', text = '|:GprofRun|!, repeats the last run' },
  { name = 'diff', command = 'GprofDiff', text = '|:GprofDiff|, asks what to compare with' },
  { name = 'previous', command = 'GprofDiff previous', text = '|:GprofDiff| with the run before' },
  { name = 'metric', command = 'Gprof metric', text = '`:Gprof metric`, asks which one' },
  { name = 'select', command = 'Gprof select', text = '`:Gprof select`, shows all again' },
  { name = 'timeline', command = 'Gprof timeline', text = '`:Gprof timeline`' },
  { name = 'idle', command = 'Gprof idle', text = '`:Gprof idle`, shows idle waiting or folds it away' },
  { name = 'toggle', command = 'Gprof toggle', text = '`:Gprof toggle`' },
}

--- Words that begin with what was typed.
---@param words string[]
---@param typed string
---@return string[]
function M.beginning_with(words, typed)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, typed)
  end, words)
end

---@param command gprof.Command
local function completion(command)
  return function(typed, line, position)
    local before = line:sub(1, position - #typed)
    local words = vim.split(vim.trim(before), '%s+')
    table.remove(words, 1)
    return require(command.module)[command.complete](typed, words)
  end
end

---@param command gprof.Command
local function define(command)
  vim.api.nvim_create_user_command(command.name, function(call)
    require('gprof').register()
    require(command.module)[command.run](call)
  end, {
    -- nargs takes 0 as a number, but + and ? as strings.
    nargs = tonumber(command.arguments) or command.arguments,
    bang = command.has_bang,
    count = command.has_count and 1 or nil,
    complete = command.complete and completion(command) or nil,
    desc = command.text,
  })
end

function M.define()
  for _, command in ipairs(M.commands) do
    define(command)
  end
  for _, map in ipairs(M.maps) do
    -- A count typed before the map is passed to the command.
    local has_count = map.name == 'next' or map.name == 'prev'
    local keys = has_count and ('<Cmd>execute v:count1 .. "%s"<CR>'):format(map.command)
      or ('<Cmd>%s<CR>'):format(map.command)
    vim.keymap.set('n', ('<Plug>(gprof-%s)'):format(map.name), keys, { desc = map.command })
  end
end

return M
