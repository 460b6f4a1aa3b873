--- Makes the entries of lists from the server's answers. Pure.

local metrics = require('gprof.metrics')
local texts = require('gprof.navigation.texts')

local M = {}

---@class gprof.ListItem
---@field location gprof.Location? where it leads to
---@field text string
---@field key string identifies it in the list of another profile

---@param name string
---@param location gprof.Location?
---@param text string
---@return gprof.ListItem
local function item(name, location, text)
  local key = location and ('%s %s %d'):format(name, location.uri, location.range.start.line) or name
  return { location = location, text = text, key = key }
end

--- One entry per calling line; if the profile cannot tell which of several lines made a call, one for each. Calls on
--- unknown lines lead to the function that makes them, or nowhere.
---@param result table of gprof/callSites
---@param direction 'callers'|'callees'
---@return gprof.ListItem[]
function M.of_call_sites(result, direction)
  local items = {}
  for _, site in ipairs(result.sites) do
    local text = texts.call_site(site, direction, result)
    local place = site.uri and { uri = site.uri, range = site.range }
    -- A callee's definition is not where it is called, so it does not belong in the list.
    local fallback = direction == 'callers' and site.definition or nil
    table.insert(items, item(site.name, place or fallback, text))
    for _, other in ipairs(place and site.alternatives or {}) do
      table.insert(items, item(site.name, other, text))
    end
  end
  return items
end

--- The definition; of a library's function, where the program called it most.
---@param spot gprof.HotSpot
---@return gprof.Location?
local function location_of(spot)
  return spot.uri and spot.range and { uri = spot.uri, range = spot.range } or spot.callSite
end

---@param result table of gprof/hotSpots
---@param metric string
---@param derived gprof.MetricDescription? if it is a formula
---@return gprof.ListItem[]
function M.of_hot_spots(result, metric, derived)
  local items = {}
  for _, spot in ipairs(result.spots) do
    if spot.heat > 0 then
      table.insert(items, item(spot.name, location_of(spot), texts.hot_spot(spot, metric, result, derived)))
    end
  end
  return items
end

-- The verdict on a function's change by the metric; nil if it is not compared.
---@param spot gprof.HotSpot
---@param metric string
---@return string?
local function verdict_of(spot, metric)
  local calls = spot.callsDifference
  local difference = metric == 'total' and spot.totalDifference or spot.selfDifference
  if not metrics.is_of_time(metric) then
    return calls and (calls == 0 and 'noise' or 'calls') or difference and 'noise'
  end
  return difference and difference.verdict or calls and 'noise'
end

--- Compared functions, significant changes first, otherwise in the server's order.
---@param result table of gprof/hotSpots, by regression
---@param metric string
---@return gprof.ListItem[] items
---@return table<string, integer> counts by verdict
function M.of_differences(result, metric)
  local changed, unchanged, counts = {}, {}, {}
  for _, spot in ipairs(result.spots) do
    local verdict = verdict_of(spot, metric)
    if verdict then
      counts[verdict] = (counts[verdict] or 0) + 1
      local entry = item(spot.name, location_of(spot), texts.difference(spot, metric, result))
      table.insert(verdict == 'noise' and unchanged or changed, entry)
    end
  end
  for _, entry in ipairs(unchanged) do
    table.insert(changed, entry)
  end
  return changed, counts
end

--- The index in the new list of the entry selected in the old one: the entry with its key, else the one at its place.
---@param old string[] keys
---@param selected integer
---@param new string[] keys
---@return integer
function M.selected_again(old, selected, new)
  local key = old[selected]
  for index, other in ipairs(new) do
    if other == key then
      return index
    end
  end
  return math.max(1, math.min(selected, #new))
end

return M
