--- The command lines of `gprof-lsp record` and `gprof-lsp recover`, and what their files mean. Pure.

local M = {}

---@param command string[]
---@param words string[]
local function append(command, words)
  for _, word in ipairs(words) do
    table.insert(command, word)
  end
end

--- The command that starts the server, without its own options.
---@param server string[] that starts the server
---@param words string[]
---@return string[]
local function with_words(server, words)
  local command = {}
  for _, word in ipairs(server) do
    if word ~= '--stdio' then
      table.insert(command, word)
    end
  end
  append(command, words)
  return command
end

--- The file in the folder of a run where the recorder says how it ended.
M.summary_name = 'summary.json'

---@param server string[] that starts the server
---@param options { output: string, stacks: boolean, rate: integer, wait: boolean }
---@param program string
---@param arguments string[]
---@return string[]
function M.record(server, options, program, arguments)
  local command = with_words(server, {
    'record',
    '--output=' .. options.output,
    ('--summary=%s/%s'):format(options.output, M.summary_name),
    '--keep-executable',
  })
  table.insert(command, options.stacks and '--stacks' or '--no-stacks')
  if options.rate > 0 then
    table.insert(command, ('--rate=%d'):format(options.rate))
  end
  if options.wait then
    table.insert(command, '--wait')
  end
  append(command, { '--', program })
  append(command, arguments)
  return command
end

--- Samples a process that runs already.
---@param server string[] that starts the server
---@param options { output: string, stacks: boolean, rate: integer }
---@param process integer
---@param seconds number?
---@return string[]
function M.attach(server, options, process, seconds)
  local command = with_words(server, {
    'record',
    '--output=' .. options.output,
    ('--summary=%s/%s'):format(options.output, M.summary_name),
    '--keep-executable',
    ('--pid=%d'):format(process),
  })
  if seconds then
    table.insert(command, ('--time=%g'):format(seconds))
  end
  table.insert(command, options.stacks and '--stacks' or '--no-stacks')
  if options.rate > 0 then
    table.insert(command, ('--rate=%d'):format(options.rate))
  end
  return command
end

--- Makes profiles of what killed programs have left in a folder.
---@param server string[]
---@param folder string
---@return string[]
function M.recover(server, folder)
  return with_words(server, { 'recover', folder })
end

--- Whether a folder has counters that have not become a profile.
---@param files string[]
---@return boolean
function M.has_counters(files)
  for _, name in ipairs(files) do
    if name:match('^gmon%.live%.%d') then
      return true
    end
  end
  return false
end

--- The profile among the files of a run: the sum of many, else the program's own, else that of a process; a recording
--- of a process that was running already.
---@param files string[]
---@return string?
function M.profile_among(files)
  local best, best_rank
  for _, name in ipairs(files) do
    local rank = name == 'gmon.sum' and 1
      or name == 'gmon.out' and 2
      or name:match('^gmon%.out%.%d+$') and 3
      or name == 'perf.data' and 4
    if rank and (not best or rank < best_rank or rank == best_rank and name < best) then
      best, best_rank = name, rank
    end
  end
  return best
end

--- The newest profile that is older than all that are shown.
---@param shown string[]
---@param profiles string[] which may have the shown ones among them
---@param time_of fun(profile: string): number? of a file that is there
---@return string?
function M.previous(shown, profiles, time_of)
  local oldest
  for _, profile in ipairs(shown) do
    local time = time_of(profile)
    oldest = time and math.min(time, oldest or time) or oldest
  end
  local best, best_time
  for _, profile in ipairs(profiles) do
    local time = not profile:match('/gmon%.live%.%d') and time_of(profile) or nil
    if time and oldest and time < oldest and (not best or time > best_time) then
      best, best_time = profile, time
    end
  end
  return best
end

--- A glob pattern that matches only this path.
---@param path string
---@return string
function M.pattern_of(path)
  return (path:gsub('[\\*?%[%]{}]', '\\%0'))
end

return M
