--- Running processes: in which order they are offered, and how. Pure.

local M = {}

---@class gprof.Process
---@field id integer
---@field program string path of its executable
---@field words string[] its command line

--- The path of an executable; a build may have replaced it since.
---@param link string
---@return string
function M.program_of(link)
  return (link:gsub(' %(deleted%)$', ''))
end

--- The command line as the kernel has it: each word ends with a zero.
---@param text string
---@return string[]
function M.words_of(text)
  local words = {}
  for word in text:gmatch('([^%z]*)%z') do
    table.insert(words, word)
  end
  return words
end

--- The workspace's programs first, then the others; the newest first in both, as numbers grow until they wrap around.
---@param found gprof.Process[]
---@param workspace string
---@return gprof.Process[]
function M.in_order(found, workspace)
  local function is_of_workspace(process)
    return process.program:sub(1, #workspace + 1) == workspace .. '/'
  end
  local ordered = {}
  for _, process in ipairs(found) do
    table.insert(ordered, process)
  end
  table.sort(ordered, function(a, b)
    if is_of_workspace(a) ~= is_of_workspace(b) then
      return is_of_workspace(a)
    end
    return a.id > b.id
  end)
  return ordered
end

--- "prog (process 4242): ./prog --name"
---@param process gprof.Process
---@return string
function M.describe(process)
  local line = table.concat(process.words, ' ')
  return ('%s (process %d): %s'):format(process.program:match('[^/]*$'), process.id, line:sub(1, 100))
end

return M
