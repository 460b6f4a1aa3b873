--- The command line of `gprof-lsp record`, and what its files and its exit status mean. Pure.

local M = {}

--- The command that starts the server, without its own options.
---@param server string[] that starts the server
---@param options { output: string, stacks: boolean, rate: integer }
---@param program string
---@param arguments string[]
---@return string[]
function M.record(server, options, program, arguments)
  local command = {}
  for _, word in ipairs(server) do
    if word ~= '--stdio' then
      table.insert(command, word)
    end
  end
  table.insert(command, 'record')
  table.insert(command, '--output=' .. options.output)
  if options.stacks then
    table.insert(command, '--stacks')
  end
  if options.rate > 0 then
    table.insert(command, ('--rate=%d'):format(options.rate))
  end
  table.insert(command, '--')
  table.insert(command, program)
  for _, argument in ipairs(arguments) do
    table.insert(command, argument)
  end
  return command
end

--- The profile among the files of a run: the sum of many, else the program's own, else that of a process.
---@param files string[]
---@return string?
function M.profile_among(files)
  local best, best_rank
  for _, name in ipairs(files) do
    local rank = name == 'gmon.sum' and 1 or name == 'gmon.out' and 2 or name:match('^gmon%.out%.%d+$') and 3
    if rank and (not best or rank < best_rank or rank == best_rank and name < best) then
      best, best_rank = name, rank
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

-- Those of gprof-lsp record itself; others are the program's.
local failures = {
  [2] = 'its command line was not understood.',
  [125] = 'it could not be started under the collector.',
  [126] = 'it cannot be executed.',
  [127] = 'it was not found.',
}

--- Why a run left no profile, and what to do.
---@param status integer
---@return string
function M.reason_for_none(status)
  return failures[status]
    or 'it left no profile. Compile and link it with -pg (and -g, for lines), and let it end by itself.'
end

return M
