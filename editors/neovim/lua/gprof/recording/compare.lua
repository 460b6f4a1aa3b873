--- `:GprofDiff`: compares what is shown with the run before, with other profiles, or with another build, and lists the
--- functions by their difference.

local command_line = require('gprof.recording.command_line')
local compat = require('gprof.compat')
local executables = require('gprof.recording.executables')
local items = require('gprof.navigation.items')
local messages = require('gprof.messages')
local metric_of = require('gprof.selection.metric').of
local numbers = require('gprof.numbers')
local quickfix = require('gprof.navigation.quickfix')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')
local storage = require('gprof.recording.storage')
local words = require('gprof.words')

local M = {}

local most = 200

--- In place of files: the run before the one that is shown.
M.previous_word = 'previous'

---@class gprof.Comparison requested and being loaded
---@field client integer
---@field generation integer before it
---@field window integer that the command was given in

---@type gprof.Comparison?
local waiting
local is_listening = false

---@param counts table<string, integer> by verdict
---@return string
local function summary_of(counts)
  local parts = {}
  for _, part in ipairs({
    { 'regressed', 'slower' },
    { 'improved', 'faster' },
    { 'new', 'new' },
    { 'gone', 'gone' },
    { 'calls', 'called more or less often' },
  }) do
    if counts[part[1]] then
      table.insert(parts, ('%d %s'):format(counts[part[1]], part[2]))
    end
  end
  return #parts > 0 and table.concat(parts, ', ') or 'nothing beyond the noise'
end

---@param result table of gprof/hotSpots, by regression
---@param metric string
---@return gprof.List?
---@return boolean whether anything in it is beyond the noise
local function list_of(result, metric)
  local found, counts = items.of_differences(result, metric)
  if #found == 0 then
    return nil, false
  end
  local title = ('Differences · %s · %s'):format(result.program, summary_of(counts))
  return { title = title, items = found }, #found > (counts.noise or 0)
end

---@param client gprof.Client
---@param metric string
---@param answer fun(list: gprof.List?, has_changes: boolean)
local function ask_by(client, metric, answer)
  requests.ask(client, 'gprof/hotSpots', { metric = metric, order = 'regression', limit = most }, function(result)
    if result then
      answer(list_of(result, metric))
    else
      answer(nil, false)
    end
  end)
end

---@param client gprof.Client
---@param answer fun(list: gprof.List?)
local function ask(client, answer)
  local metric = metric_of(client)
  ask_by(client, metric, function(list, has_changes)
    if has_changes or metric == 'calls' then
      return answer(list)
    end
    -- Runs with few samples, or none, still have exact counts.
    ask_by(client, 'calls', function(by_calls, has_other_counts)
      answer((has_other_counts or not list) and by_calls or list)
    end)
  end)
end

---@param client gprof.Client
---@param window integer
local function show(client, window)
  ask(client, function(list)
    if not list then
      requests.complain('nothing could be compared. Are both profiles those of one program?')
      return
    end
    local told = status.of(client.id)
    if told and told.comparison then
      messages.tell(told.comparison.text, vim.log.levels.INFO)
    end
    local question = { kind = 'differences', root = client.config.root_dir, ask = ask }
    quickfix.show(client, question, list, { jumps = false, window = window })
  end)
end

-- The base was loaded. Other loads may end before: of a profile that was just recorded, say.
---@param id integer of a client
---@param told gprof.StatusParams
local function profile_changed(id, told)
  local wanted = waiting
  local client = vim.lsp.get_client_by_id(id)
  if told.state == 'loading' or not told.comparison or not wanted or wanted.client ~= id or not client then
    return
  end
  if told.generation ~= wanted.generation then
    waiting = nil
    show(client, wanted.window)
  end
end

-- A base already in use is not loaded again, and of one that cannot be loaded the server has said why.
---@param client gprof.Client
---@param this gprof.Comparison
local function show_after_a_while(client, this)
  compat.after(2000, function()
    if waiting ~= this then
      return
    end
    if (status.of(client.id) or {}).state == 'loading' then
      show_after_a_while(client, this)
    else
      waiting = nil
      show(client, this.window)
    end
  end)
end

---@param client gprof.Client
---@param base { executable: string?, profiles: string[]? }
---@param window integer
local function compare_with(client, base, window)
  if not is_listening then
    is_listening = true
    status.listen(profile_changed)
  end
  local told = status.of(client.id)
  local this = { client = client.id, generation = told and told.generation or 0, window = window }
  waiting = this
  requests.execute(client, 'gprof.compare', { base }, function()
    show_after_a_while(client, this)
  end)
end

---@param given string[]
---@return { executable: string?, profiles: string[]? }
local function base_of(given)
  local base, profiles = {}, {}
  for _, word in ipairs(given) do
    local path = vim.fn.fnamemodify(word, ':p'):gsub('(.)/$', '%1')
    if not base.executable and #profiles == 0 and executables.is_executable(path) then
      base.executable = path
    else
      -- A folder stands for the profile in it.
      local inside = vim.fn.isdirectory(path) == 1 and command_line.profile_among(compat.names_in(path))
      table.insert(profiles, command_line.pattern_of(inside and path .. '/' .. inside or path))
    end
  end
  base.profiles = #profiles > 0 and profiles or nil
  return base
end

