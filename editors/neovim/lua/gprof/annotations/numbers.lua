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

--- "seconds" are abbreviated; costs of other profiles, such as instructions, are counts of their unit.
---@param value number
---@param unit string
---@return string
function M.amount(value, unit)
  if unit == 'seconds' then
    return ('%.2f s'):format(value)
  end
  return ('%s %s'):format(value % 1 == 0 and M.short_count(value) or ('%.2f'):format(value), unit)
end

--- With its error, one standard deviation, where that is known and would be printed as more than nothing.
---@param value number
---@param error number?
---@param unit string
---@return string
function M.amount_with_error(value, error, unit)
  if not error or error < 0.005 or unit ~= 'seconds' then
    return M.amount(value, unit)
  end
  return ('%.2f ±%.2f s'):format(value, error)
end

--- A difference with its sign, as +0.12 s.
---@param difference number
---@param unit string
---@return string
function M.signed_amount(difference, unit)
  return (difference < 0 and '−' or '+') .. M.amount(math.abs(difference), unit)
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
