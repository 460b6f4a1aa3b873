--- The column at which figures begin, so that they line up and code never moves. Pure.

local M = {}

local gap, step, narrowest = 2, 4, 24
-- At most this share of a text's lines is longer than the column of its figures: a few long lines would move all
-- figures away from their code.
local longer = 0.25
-- Lines that are longer by this much do not stand out.
local reach = 8
-- Columns that move to the left, rather than beyond the window's edge.
local leading = 2

--- After most lines of the text, but no further than `most`: longer lines have their figures after their own end.
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
  local last = #sorted - math.floor(#sorted * longer)
  local most_usual = sorted[last] + reach
  while sorted[last + 1] and sorted[last + 1] <= most_usual do
    last = last + 1
  end
  local usual = sorted[last]
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