---@param given string[]
---@return string? the first missing file
local function missing_among(given)
  for _, word in ipairs(given) do
    if not compat.exists(vim.fn.fnamemodify(word, ':p')) then
      return word
    end
  end
end

---@class gprof.BaseChoice
---@field text string
---@field profile string? none: the user is asked for files

-- The server has not searched for other profiles of a program loaded with given ones.
---@param program table of gprof/programs
---@param root string
---@return string[]
local function profiles_beside(program, root)
  local found = {}
  for _, folder in ipairs({ vim.fn.fnamemodify(program.executable, ':h'), root, vim.fn.getcwd() }) do
    for _, name in ipairs(compat.names_in(folder)) do
      if command_line.profile_among({ name }) then
        table.insert(found, folder .. '/' .. name)
      end
    end
  end
  table.sort(found, function(a, b)
    return (compat.modified(a) or 0) > (compat.modified(b) or 0)
  end)
  return found
end

---@param program table of gprof/programs
---@param root string
---@return gprof.BaseChoice[]
local function choices_for(program, root)
  local choices, known = {}, {}
  for _, profile in ipairs(program.profiles) do
    known[profile] = true
  end
  local function add(profile, format)
    local modified = compat.modified(profile)
    if modified and not known[profile] then
      known[profile] = true
      local age = numbers.age(os.time() - modified)
      table.insert(choices, { profile = profile, text = format:format(age) })
    end
  end
  for _, recording in ipairs(storage.recordings_of(program.partOf or program.executable)) do
    add(recording.profile, os.date('recorded %Y-%m-%d %H:%M:%S  (%%s)', recording.time))
  end
  for _, profile in ipairs(vim.list_extend(vim.deepcopy(program.candidates), profiles_beside(program, root))) do
    add(profile, vim.fn.fnamemodify(profile, ':~:.'):gsub('%%', '%%%%') .. '  (%s)')
  end
  table.insert(choices, { text = 'another build, or a profile file …' })
  return choices
end

---@param client gprof.Client
---@param window integer
local function ask_for_files(client, window)
  vim.ui.input({ prompt = 'Compare with: ', completion = 'file' }, function(path)
    if path and path ~= '' then
      M.compare_with_words(client, { path }, window)
    end
  end)
end

---@param client gprof.Client
---@param answer fun(program: table) of gprof/programs
local function ask_what_is_shown(client, answer)
  requests.ask_or_tell(client, 'gprof/programs', vim.empty_dict(), function(result)
    local shown = vim.tbl_filter(function(program)
      return program.selected
    end, result.programs)[1]
    if shown then
      answer(shown)
    else
      requests.complain('nothing is shown that could be compared. :GprofRun records a program.')
    end
  end)
end

-- Whether the program was rebuilt in between or not: its executable was kept.
---@param client gprof.Client
---@param window integer
local function compare_with_previous(client, window)
  ask_what_is_shown(client, function(shown)
    local profiles = vim.deepcopy(shown.candidates)
    for _, recording in ipairs(storage.recordings_of(shown.partOf or shown.executable)) do
      table.insert(profiles, recording.profile)
    end
    local previous = command_line.previous(shown.profiles, profiles, compat.modified_exactly)
    if previous then
      compare_with(client, { profiles = { command_line.pattern_of(previous) } }, window)
    else
      requests.complain(('there is no earlier run of %s to compare with.'):format(shown.name))
    end
  end)
end

---@param client gprof.Client
---@param window integer
local function choose(client, window)
  ask_what_is_shown(client, function(shown)
    vim.ui.select(choices_for(shown, client.config.root_dir), {
      prompt = ('Compare %s with'):format(shown.name),
      format_item = function(choice)
        return choice.text
      end,
    }, function(chosen)
      if chosen and chosen.profile then
        compare_with(client, { profiles = { command_line.pattern_of(chosen.profile) } }, window)
      elseif chosen then
        ask_for_files(client, window)
      end
    end)
  end)
end

---@param client gprof.Client
---@param given string[]
---@param window integer
function M.compare_with_words(client, given, window)
  local paths = words.expand(given, words.surroundings())
  local missing = missing_among(paths)
  if missing then
    requests.complain(('%s is not there.'):format(missing))
  else
    compare_with(client, base_of(paths), window)
  end
end

---@param client gprof.Client
---@param profile string
---@param window integer
function M.compare_with_profile(client, profile, window)
  compare_with(client, { profiles = { command_line.pattern_of(profile) } }, window)
end

---@param client gprof.Client
local function stop(client)
  waiting = nil
  requests.execute(client, 'gprof.compare', { vim.empty_dict() }, function()
    vim.notify('gprof: nothing is compared any more.', vim.log.levels.INFO)
  end)
end

---@param call gprof.CommandCall
function M.diff(call)
  local window = vim.api.nvim_get_current_win()
  local client = requests.current_client()
  if not client then
    return
  end
  if call.bang then
    stop(client)
  elseif call.args == '' then
    choose(client, window)
  elseif call.args == M.previous_word then
    compare_with_previous(client, window)
  else
    M.compare_with_words(client, call.fargs, window)
  end
end

---@param typed string
---@param before string[]
---@return string[]
function M.complete(typed, before)
  local found = words.files_beginning_with(typed)
  if #before == 0 and vim.startswith(M.previous_word, typed) then
    table.insert(found, 1, M.previous_word)
  end
  return found
end

return M
