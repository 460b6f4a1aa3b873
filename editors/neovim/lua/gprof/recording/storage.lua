--- Where recordings are kept: in a folder of Neovim's state, never in the workspace. Each run has a folder of its own;
--- of a program the newest ones are kept.

local command_line = require('gprof.recording.command_line')
local compat = require('gprof.compat')

local M = {}

local kept = 10
local private = tonumber('700', 8)
local running = 'running-'
local made = 0

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

--- A new folder for a run.
---@param program string
---@return string
function M.new_folder(program)
  made = made + 1
  local folder = ('%s/%s%d-%d-%d'):format(folder_of(program), running, vim.fn.getpid(), os.time(), made)
  vim.fn.mkdir(folder, 'p', private)
  return folder
end

-- Names sort as their times do.
---@param program string
---@return string
local function final_folder(program)
  local seconds, milliseconds = compat.time_of_day()
  local folder
  repeat
    local time = os.date('!%Y-%m-%dT%H-%M-%S', seconds)
    folder = ('%s/%s.%04dZ'):format(folder_of(program), time, milliseconds)
    milliseconds = milliseconds + 1
  until not compat.exists(folder)
  return folder
end

--- The folders of runs that have ended, newest first.
---@param program string
---@return string[]
local function ended_runs(program)
  local names = vim.tbl_filter(function(name)
    return not vim.startswith(name, running)
  end, compat.names_in(folder_of(program)))
  table.sort(names, function(a, b)
    return a > b
  end)
  return names
end

-- Runs that ended with the Neovim that they were started in have nobody who waits for them.
---@param program string
local function forget_abandoned(program)
  for _, name in ipairs(compat.names_in(folder_of(program))) do
    local process = tonumber(name:match('^' .. vim.pesc(running) .. '(%d+)-'))
    if process and not compat.is_running(process) then
      vim.fn.delete(folder_of(program) .. '/' .. name, 'rf')
    end
  end
end

---@param program string
local function forget_old(program)
  for index, name in ipairs(ended_runs(program)) do
    if index > kept then
      vim.fn.delete(folder_of(program) .. '/' .. name, 'rf')
    end
  end
end

--- The run has ended: its folder gets a name for good. Nil where it left no profile.
---@param program string
---@param folder string
---@return gprof.Recording?
function M.finish(program, folder)
  local name = command_line.profile_among(compat.names_in(folder))
  if not name then
    vim.fn.delete(folder, 'rf')
    return nil
  end
  local final = final_folder(program)
  if vim.fn.rename(folder, final) ~= 0 then
    final = folder
  end
  forget_old(program)
  forget_abandoned(program)
  return { program = program, profile = final .. '/' .. name, time = os.time() }
end

--- Newest first.
---@param program string
---@return gprof.Recording[]
function M.recordings_of(program)
  local found = {}
  for _, run in ipairs(ended_runs(program)) do
    local folder = folder_of(program) .. '/' .. run
    local name = command_line.profile_among(compat.names_in(folder))
    local time = name and compat.modified(folder .. '/' .. name)
    if time then
      table.insert(found, { program = program, profile = folder .. '/' .. name, time = time })
    end
  end
  return found
end

--- Patterns of all profiles of a program: those that were recorded, and those that it writes where nobody records it.
---@param recording gprof.Recording
---@param folders string[] where it may have run
---@return string[]
function M.patterns_of(recording, folders)
  local runs = command_line.pattern_of(folder_of(recording.program))
  -- Folders of runs that have ended begin with their year.
  local patterns = { command_line.pattern_of(recording.profile), runs .. '/[0-9]*/gmon.out' }
  for _, folder in ipairs(folders) do
    table.insert(patterns, command_line.pattern_of(folder) .. '/gmon.out')
  end
  return patterns
end

return M
