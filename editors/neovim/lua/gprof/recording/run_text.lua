--- What the list of runs says of each. Pure.

local numbers = require('gprof.numbers')

local M = {}

---@class gprof.ListedRun
---@field time integer seconds since 1970
---@field date string the same, as people of the place write it
---@field arguments string[]? nil if not known
---@field summary gprof.RunSummary? nil if the recorder was killed
---@field size integer bytes, of all files of the run
---@field is_of_older_build boolean
---@field is_shown boolean

--- 1,536 is 1.5 KiB.
---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 1024 then
    return ('%d bytes'):format(bytes)
  end
  local size, unit = bytes / 1024, 1
  local units = { 'KiB', 'MiB', 'GiB' }
  while size >= 1024 and unit < #units do
    size, unit = size / 1024, unit + 1
  end
  return (size < 10 and '%.1f %s' or '%.0f %s'):format(size, units[unit])
end

---@param words string[]
---@return string
local function line_of(words)
  local quoted = {}
  for _, word in ipairs(words) do
    local is_plain = word:find('^[%w%%+,./:=@_-]+$') ~= nil
    table.insert(quoted, is_plain and word or "'" .. word:gsub("'", "'\\''") .. "'")
  end
  return table.concat(quoted, ' ')
end

---@param run gprof.ListedRun
---@param now integer seconds since 1970
---@return string
function M.row(run, now)
  local summary = run.summary or {}
  local words = run.arguments
  local parts = {
    run.date,
    numbers.age(now - run.time),
    words and (#words == 0 and 'no arguments' or line_of(words)) or '',
    summary.headline or summary.times or '',
    summary.signal or '',
    summary.status and summary.status ~= 0 and ('status %d'):format(summary.status) or '',
    run.is_of_older_build and 'older build' or '',
    M.size(run.size),
    run.is_shown and 'shown now' or '',
  }
  local said = {}
  for _, part in ipairs(parts) do
    if part ~= '' then
      table.insert(said, part)
    end
  end
  return table.concat(said, ' · ')
end

return M
