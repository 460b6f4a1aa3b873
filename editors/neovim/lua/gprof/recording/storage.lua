--- Where recordings are kept: in a folder of Neovim's state, never in the workspace. Each run has a folder of its own;
--- the newest ones of each program are kept.

local command_line = require('gprof.recording.command_line')
local compat = require('gprof.compat')

local M = {}

local kept = 10
local arguments_name = 'arguments.json'
local private = tonumber('700', 8)

---@class gprof.Recording
---@field program string
---@field profile string
---@field time integer seconds since 1970

---@param program string
---@return string
local function folder_of(program)
  local name = ('%s-%s'):format(program:match('[^/]*$'), vim.fn.sha256(program):sub(1, 12))
  return compat.state_folder() .. '/gprof/recordings/' .. name
end

--- A new folder for a run. Names sort by the start times of the runs.
---@param program string
---@return string
function M.new_folder(program)
  local seconds, milliseconds = compat.time_of_day()
  local folder
  repeat
    local time = os.date('!%Y-%m-%dT%H-%M-%S', seconds)
    folder = ('%s/%s.%04dZ'):format(folder_of(program), time, milliseconds)
    milliseconds = milliseconds + 1
  until not compat.exists(folder)
  vim.fn.mkdir(folder, 'p', private)
  return folder
end

--- The folders of runs, newest first.
---@param program string
---@return string[]
local function runs_of(program)
  local names = compat.names_in(folder_of(program))
  table.sort(names, function(a, b)
    return a > b
  end)
  return names
end

---@param program string
local function forget_old(program)
  for index, name in ipairs(runs_of(program)) do
    local is_written = command_line.has_counters(compat.names_in(folder_of(program) .. '/' .. name))
    if index > kept and not is_written then
      vim.fn.delete(folder_of(program) .. '/' .. name, 'rf')
    end
  end
end

--- What the recorder said of a run; nil if it was killed itself.
---@param folder string
---@return gprof.RunSummary?
function M.summary_of(folder)
  local path = folder .. '/' .. command_line.summary_name
  if not compat.exists(path) then
    return nil
  end
  local is_read, summary = pcall(vim.fn.json_decode, vim.fn.readfile(path))
  return is_read and summary or nil
end

--- The words that the program was run with, for lists of runs.
---@param folder string
---@param words string[]
function M.keep_arguments(folder, words)
  if compat.exists(folder) then
    local text = #words > 0 and vim.fn.json_encode(words) or '[]'
    pcall(vim.fn.writefile, { text }, folder .. '/' .. arguments_name)
  end
end

--- What lists say of a run.
---@param recording gprof.Recording
---@return gprof.ListedRun without its times
function M.details_of(recording)
  local folder = recording.profile:match('^(.*)/[^/]*$')
  local path, size = folder .. '/' .. arguments_name, 0
  local is_read, words = false, nil
  if compat.exists(path) then
    is_read, words = pcall(vim.fn.json_decode, vim.fn.readfile(path))
  end
  for _, name in ipairs(compat.names_in(folder)) do
    size = size + math.max(vim.fn.getfsize(folder .. '/' .. name), 0)
  end
  return { arguments = is_read and words or nil, summary = M.summary_of(folder), size = size }
end

--- With all files of the run, unless a process still counts there.
---@param recording gprof.Recording
function M.remove(recording)
  local folder = recording.profile:match('^(.*)/[^/]*$')
  if not command_line.has_counters(compat.names_in(folder)) then
    vim.fn.delete(folder, 'rf')
  end
end

--- The recording of a finished run; nil if it left no profile. Counters that a process still adds to are not removed.
---@param program string
---@param folder string
---@param recover fun(folder: string) makes profiles of what killed programs have left
---@return gprof.Recording?
function M.finish(program, folder, recover)
  local name = command_line.profile_among(compat.names_in(folder))
  if not name and command_line.has_counters(compat.names_in(folder)) then
    recover(folder)
    name = command_line.profile_among(compat.names_in(folder))
  end
  if not name then
    if not command_line.has_counters(compat.names_in(folder)) then
      vim.fn.delete(folder, 'rf')
    end
    return nil
  end
  forget_old(program)
  return { program = program, profile = folder .. '/' .. name, time = os.time() }
end

--- Newest first.
---@param program string
---@return gprof.Recording[]
function M.recordings_of(program)
  local found = {}
  for _, run in ipairs(runs_of(program)) do
    local folder = folder_of(program) .. '/' .. run
    local name = command_line.profile_among(compat.names_in(folder))
    local time = name and compat.modified(folder .. '/' .. name)
    if time then
      table.insert(found, { program = program, profile = folder .. '/' .. name, time = time })
    end
  end
  return found
end

--- Patterns of all profiles of a program: recorded ones, and those it writes by itself.
---@param recording gprof.Recording
---@param folders string[] where it may have run
---@return string[]
function M.patterns_of(recording, folders)
  local runs = command_line.pattern_of(folder_of(recording.program))
  local patterns = { command_line.pattern_of(recording.profile), runs .. '/*/gmon.out', runs .. '/*/perf.data' }
  for _, folder in ipairs(folders) do
    table.insert(patterns, command_line.pattern_of(folder) .. '/gmon.out')
  end
  return patterns
end

return M
