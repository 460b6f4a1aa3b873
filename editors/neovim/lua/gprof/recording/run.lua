--- `:GprofRun`: runs a program in a terminal under the collector, and shows its profile when it has ended. Only runs
--- what the user named or chose; no shell is involved.

local client_of = require('gprof.server.client')
local command_line = require('gprof.recording.command_line')
local config = require('gprof.config')
local compat = require('gprof.compat')
local executables = require('gprof.recording.executables')
local locate = require('gprof.server.locate')
local outcome = require('gprof.recording.outcome')
local requests = require('gprof.server.requests')
local statuses = require('gprof.server.status')
local storage = require('gprof.recording.storage')
local words = require('gprof.words')

local M = {}

local terminal_lines = 12

---@class gprof.Run
---@field program string
---@field arguments string[]
---@field folder string where it runs
---@field workspace string
---@field environment table<string, string>? added to the inherited environment
---@field is_test boolean? its arguments choose a test

---@type gprof.Run? the last run
local last
---@type { buffer: integer, is_running: boolean }? the terminal of the last run
local terminal
---@class gprof.EndedRun
---@field run gprof.Run
---@field recording gprof.Recording
---@field name string of the program
---@field summary gprof.RunSummary?
---@field hint string? what can be done next

---@type { client: integer, ended: gprof.EndedRun }? the profile being loaded
local awaited
---@type gprof.EndedRun? recorded while there was no server to show it
local unshown
local is_listening = false

--- The server that shows what is recorded in a workspace.
---@param workspace string
---@return gprof.Client?
local function client_for(workspace)
  local all = client_of.all()
  for _, client in ipairs(all) do
    if client.config.root_dir == workspace then
      return client
    end
  end
  return all[1]
end

---@param ended gprof.EndedRun
---@param hottest gprof.HottestFunction?
---@param more string? said in any case
local function report(ended, hottest, more)
  local prefix = 'gprof: '
  -- In one line, so that the editor does not ask for a key; it keeps the end of the line for itself.
  local width = vim.o.columns - 20 - #prefix - #(more or '')
  local function fits(text)
    return vim.fn.strdisplaywidth(text) <= width
  end
  local text = outcome.describe(ended.name, ended.summary, fits, hottest, ended.hint)
  vim.notify(prefix .. text .. (more or ''), vim.log.levels.INFO)
end

-- With the function that took most time by itself, if one stands out from the errors.
---@param client integer
---@param ended gprof.EndedRun
local function report_shown(client, ended)
  local server = vim.lsp.get_client_by_id(client)
  if not server then
    report(ended)
    return
  end
  requests.ask(server, 'gprof/hotSpots', { metric = 'self', limit = 1 }, function(result)
    local spot = result and result.spots[1]
    local stands_out = spot and spot.significant ~= false and result.programSeconds > 0
    report(ended, stands_out and { name = spot.name, share = spot.selfSeconds / result.programSeconds } or nil)
  end)
end

-- Reports that the profile is shown once it is. If it cannot be, the server has reported why.
---@param id integer of a client
---@param told gprof.StatusParams
local function profile_changed(id, told)
  local wanted = awaited
  if told.state == 'loading' or not wanted or wanted.client ~= id then
    return
  end
  local is_shown = vim.tbl_contains(told.profiles, wanted.ended.recording.profile)
  if is_shown then
    report_shown(id, wanted.ended)
  end
  -- Other states may be from an earlier load.
  if is_shown or told.state == 'error' then
    awaited = nil
  end
end

---@param client gprof.Client
---@param ended gprof.EndedRun
local function load_profile(client, ended)
  local run, recording = ended.run, ended.recording
  if #storage.recordings_of(recording.program) > 1 then
    ended.hint = '`:GprofDiff previous` compares.'
  end
  awaited = { client = client.id, ended = ended }
  -- The next run is shown, recorded or not: the newest profile wins.
  local folders = { run.folder, run.workspace, vim.fn.fnamemodify(run.program, ':h') }
  local patterns = storage.patterns_of(recording, folders)
  local argument = { executable = executables.behind(recording.program), profiles = patterns, newest = true }
  requests.execute(client, 'gprof.load', { argument }, function()
    -- The server may have found it already: then there is no other load.
    local told = statuses.of(client.id)
    if told then
      profile_changed(client.id, told)
    end
  end)
