--- What the threads of a time line did at each moment: ran, or waited, and for what. Servers tell it with the metrics
--- of waiting; idle waiting is told even where it is folded away, and so no part of the values. Pure.

local sparkline = require('gprof.selection.sparkline')

local M = {}

-- In the order of a legend.
local groups = {
  { 'running', 'GprofRunning' },
  { 'lock', 'GprofLock' },
  { 'io', 'GprofIo' },
  { 'sleep', 'GprofSleep' },
  { 'child', 'GprofChild' },
  { 'other', 'GprofOther' },
  { 'cpu', 'GprofCpu' },
  { 'idle', 'GprofIdle' },
}

---@class gprof.ActiveRow what it reads of a row
---@field total number
---@field activities { name: string, values: number[] }[]?

---@param values number[]
---@return number
local function sum_of(values)
  local sum = 0
  for _, value in ipairs(values) do
    sum = sum + value
  end
  return sum
end

--- In so many cells, by name; nil where the row does not tell.
---@param row gprof.ActiveRow
---@param width integer
---@return table<string, number[]>?
function M.cells_of(row, width)
  if not row.activities then
    return nil
  end
  local cells = {}
  for _, activity in ipairs(row.activities) do
    cells[activity.name] = sparkline.spread(activity.values, width)
  end
  return cells
end

--- Whether the row's values are without what is idle.
---@param row gprof.ActiveRow
---@return boolean
function M.is_folded(row)
  local busy, idle = 0, 0
  for _, activity in ipairs(row.activities or {}) do
    local sum = sum_of(activity.values)
    if activity.name == 'idle' then
      idle = sum
    else
      busy = busy + sum
    end
  end
  return idle > 0 and row.total < busy + idle / 2
end

--- What a cell shows, by what most of its time went to. One in which there is nothing but idle waiting that is folded
--- away has the lowest block.
---@param cells table<string, number[]>
---@param index integer of the cell
---@param value number
---@param most number
---@param is_folded boolean
---@param is_narrow boolean?
---@return string text
---@return string? group
function M.cell(cells, index, value, most, is_folded, is_narrow)
  local greatest, group = 0, nil
  for _, entry in ipairs(groups) do
    local time = (cells[entry[1]] or {})[index] or 0
    local is_shown = entry[1] ~= 'idle' or not is_folded or value <= 0
    if is_shown and time > greatest then
      greatest, group = time, entry[2]
    end
  end
  if value <= 0 and greatest > 0 then
    return sparkline.cell(1, math.huge, is_narrow).text, group
  end
  return sparkline.cell(value, most, is_narrow).text, group
end

--- What the rows have, and its groups, in order.
---@param rows gprof.ActiveRow[]
---@return string[][]
function M.legend(rows)
  local present = {}
  for _, row in ipairs(rows) do
    for _, activity in ipairs(row.activities or {}) do
      present[activity.name] = present[activity.name] or sum_of(activity.values) > 0
    end
  end
  local entries = {}
  for _, entry in ipairs(groups) do
    if present[entry[1]] then
      table.insert(entries, entry)
    end
  end
  return entries
end

--- All rows together; nil where none tells.
---@param rows gprof.ActiveRow[]
---@return { name: string, values: number[] }[]?
function M.sum(rows)
  local of_names, sums = {}, {}
  for _, row in ipairs(rows) do
    for _, activity in ipairs(row.activities or {}) do
      of_names[activity.name] = of_names[activity.name] or {}
      table.insert(of_names[activity.name], activity)
    end
  end
  for _, entry in ipairs(groups) do
    if of_names[entry[1]] then
      table.insert(sums, { name = entry[1], values = sparkline.sum(of_names[entry[1]]) })
    end
  end
  return #sums > 0 and sums or nil
end

--- "lock 0.20 s, running 0.05 s" of one of the cells, the most first; empty if there is nothing.
---@param cells table<string, number[]>
---@param index integer
---@param figure fun(value: number): string
---@return string
function M.text(cells, index, figure)
  local found = {}
  for place, entry in ipairs(groups) do
    local time = (cells[entry[1]] or {})[index] or 0
    if time > 0 then
      table.insert(found, { name = entry[1], time = time, place = place })
    end
  end
  table.sort(found, function(one, other)
    if one.time ~= other.time then
      return one.time > other.time
    end
    return one.place < other.place
  end)
  local texts = {}
  for _, one in ipairs(found) do
    table.insert(texts, ('%s %s'):format(one.name, figure(one.time)))
  end
  return table.concat(texts, ', ')
end

return M
