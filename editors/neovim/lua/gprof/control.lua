--- `:Gprof {what}`: which profile is shown, and how.

local annotations = require('gprof.annotations')
local attach = require('gprof.recording.attach')
local client_of = require('gprof.server.client')
local commands = require('gprof.commands')
local config = require('gprof.config')
local idle = require('gprof.selection.idle')
local information = require('gprof.information')
local metric = require('gprof.selection.metric')
local requests = require('gprof.server.requests')
local runs = require('gprof.recording.runs')
local selection = require('gprof.selection')
local status = require('gprof.server.status')
local tests = require('gprof.recording.tests')
local timeline = require('gprof.selection.timeline')
local words = require('gprof.words')

local M = {}

--- Expands the words that the user typed: the server needs absolute paths.
---@param typed string[]
---@return string[]
local function absolute(typed)
  return vim.tbl_map(function(word)
    return vim.fn.fnamemodify(word, ':p')
  end, words.expand(typed, words.surroundings()))
end

---@param client gprof.Client
---@param typed string[] the executable, and patterns of its profiles
local function load(client, typed)
  local paths = absolute(typed)
  local profiles = vim.list_slice(paths, 2)
  requests.execute(client, 'gprof.load', {
    { executable = paths[1], profiles = #profiles > 0 and profiles or nil },
  })
end

--- A share, from "0.005" or "0.5%"; nil if the text is neither. Pure.
---@param text string
---@return number?
function M.share_of(text)
  local number, percent = text:match('^(%d*%.?%d+)%s*(%%?)$')
  local share = tonumber(number)
  if share and percent == '%' then
    share = share / 100
  end
  return share and share <= 1 and share or nil
end

---@param client gprof.Client
---@param text string
local function set_threshold(client, text)
  local share = M.share_of(text)
  if not share then
    requests.complain(('%s is no share of the time. 0.005 is one, or 0.5%%.'):format(text))
    return
  end
  requests.execute(client, 'gprof.setThreshold', { share }, function()
    status.session(client.id).threshold = share
    status.changed(client.id)
  end)
end

---@param program table of gprof/programs
---@return string
local function describe(program)
  local profiles = vim.tbl_map(function(path)
    return vim.fn.fnamemodify(path, ':~:.')
  end, program.profiles)
  return ('%s  %s%s'):format(
    vim.fn.fnamemodify(program.executable, ':~:.'),
    table.concat(profiles, ', '),
    program.selected and '  (shown)' or ''
  )
end

--- Every program with each of its profiles that can be shown.
---@param programs table[]
---@return table[]
local function choices_among(programs)
  local choices = {}
  for _, program in ipairs(programs) do
    table.insert(choices, program)
    for _, candidate in ipairs(program.candidates) do
      if not vim.tbl_contains(program.profiles, candidate) then
        table.insert(choices, { executable = program.executable, profiles = { candidate } })
      end
    end
  end
  return choices
end

---@param client gprof.Client
local function select_program(client)
  requests.ask_or_tell(client, 'gprof/programs', vim.empty_dict(), function(result)
    if #result.programs == 0 then
      requests.complain('no program is loaded. `:Gprof load EXECUTABLE` loads one.')
      return
    end
    vim.ui.select(
      choices_among(result.programs),
      { prompt = 'Profile to show', format_item = describe },
      function(chosen)
        if chosen then
          local argument = { executable = chosen.executable, profiles = chosen.profiles }
          requests.execute(client, 'gprof.select', { argument })
        end
      end
    )
  end)
end

---@param client gprof.Client
---@param typed string[]
local function select(client, typed)
  if typed[1] then
    selection.set_typed(client, typed)
  elseif selection.of(client.id) then
    selection.set(client, nil)
  else
    select_program(client)
  end
end

-- Pinned, what is shown stays, whatever is written; else the newest profile is shown.
---@param client gprof.Client
---@param pinned boolean
local function pin(client, pinned)
  local told = status.of(client.id)
  if not told or told.program == '' then
    requests.complain('no profile is shown.')
    return
  end
  local argument = { executable = told.program }
  if pinned then
    argument.profiles = told.profiles
    argument.pinned = true
  end
  requests.execute(client, 'gprof.select', { argument })
end

local function toggle()
  local buffer = vim.api.nvim_get_current_buf()
  local is_served = client_of.of_buffer(buffer) or vim.tbl_contains(config.get().filetypes, vim.bo[buffer].filetype)
  if is_served then
    annotations.toggle(buffer)
  else
    requests.complain('no server runs for files of this type. :checkhealth gprof says more.')
  end
end

local function start()
  if not client_of.start(vim.api.nvim_get_current_buf()) then
    requests.complain('there is nothing to start for this buffer. :checkhealth gprof says more.')
  end
end

local function restart()
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_of.of_buffer(buffer)
  if client then
    client_of.restart(client)
  else
    client_of.start_anew(buffer)
  end
end

---@class gprof.Control
---@field name string
---@field usage string?
---@field text string for the help page
---@field words string[]? allowed next
---@field complete (fun(client: gprof.Client?, typed: string, before: string[]): string[])?
---@field completes_files boolean?
---@field needs_server boolean?
---@field run fun(client: gprof.Client?, typed: string[])

---@type gprof.Control[]
M.controls = {
  {
    name = 'load',
    usage = '[executable [profiles]]',
    text = 'Shows this program. [profiles] are glob patterns; several profiles are added up. Without them, the server '
      .. 'looks for the profiles.',
    completes_files = true,
    needs_server = true,
    run = function(client, typed)
      if typed[1] then
        load(client, typed)
        return
      end
      vim.ui.input({ prompt = 'Executable: ', completion = 'file' }, function(executable)
        if executable and executable ~= '' then
          load(client, { executable })
        end
      end)
    end,
  },
  {
    name = 'program',
    text = 'Asks which of the programs and profiles found is to be shown. The choice is remembered, until a newer '
      .. 'profile is written.',
    needs_server = true,
    run = select_program,
  },
  {
    name = 'runs',
    text = 'Lists the runs of the program that is shown which were recorded by |:GprofRun|: when, with which '
      .. 'arguments, how long, of which build. One that is chosen is shown, compared with, pinned or deleted.',
    needs_server = true,
    run = runs.show,
  },
  {
    name = 'test',
    usage = '[name]',
    text = 'Runs one test under the collector and shows its profile, as |:GprofRun| does: without [name] the one under '
      .. 'the cursor, of GoogleTest or Catch2, if a program of the workspace that was built with -g contains it; else '
      .. 'you choose one of those that CTest knows in a build folder. [name] is that of one of CTest or of the buffer. '
      .. 'The test runs in the folder, and with the environment, that CTest would use, else in the current directory. '
      .. 'Where Neovim shows code lenses, there is one above each test (|vim.lsp.codelens.run()|).',
    complete = tests.complete,
    needs_server = true,
    run = tests.run,
  },
  {
    name = 'attach',
    usage = '[process [seconds]]',
    text = 'Samples a process of yours that runs already, without stopping it, and shows the profile: for ten seconds '
      .. 'if [seconds] is left out; 0 samples until the process ends. CTRL-C in its terminal stops it earlier, and '
      .. 'keeps what was sampled. The kernel has to allow it: what an administrator would set is said if it does not. '
      .. 'Without a process, you choose one of yours; those of programs of the workspace come first.',
    complete = attach.complete,
    run = attach.run,
  },
  {
    name = 'pin',
    text = 'Keeps showing the profiles that are shown, whatever is written.',
    needs_server = true,
    run = function(client)
      pin(client, true)
    end,
  },
  {
    name = 'unpin',
    text = 'Shows the newest profile again.',
    needs_server = true,
    run = function(client)
      pin(client, false)
    end,
  },
  {
    name = 'reload',
    text = 'Loads again what has changed or was cleared. New profiles are picked up without it.',
    needs_server = true,
    run = function(client)
      requests.execute(client, 'gprof.reload', {})
    end,
  },
  {
    name = 'clear',
    text = 'Shows nothing until the next load or reload.',
    needs_server = true,
    run = function(client)
      requests.execute(client, 'gprof.clear', {})
    end,
  },
  {
    name = 'metric',
    usage = '[metric]',
    text = 'What leads on lines, colours them, and orders lists: time, calls, executions, self or total, or another '
      .. 'metric of the profile, such as cpu, wall, wait.lock, or a derived one. Asks if it is left out, and shows the '
      .. 'unit of each and what it comes to.',
    complete = metric.complete,
    needs_server = true,
    run = metric.set_typed,
  },
  {
    name = 'select',
    usage = '[thread=NAME] [time=FROM..TO] [process=NUMBER]',
    text = 'Shows the figures of a part of the run, on lines, in lists and wherever else: of threads, by name or '
      .. 'number, of a stretch of time, in seconds since the run began, of processes. Several threads or processes '
      .. 'are separated by commas; either end of the stretch may be left out. `:Gprof select thread=parser '
      .. 'time=2.5..4` is an example. Calls have no time: under a stretch they are left out. Without arguments, all '
      .. 'is shown again; where nothing is selected, it is `:Gprof program`.',
    complete = selection.complete,
    needs_server = true,
    run = select,
  },
  {
    name = 'timeline',
    usage = '[threads | processes | echo]',
    text = 'Shows when each thread, or each process, took its time, as a row of blocks in a float: see '
      .. '|gprof-timeline|. `echo` shows the whole run in one line below the windows, as it does where there is no '
      .. 'room for a float.',
    words = timeline.words,
    needs_server = true,
    run = timeline.run,
  },
  {
    name = 'idle',
    usage = '[shown | folded]',
    text = 'Whether idle waiting is part of the figures: that of threads which wait nearly always at one place for '
      .. 'something to do. Folded away, only hovers tell of it, at its place. Says which threads that is about. '
      .. 'Without an argument, it is the other of the two.',
    words = idle.words,
    needs_server = true,
    run = idle.set_typed,
  },
  {
    name = 'threshold',
    usage = '[share]',
    text = "The share of the program's time below which a line's time is not shown, such as 0.005 or 0.5%. Asks if it "
      .. 'is left out.',
    words = { '0', '0.1%', '0.5%', '1%', '5%' },
    needs_server = true,
    run = function(client, typed)
      if typed[1] then
        set_threshold(client, typed[1])
        return
      end
      local current = status.session(client.id).threshold or config.get().settings.threshold
      vim.ui.input({ prompt = 'Threshold: ', default = tostring(current) }, function(text)
        if text and text ~= '' then
          set_threshold(client, vim.trim(text))
        end
      end)
    end,
  },
  {
    name = 'toggle',
    text = 'Switches the annotations of the buffer off or on.',
    run = toggle,
  },
  {
    name = 'peek',
    text = 'Shows the figures of all lines for a moment, whatever `annotations.lines` says. A mapping of it shows them '
      .. 'as long as its key is held.',
    run = function()
      annotations.peek(vim.api.nvim_get_current_buf())
    end,
  },
  {
    name = 'info',
    text = 'Shows which program and files the figures come from, and whether the buffer matches what was compiled.',
    needs_server = true,
    run = function(client)
      information.show(client)
    end,
  },
  {
    name = 'start',
    text = 'Starts the server for the buffer if `autostart` is off.',
    run = start,
  },
  {
    name = 'restart',
    text = 'Stops the server and starts it again. Choices made by commands are forgotten.',
    run = restart,
  },
}

---@param name string?
---@return gprof.Control?
local function control_named(name)
  for _, control in ipairs(M.controls) do
    if control.name == name then
      return control
    end
  end
end

---@return string[]
local function control_names()
  return vim.tbl_map(function(control)
    return control.name
  end, M.controls)
end

---@param call gprof.CommandCall
function M.run(call)
  local control = control_named(call.fargs[1])
  if not control then
    requests.complain(
      (':Gprof %s is not known. There are: %s.'):format(call.fargs[1], table.concat(control_names(), ', '))
    )
    return
  end
  local client = nil
  if control.needs_server then
    client = requests.current_client()
    if not client then
      return
    end
  end
  control.run(client, vim.list_slice(call.fargs, 2))
end

---@param typed string
---@param before string[] words
---@return string[]
function M.complete(typed, before)
  if #before == 0 then
    return commands.beginning_with(control_names(), typed)
  end
  local control = control_named(before[1])
  if control and control.completes_files then
    return words.files_beginning_with(typed)
  end
  if control and control.complete then
    return control.complete(requests.client_of_user(), typed, vim.list_slice(before, 2))
  end
  return #before == 1 and control and control.words and commands.beginning_with(control.words, typed) or {}
end

return M