end

-- A server is ready, perhaps one that was starting while the program ran.
---@param client gprof.Client
local function attached(client)
  local wanted = unshown
  if wanted and client_for(wanted.run.workspace) == client then
    unshown = nil
    load_profile(client, wanted)
  end
end

local function listen()
  if not is_listening then
    is_listening = true
    statuses.listen(profile_changed)
    client_of.on_attach(attached)
  end
end

---@param ended gprof.EndedRun
local function show_profile(ended)
  listen()
  local client = client_for(ended.run.workspace)
  if client then
    load_profile(client, ended)
    return
  end
  unshown = ended
  if not client_of.is_starting() then
    report(ended, nil, ' It is shown when a source file of the program is opened.')
  end
end

---@param folder string
local function recover(folder)
  local server = locate.command()
  if server then
    vim.fn.system(command_line.recover(server, folder))
  end
end

---@param run gprof.Run
---@param folder string
local function ended(run, folder)
  local name = vim.fn.fnamemodify(run.program, ':t')
  local summary = storage.summary_of(folder)
  storage.keep_arguments(folder, run.arguments)
  local recording = storage.finish(run.program, folder, recover)
  if recording then
    show_profile({ run = run, recording = recording, name = name, summary = summary })
  else
    requests.complain(outcome.failure(name, summary))
  end
end

-- The window of the last run's terminal if that has ended, else a new one.
---@param modifiers string of the command, such as vertical
local function open_window(modifiers)
  local window = terminal and not terminal.is_running and vim.fn.bufwinid(terminal.buffer) or -1
  if window > 0 then
    vim.api.nvim_set_current_win(window)
    vim.cmd('enew')
    pcall(vim.api.nvim_buf_delete, terminal.buffer, { force = true })
  elseif modifiers == '' then
    vim.cmd(('botright %dnew'):format(terminal_lines))
  else
    vim.cmd(modifiers .. ' new')
  end
  return vim.api.nvim_get_current_buf()
end

---@param command string[] of the recorder
---@param run gprof.Run
---@param folder string where the profile goes
---@param modifiers string
local function start_terminal(command, run, folder, modifiers)
  local before = vim.api.nvim_get_current_win()
  local buffer = open_window(modifiers)
  local this = { buffer = buffer, is_running = true }
  terminal = this
  local job = compat.open_terminal(command, {
    cwd = run.folder,
    env = run.environment,
    on_exit = function()
      this.is_running = false
      vim.schedule(function()
        ended(run, folder)
      end)
    end,
  })
  if job <= 0 then
    this.is_running = false
    requests.complain(('%s cannot be started. :checkhealth gprof says more.'):format(command[1]))
    return
  end
  -- With the cursor on its last line a terminal scrolls with the output.
  vim.cmd('normal! G')
  if vim.api.nvim_win_is_valid(before) then
    vim.api.nvim_set_current_win(before)
  end
end

--- Records in a terminal, and shows the profile when the recorder has ended.
---@param run gprof.Run
---@param command_with fun(server: string[], options: table): string[] the recorder's command
---@param modifiers string of the command, such as vertical
function M.record(run, command_with, modifiers)
  local server = locate.command()
  if not server then
    requests.complain('there is no gprof-lsp to record with: :checkhealth gprof says what to do.')
    return
  end
  local folder = storage.new_folder(run.program)
  local record = config.get().record
  local options = { output = folder, stacks = record.stacks, rate = record.rate, wait = record.wait }
  start_terminal(command_with(server, options), run, folder, modifiers)
end

---@param run gprof.Run
---@param modifiers string
local function start(run, modifiers)
  if vim.fn.executable(run.program) ~= 1 then
    local there = compat.exists(run.program)
    requests.complain(('%s %s'):format(run.program, there and 'cannot be executed.' or 'is not there: build it first.'))
    return
  end
  last = run
  M.record(run, function(server, options)
    return command_line.record(server, options, run.program, run.arguments)
  end, modifiers)
end

