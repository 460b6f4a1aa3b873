--- From heat to one of five colours. Pure.

local M = {}

M.levels = 5

-- Where a level begins. The heat of a time is the square root of its share: 0.5, 3, 10, 25 and 50 percent of the
-- program. That of a count is a logarithm: most lines that run at all are close to its top.
local time_steps = { 0.07, 0.173, 0.316, 0.5, 0.707 }
local count_steps = { 0.35, 0.55, 0.7, 0.82, 0.93 }

--- 0 is uncoloured, 5 the hottest.
---@param heat number from 0 to 1
---@param metric string
---@return integer
function M.level(heat, metric)
  local steps = (metric == 'self' or metric == 'total') and time_steps or count_steps
  local level = 0
  for _, step in ipairs(steps) do
    if heat >= step then
      level = level + 1
    end
  end
  return level
end

--- Of a line of gprof/lineData.
---@param line gprof.LineData
---@param metric string
---@return integer
function M.of_line(line, metric)
  return line.state == 'changed' and 0 or M.level(line.heats[metric], metric)
end

return M
