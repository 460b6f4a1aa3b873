--- The column at which figures begin, so that they line up and code never moves. Pure.

local M = {}

local gap, step, narrowest = 2, 4, 24
-- At most this share of a text's lines is longer than the column of its figures.
local longer = 0.02
-- Columns that move to the left, rather than beyond the window's edge.
local leading = 2

--- After nearly all lines of the text, but no further than `most`: longer lines have their figures after their own end.
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
  local usual = sorted[#sorted - math.floor(#sorted * longer)]
  local column = math.ceil((math.max(usual, narrowest) + gap) / step) * step
  return math.min(column, most)
end

--- Where figures begin in a window: in their column, or as far to the left of it as the leading ones need.
---@param column integer
---@param columns gprof.LineColumn[]
---@param room integer cells that the window has for text
---@return integer
function M.column_within(column, columns, room)
  local needed = 0
  for index = 1, math.min(leading, #columns) do
    needed = needed + columns[index].width + (index > 1 and 1 or 0)
  end
  return math.max(math.min(column, room - needed), 0)
end

--- Blank cells between a line's end and its figures.
---@param width integer of the line
---@param column integer
---@return integer
function M.margin(width, column)
  return math.max(column - width, gap)
end

return M