---@return string workspace of the current buffer, or of the only server
function M.current_workspace()
  local client = client_of.of_buffer(vim.api.nvim_get_current_buf()) or client_of.all()[1]
  return client and client.config.root_dir or locate.root(vim.fn.getcwd() .. '/.')
end

--- Programs without a folder are looked for in the current one, then in the workspace's; never in the PATH.
---@param name string
---@param workspace string
---@return string
local function path_of(name, workspace)
  local path = vim.fn.fnamemodify(name, ':p')
  local beside = workspace .. '/' .. name
  if not compat.exists(path) and name:sub(1, 1) ~= '/' and compat.exists(beside) then
    return beside
  end
  return path
end

---@param program string
---@param arguments string[]
---@param workspace string
---@return gprof.Run
local function run_of(program, arguments, workspace)
  return { program = program, arguments = arguments, folder = vim.fn.getcwd(), workspace = workspace }
end

-- The program of the last run gets the same arguments again, unless they chose one of its tests.
---@param program string
---@param workspace string
---@param modifiers string
local function start_chosen(program, workspace, modifiers)
  local arguments = last and last.program == program and not last.is_test and last.arguments or {}
  start(run_of(program, arguments, workspace), modifiers)
end

---@param workspace string
---@param modifiers string
local function choose_found(workspace, modifiers)
  executables.find(workspace, function(found)
    if #found == 0 then
      requests.complain(
        ('there is no executable in %s. Build one with -g, or name one: `:GprofRun PROGRAM`.'):format(
          vim.fn.fnamemodify(workspace, ':~')
        )
      )
      return
    end
    vim.ui.select(found, {
      prompt = 'Program to run',
      format_item = function(one)
        local remark = not one.has_lines and '  (without lines: built without -g, or stripped)'
          or one.counts and '  (its calls are counted)'
          or ''
        return vim.fn.fnamemodify(one.path, ':~:.') .. remark
      end,
    }, function(chosen)
      if chosen then
        start_chosen(chosen.path, workspace, modifiers)
      end
    end)
  end)
end

---@param programs table[] of gprof/programs
---@return string? executable
local function shown_among(programs)
  for _, program in ipairs(programs) do
    if program.selected then
      return program.partOf or program.executable
    end
  end
end

--- The program that is shown, else one of those in the workspace.
---@param modifiers string
local function start_without_words(modifiers)
  local workspace = M.current_workspace()
  local client = client_for(workspace)
  if not client then
    choose_found(workspace, modifiers)
    return
  end
  requests.ask(client, 'gprof/programs', vim.empty_dict(), function(result)
    local shown = result and shown_among(result.programs)
    if shown then
      start_chosen(shown, workspace, modifiers)
    else
      choose_found(workspace, modifiers)
    end
  end)
end

---@param call gprof.CommandCall
function M.run(call)
  local modifiers = call.mods or ''
  if call.args ~= '' then
    local given = words.expand(call.fargs, words.surroundings())
    local workspace = M.current_workspace()
    start(run_of(path_of(given[1], workspace), vim.list_slice(given, 2), workspace), modifiers)
  elseif call.bang and last then
    start(last, modifiers)
  else
    start_without_words(modifiers)
  end
end

--- NAME=VALUE each; nil if there is none, for an empty table is a list to Neovim.
---@param settings string[]?
---@return table<string, string>?
local function variables_of(settings)
  local variables = {}
  for _, setting in ipairs(settings or {}) do
    local name, value = setting:match('^([^=]+)=(.*)$')
    if name then
      variables[name] = value
    end
  end
  return next(variables) and variables or nil
end

--- Runs a test alone, as the server says; the words are taken as they are.
---@param test gprof.TestRun
function M.run_test(test)
  local wanted = run_of(test.program, test.arguments, M.current_workspace())
  wanted.folder = test.folder or wanted.folder
  wanted.environment = variables_of(test.environment)
  wanted.is_test = true
  start(wanted, '')
end

---@param typed string
---@param before string[]
---@return string[]
function M.complete(typed, before)
  local files = words.files_beginning_with(typed)
  if #before > 0 then
    return files
  end
  return vim.tbl_filter(function(file)
    return vim.fn.isdirectory(file) == 1 or executables.is_executable(file)
  end, files)
end

return M
