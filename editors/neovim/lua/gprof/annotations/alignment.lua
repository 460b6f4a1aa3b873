--- The column at which figures begin, so that they stand below each other and code never moves. Pure.

local M = {}

local gap, step, narrowest = 2, 4, 24
-- So many of a text's lines are longer than its figures' column at most.
local longer = 0.02

--- Behind nearly all lines of the text, but no further than `most`: the few that are longer have their figures behind
--- their own end.
---@param widths integer[] cells that the lines take
---@param most integer
---@return integer
function M.column(widths, most)
  if #widths == 0 then
    return math.min(narrowest, most)
  end
  local sorted = {}
  for index, width in ipairs(widths) do
    sorted[index] = width
  end
  table.sort(sorted)
  local usual = sorted[math.ceil((#sorted - 1) * (1 - longer)) + 1]
  local column = math.ceil((math.max(usual, narrowest) + gap) / step) * step
  return math.min(column, most)
end

--- Blank cells between a line's end and its figures.
---@param width integer of the line
---@param column integer
---@return integer
function M.margin(width, column)
  return math.max(column - width, gap)
end

return M
