--- Texts of calls, functions and differences in lists: exact counts, sampled times with their error, estimates marked
--- ≈. Pure.

local metrics = require('gprof.metrics')
local numbers = require('gprof.numbers')

local M = {}

---@class gprof.Scale: gprof.SampleScale the scale of an answer's times
---@field unit string
---@field programSeconds number
---@field basis 'measured'|'estimated'|nil

local separator = ' · '

---@param count number
---@param word string
---@return string
local function counted(count, word)
  return ('%s %s%s'):format(numbers.exact_count(count), word, count == 1 and '' or 's')
end

--- The last part of a URI's path, decoded.
---@param uri string
---@return string
function M.file_name(uri)
  local name = uri:match('([^/]*)$'):gsub('%%(%x%x)', function(digits)
    return string.char(tonumber(digits, 16))
  end)
  return name
end

--- "≈0.53 ±0.07 s (39 %)". Without samples, an upper bound.
---@param value number
---@param error number?
---@param scale gprof.Scale
---@param is_estimate boolean?
---@param finest number? the smallest error of a sentence whose times share a unit
---@return string
function M.time(value, error, scale, is_estimate, finest)
  local unsampled = numbers.unsampled(value, scale, scale.unit)
  if unsampled then
    return unsampled
  end
  local share = scale.programSeconds > 0 and (' (%s)'):format(numbers.percent(value / scale.programSeconds)) or ''
  return (is_estimate and '≈' or '') .. numbers.amount_with_error(value, error, scale.unit, finest) .. share
end

---@param site gprof.CallSite
---@return string
local function calls_of(site)
  if site.calls == 0 then
    return 'calls not counted'
  elseif site.recursive then
    return counted(site.calls, 'recursive call')
  end
  return (site.approximate and '≈' or '') .. counted(site.calls, 'call')
end

---@param location gprof.Location
---@param file string? whose lines need no file name
---@return string
local function line_of(location, file)
  local line = location.range.start.line + 1
  return location.uri == file and tostring(line) or ('%s:%d'):format(M.file_name(location.uri), line)
end

-- The lines whose calls cannot be told apart; the first one is the site's own.
---@param site gprof.CallSite
---@return string?
local function lines_together(site)
  if not site.uri or not site.alternatives then
    return nil
  end
  local lines = { tostring(site.range.start.line + 1) }
  for _, other in ipairs(site.alternatives) do
    table.insert(lines, line_of(other, site.uri))
  end
  return ('of the lines %s together'):format(table.concat(lines, ', '))
end

---@param site gprof.CallSite
---@return string
local function caller_of(site)
  if site.name == '<spontaneous>' then
    return 'from code that counts no calls'
  end
  local text = 'from ' .. site.name .. (site.through and ' through ' .. site.through or '')
  if not site.uri then
    text = text .. (site.definition and ', on a line that is not known' or ', whose source is not here')
  end
  return text
end

---@param site gprof.CallSite
---@return string
local function callee_of(site)
  local text = 'of ' .. site.name .. (site.through and ' through ' .. site.through or '')
  if site.definition then
    text = ('%s (%s)'):format(text, line_of(site.definition))
  end
  return site.uri and text or text .. ', on a line that is not known'
end

--- "1,200 calls · ≈0.53 ±0.07 s (39 %) · from main"; of callees "… · of step (shared.h:2)"; where calls are not counted
--- "0.53 ±0.07 s (39 %) measured · from main".
---@param site gprof.CallSite
---@param direction 'callers'|'callees'
---@param scale gprof.Scale
---@return string
function M.call_site(site, direction, scale)
  local is_measured = site.calls == 0 and site.seconds and scale.basis == 'measured'
  local parts = is_measured and {} or { calls_of(site) }
  local together = lines_together(site)
  if together then
    table.insert(parts, together)
  end
  if site.seconds then
    local time = M.time(site.seconds, site.error, scale, scale.basis == 'estimated')
    table.insert(parts, time .. (is_measured and ' measured' or ''))
  end
  table.insert(parts, direction == 'callers' and caller_of(site) or callee_of(site))
  return table.concat(parts, separator)
end

---@param spot gprof.HotSpot
---@return string?
local function calls_of_spot(spot)
  local calls, recursive = spot.calls or 0, spot.recursiveCalls or 0
  if calls + recursive == 0 then
    return nil
  end
  local text = counted(calls, 'call')
  return recursive > 0 and ('%s, %s'):format(text, counted(recursive, 'recursive call')) or text
end

