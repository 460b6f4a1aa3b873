--- Which threads are idle, and how that is said. Pure.

local numbers = require('gprof.numbers')

local M = {}

-- Threads that a message names; there may be hundreds in a pool.
local most_named = 4

---@class gprof.IdleThread
---@field name string
---@field number integer?
---@field time number seconds

---@param row gprof.TimelineRow
---@return string
local function key_of(row)
  return ('%d %s'):format(row.process, row.thread or '')
end

--- The threads whose waiting is longer with what is idle, longest first.
---@param rows gprof.TimelineRow[] of waiting, idle or not
---@param busy_rows gprof.TimelineRow[] the same without what is idle
---@return gprof.IdleThread[]
function M.among(rows, busy_rows)
  local busy = {}
  for _, row in ipairs(busy_rows) do
    busy[key_of(row)] = row.total
  end
  local threads = {}
  for _, row in ipairs(rows) do
    local time = row.total - (busy[key_of(row)] or 0)
    -- Totals are sums of the same parts in the same order, but for the idle ones.
    if time > 1e-9 * row.total then
      table.insert(threads, { name = row.name, number = row.thread, time = time })
    end
  end
  table.sort(threads, function(one, other)
    if one.time ~= other.time then
      return one.time > other.time
    end
    return (one.number or 0) < (other.number or 0)
  end)
  return threads
end

---@param thread gprof.IdleThread
---@return string
local function named(thread)
  local name, number = thread.name:gsub('%c', '?'), thread.number or '?'
  return name == '' and ('thread %s'):format(number) or ('%s (%s)'):format(name, number)
end

---@param threads gprof.IdleThread[]
---@return string ": 19.0 s of 2 threads, pool (12), main (11)"
function M.told(threads)
  if #threads == 0 then
    return '; no thread of this profile is idle'
  end
  local sum, names = 0, {}
  for index, thread in ipairs(threads) do
    sum = sum + thread.time
    if index <= most_named then
      table.insert(names, named(thread))
    end
  end
  local more = #threads > most_named and (' and %d more'):format(#threads - most_named) or ''
  local count = #threads == 1 and '1 thread' or ('%d threads'):format(#threads)
  return (': %s of %s, %s%s'):format(numbers.amount(sum, 'seconds'), count, table.concat(names, ', '), more)
end

return M
