--- Rows of blocks that show a cost by time, and the times that their cells stand for. Pure.

local M = {}

local blocks = { '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█' }
-- Where a block would take two cells.
local narrow_blocks = { '.', ':', '-', '=', '+', '*', '#', '@' }
-- As figures of lines are coloured: by the share, here of the hottest cell.
local steps = { 0, 0.03, 0.1, 0.25, 0.5 }

---@param value number
---@return number
local function log10(value)
  return math.log(value) / math.log(10)
end

---@class gprof.Stretch
---@field from number seconds
---@field to number

---@class gprof.Cell
---@field text string
---@field heat integer of its colour: 0 for none, 5 for the hottest

--- One cell by its share of the most that a cell has.
---@param value number
---@param most number
---@param is_narrow boolean?
---@return gprof.Cell
function M.cell(value, most, is_narrow)
  if value <= 0 or most <= 0 then
    return { text = ' ', heat = 0 }
  end
  local share = math.min(value / most, 1)
  local heat = 0
  for index, step in ipairs(steps) do
    heat = share >= step and index or heat
  end
  local height = math.max(1, math.ceil(share * #blocks - 1e-9))
  return { text = (is_narrow and narrow_blocks or blocks)[height], heat = heat }
end

--- The values in so many cells: repeated where there are fewer, added up where there are more.
---@param values number[]
---@param width integer
---@return number[]
function M.spread(values, width)
  local cells = {}
  for index = 1, width do
    cells[index] = #values <= width and values[math.floor((index - 1) * #values / width) + 1] or 0
  end
  if #values > width then
    for index, value in ipairs(values) do
      local cell = math.floor((index - 1) * width / #values) + 1
      cells[cell] = cells[cell] + value
    end
  end
  return cells
end

--- The most that one of so many cells has.
---@param rows { values: number[] }[]
---@param width integer
---@return number
function M.most(rows, width)
  local most = 0
  for _, row in ipairs(rows) do
    for _, value in ipairs(M.spread(row.values, width)) do
      most = math.max(most, value)
    end
  end
  return most
end

---@param rows { values: number[] }[]
---@return number[] the sum of all rows, by column
function M.sum(rows)
  local sum = {}
  for _, row in ipairs(rows) do
    for index, value in ipairs(row.values) do
      sum[index] = (sum[index] or 0) + value
    end
  end
  return sum
end

-- As many digits as cells can be told apart by.
---@param seconds number
---@param width number of a cell, in seconds
---@return number
local function rounded(seconds, width)
  if width <= 0 then
    return seconds
  end
  local unit = 10 ^ math.floor(log10(width) - 1.3)
  -- By way of its text, so that 0.3 is not 0.30000000000000004.
  return tonumber(('%.9g'):format(math.floor(seconds / unit + 0.5) * unit))
end

--- The time that the cells stand for.
---@param whole gprof.Stretch of all cells
---@param width integer how many there are
---@param first integer from 1
---@param last integer
---@return gprof.Stretch
function M.stretch(whole, width, first, last)
  local each = (whole.to - whole.from) / width
  return {
    from = first <= 1 and whole.from or rounded(whole.from + (first - 1) * each, each),
    to = last >= width and whole.to or rounded(whole.from + last * each, each),
  }
end

--- The cells that a stretch touches; nil if there are none.
---@param whole gprof.Stretch
---@param width integer
---@param from number?
---@param to number?
---@return integer? first
---@return integer? last
function M.cells_of(whole, width, from, to)
  local each = (whole.to - whole.from) / width
  if each <= 0 then
    return nil
  end
  local first = from and math.floor((from - whole.from) / each + 0.05) + 1 or 1
  local last = to and math.ceil((to - whole.from) / each - 0.05) or width
  first, last = math.max(first, 1), math.min(math.max(last, first), width)
  if first > width then
    return nil
  end
  return first, last
end

--- "2.5 s", as exact as it has to be beside others that are this far from it.
---@param seconds number
---@param distance number
---@return string
function M.time(seconds, distance)
  if distance <= 0 or distance >= 1 then
    return ('%.6g s'):format(math.floor(seconds * 10 + 0.5) / 10)
  end
  local is_small = distance < 0.001
  local factor = is_small and 1000 or 1
  local decimals = math.max(0, math.min(math.ceil(-log10(distance * factor)) + 1, 6))
  local text = ('%.' .. decimals .. 'f'):format(seconds * factor)
  text = decimals > 0 and text:gsub('0+$', ''):gsub('%.$', '') or text
  return text .. (is_small and ' ms' or ' s')
end

-- The smallest of 1, 2, 5, 10, 20, … that is not smaller.
---@param least number
---@return number
local function round_step(least)
  local unit = 10 ^ math.floor(log10(least))
  for _, factor in ipairs({ 1, 2, 5 }) do
    if factor * unit >= least * 0.999 then
      return factor * unit
    end
  end
  return 10 * unit
end

--- Times above the cells that they begin at: "╷0 s      ╷0.5 s".
---@param whole gprof.Stretch
---@param width integer
---@param mark string one cell wide
---@return string
function M.axis(whole, width, mark)
  local length = whole.to - whole.from
  if length <= 0 then
    return ''
  end
  local least_cells = 10
  local step = round_step(length * math.min(least_cells, width) / width)
  local text, cells = {}, 0
  -- Not -0.
  local index = math.ceil(whole.from / step - 1e-9) + 0
  while index * step < whole.to do
    local cell = math.floor((index * step - whole.from) / length * width + 1e-6)
    local label = M.time(index * step, step)
    if (cell > cells or cells == 0) and cell + 1 + #label <= width then
      table.insert(text, (' '):rep(cell - cells) .. mark .. label)
      cells = cell + 1 + #label
    end
    index = index + 1
  end
  return table.concat(text)
end

return M