-- The time that the list is ordered by first; a function whose callees took no time has only one.
---@param spot gprof.HotSpot
---@param metric string
---@param scale gprof.Scale
---@return string[]
local function times_of_spot(spot, metric, scale)
  if not scale.basis then
    return {}
  end
  local has_one = spot.totalSeconds == spot.selfSeconds
  -- What is not sampled has a limit instead of an error.
  local is_sampled = not numbers.unsampled(spot.selfSeconds, scale, scale.unit)
  local own, all = spot.selfError or 0, spot.totalError or 0
  local finest = is_sampled and own > 0 and all > 0 and math.min(own, all) or nil
  local self_time = 'self ' .. M.time(spot.selfSeconds, spot.selfError, scale, false, finest)
  local total = 'total '
    .. M.time(spot.totalSeconds, spot.totalError, scale, scale.basis == 'estimated' and not has_one, finest)
  local first, second = self_time, total
  if metric == 'total' then
    first, second = total, self_time
  end
  return has_one and { first } or { first, second }
end

--- "#1 step · self 0.63 ±0.08 s (61 %) · total ≈0.85 ±0.09 s (82 %) · 21,350 calls", the figure that it is ordered by
--- first; of a library's function "… · called at main.c:12", where the program called it most.
---@param spot gprof.HotSpot
---@param metric string
---@param scale gprof.Scale
---@param derived gprof.MetricDescription? if the metric is a formula
---@return string
function M.hot_spot(spot, metric, scale, derived)
  local parts = times_of_spot(spot, metric, scale)
  local is_time = metrics.is_of_time(metric)
  table.insert(parts, is_time and #parts + 1 or 1, calls_of_spot(spot))
  local value = derived and spot.values and spot.values[metric]
  if value then
    local figure = numbers.figure(value.self, value.selfError, derived.unit)
    table.insert(parts, 1, ('%s %s'):format(metric, figure))
  end
  table.insert(parts, 1, ('#%d %s'):format(spot.rank, spot.name))
  if spot.callSite then
    table.insert(parts, ('called at %s'):format(line_of(spot.callSite)))
  end
  return table.concat(parts, separator)
end

local verdicts = {
  regressed = 'slower',
  improved = 'faster',
  noise = 'within the noise',
  new = 'new',
  gone = 'gone',
}

---@param value number
---@param text string
---@return string
local function signed(value, text)
  return (value < 0 and '−' or '+') .. text
end

--- "within the noise", and how many runs would decide.
---@param difference gprof.Difference
---@return string
local function verdict_of(difference)
  local verdict = verdicts[difference.verdict] or difference.verdict
  if not difference.runsToDecide then
    return verdict
  end
  return ('%s: %d runs a side would decide'):format(verdict, difference.runsToDecide)
end

---@param difference gprof.Difference
---@param word string
---@param scale gprof.Scale
---@return string
local function difference_of(difference, word, scale)
  local base, now = difference.baseSeconds, difference.baseSeconds + difference.difference
  if base <= 0 and now <= 0 then
    return 'no samples, here or there'
  end
  local change = numbers.amount_with_error(math.abs(difference.difference), difference.error, scale.unit)
  return ('%s %s, %s (%s → %s)'):format(
    word,
    signed(difference.difference, change),
    verdict_of(difference),
    numbers.amount(base, scale.unit),
    numbers.amount(now, scale.unit)
  )
end

---@param difference integer
---@return string
local function difference_of_calls(difference)
  if difference == 0 then
    return 'as many calls'
  end
  return ('%s %s'):format(counted(math.abs(difference), 'call'), difference > 0 and 'more' or 'fewer')
end

--- "delta · self +0.40 ±0.05 s, slower (0.40 s → 0.80 s) · 2 calls more". Calls are included if they differ, or are the
--- list's metric; run-dependent counts are not known to differ.
---@param spot gprof.HotSpot
---@param metric string
---@param scale gprof.Scale
---@return string
function M.difference(spot, metric, scale)
  local parts = { spot.name }
  local difference = metric == 'total' and spot.totalDifference or spot.selfDifference
  if difference then
    table.insert(parts, difference_of(difference, metric == 'total' and 'total' or 'self', scale))
  end
  local by_calls = not metrics.is_of_time(metric)
  local calls = spot.callsDifference
  if calls and (calls ~= 0 or by_calls) then
    table.insert(parts, by_calls and 2 or #parts + 1, difference_of_calls(calls))
  end
  return table.concat(parts, separator)
end

return M
