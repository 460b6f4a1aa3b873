--- Which hot line comes next. Pure.

local metrics = require('gprof.metrics')

local M = {}

---@class gprof.HotLine
---@field line integer from 0
---@field heat number by the metric that was asked for
---@field heats table<string, number> by the usual ones

--- The lines that show a figure: times below the threshold have none.
---@param lines gprof.HotLine[]
---@param metric string
---@param threshold number a share
---@return integer[] lines, ascending
function M.shown(lines, metric, threshold)
  local is_time = metrics.is_of_time(metric)
  local shown = {}
  for _, line in ipairs(lines) do
    local heat = line.heats[metric] or line.heat
    -- The heat of a time is the square root of its share.
    if heat > 0 and not (is_time and heat * heat < threshold) then
      table.insert(shown, line.line)
    end
  end
  table.sort(shown)
  return shown
end

-- How many of the lines come before the place, in the direction of movement.
---@param lines integer[]
---@param from integer
---@param step 1|-1
---@return integer
local function passed(lines, from, step)
  local count = 0
  for _, line in ipairs(lines) do
    if step == 1 and line <= from or step == -1 and line >= from then
      count = count + 1
    end
  end
  return count
end

--- The line `count` hot lines on. Without wrapping, at most the last one.
---@param lines integer[] ascending
---@param from integer where the cursor is
---@param count integer at least 1
---@param step 1|-1
---@param wraps boolean
---@return integer? line nil if there is none
---@return boolean wrapped
function M.target(lines, from, count, step, wraps)
  local size = #lines
  if size == 0 then
    return nil, false
  end
  local behind = passed(lines, from, step)
  local place = behind + count
  if place > size and not wraps then
    if behind == size then
      return nil, false
    end
    place = size
  end
  local index = (place - 1) % size + 1
  return lines[step == 1 and index or size + 1 - index], place > size
end

return M
