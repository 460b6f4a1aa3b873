--- Counts, times and shares as text, by the same rules as the server's lenses and hovers. Pure.

local M = {}

local count_units = { 'k', 'M', 'G', 'T', 'P', 'E' }

--- 26345 is 26,345.
---@param count number
---@return string
function M.exact_count(count)
  local digits = ('%.0f'):format(count)
  local grouped = digits:reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (grouped:gsub('^,', ''))
end

--- 26345 is 26.3k: three digits from ten thousand on.
---@param count number
---@return string
function M.short_count(count)
  if count < 10000 then
    return M.exact_count(count)
  end
  local value, unit = count / 1000, 1
  -- 999.5 would be printed as 1000: it belongs to the next unit.
  while value >= 999.5 and unit < #count_units do
    value, unit = value / 1000, unit + 1
  end
  local decimals = value < 9.995 and 2 or value < 99.95 and 1 or 0
  return ('%.' .. decimals .. 'f%s'):format(value, count_units[unit])
end

---@param share number from 0 to 1
---@return string
function M.percent(share)
  local value = share * 100
  if value <= 0 then
    return '0 %'
  elseif value < 0.05 then
    return '<0.1 %'
  end
  return ('%.' .. (value < 9.95 and 1 or 0) .. 'f %%'):format(value)
end

---@class gprof.SampleScale limits of sampling; neither is set if costs are exact
---@field sampleSeconds number? represented by one sample
---@field unsampledBelow number? code without samples took less than this

local small_units = { { 1e3, 'ms' }, { 1e6, 'µs' }, { 1e9, 'ns' } }

-- The largest unit below a second in which the time exceeds the second decimal; nil: the second.
---@param seconds number
---@return table?
local function small_unit(seconds)
  local least_shown = 0.0095
  if seconds >= least_shown then
    return nil
  end
  for _, unit in ipairs(small_units) do
    if seconds * unit[1] >= least_shown then
      return unit
    end
  end
  return small_units[#small_units]
end

-- The figure and its unit, chosen so that the error can be read.
---@param value number
---@param error number?
---@param finest number? the smallest error of a sentence whose figures share a unit
---@return string
---@return string
local function seconds_text(value, error, finest)
  finest = finest or error
  local small = finest and finest > 0 and small_unit(finest)
  if not small then
    return ('%.2f'):format(value), 's'
  end
  local digits = (error or 0) * small[1]
  return ('%.' .. (digits < 0.95 and 2 or digits < 9.5 and 1 or 0) .. 'f'):format(value * small[1]), small[2]
end

--- For code without samples: "< 0.03 s", rounded up; nil if the time is sampled.
---@param value number
---@param scale gprof.SampleScale
---@param unit string
---@return string?
function M.unsampled(value, scale, unit)
  if not scale.sampleSeconds or not scale.unsampledBelow or value >= scale.sampleSeconds * 0.999 then
    return nil
  end
  if unit ~= 'seconds' then
    return ('< %d %s'):format(math.ceil(scale.unsampledBelow - 1e-6), unit)
  end
  local small = small_unit(scale.unsampledBelow)
  if not small then
    return ('< %.2f s'):format(math.ceil(scale.unsampledBelow * 100 - 1e-6) / 100)
  end
  local tenths = math.ceil(scale.unsampledBelow * small[1] * 10 - 1e-6)
  return ('< ' .. (tenths % 10 == 0 and '%.0f' or '%.1f') .. ' %s'):format(tenths / 10, small[2])
end

--- In a unit that shows its error, if known; costs of other units than seconds are counts of them.
---@param value number
---@param unit string
---@param error number?
---@return string
function M.amount(value, unit, error)
  if unit == 'seconds' then
    return ('%s %s'):format(seconds_text(value, error))
  end
  return ('%s %s'):format(value % 1 == 0 and M.short_count(value) or ('%.2f'):format(value), unit)
end

--- With its error, one standard deviation, if known.
---@param value number
---@param error number?
---@param unit string
---@param finest number? the smallest error of a sentence whose figures share a unit
---@return string
function M.amount_with_error(value, error, unit, finest)
  if not error or error <= 0 or unit ~= 'seconds' then
    return M.amount(value, unit)
  end
  return ('%s ±%s %s'):format((seconds_text(value, error, finest)), seconds_text(error, error, finest))
end

-- Seconds that two decimals do not show, with three digits, in the largest unit that they exceed.
---@param seconds number
---@param error number?
---@return string
local function small_time(seconds, error)
  if seconds >= 0.0095 then
    return ('%.3f s'):format(seconds)
  end
  for index, unit in ipairs(small_units) do
    if seconds * unit[1] >= 0.9995 or index == #small_units then
      local with_error = error and error > 0 and (' ±%.2g'):format(error * unit[1]) or ''
      return ('%.3g%s %s'):format(seconds * unit[1], with_error, unit[2])
    end
  end
end

--- Of any unit and size.
---@param value number
---@param error number?
---@param unit string
---@param is_bare boolean? without the unit, but for seconds
---@return string
function M.figure(value, error, unit, is_bare)
  if unit == 'seconds' then
    local is_small = value > 0 and (value < 0.0095 or value < 0.0995 and not error)
    return is_small and small_time(value, error) or M.amount_with_error(value, error, unit)
  end
  local figure = (value % 1 == 0 or value >= 1000) and M.short_count(value) or ('%.3g'):format(value)
  return is_bare and figure or ('%s %s'):format(figure, unit)
end

--- How long ago, in the largest unit that is not zero.
---@param seconds number
---@return string
function M.age(seconds)
  local minutes = math.floor(seconds / 60)
  if minutes < 1 then
    return 'just now'
  elseif minutes < 60 then
    return ('%d min ago'):format(minutes)
  end
  local hours = math.floor(minutes / 60)
  if hours < 48 then
    return ('%d h ago'):format(hours)
  end
  return ('%d days ago'):format(math.floor(hours / 24))
end

return M
