--- Which lines are requested: those on the screen and a screen around them. Pure.

local M = {}

---@class gprof.LineRange both ends included; lines from 0
---@field first integer
---@field last integer

---@param ranges gprof.LineRange[]
---@param lines integer
---@param line_count integer
---@return gprof.LineRange[] ascending; adjacent ones merged
local function widened(ranges, lines, line_count)
  local last, wide, merged = math.max(line_count - 1, 0), {}, {}
  for _, range in ipairs(ranges) do
    table.insert(wide, { first = math.max(range.first - lines, 0), last = math.min(range.last + lines, last) })
  end
  table.sort(wide, function(a, b)
    return a.first < b.first
  end)
  for _, range in ipairs(wide) do
    local before = merged[#merged]
    if before and range.first <= before.last + 1 then
      before.last = math.max(before.last, range.last)
    else
      table.insert(merged, range)
    end
  end
  return merged
end

---@param visible gprof.LineRange[]
---@return integer
local function screen_of(visible)
  local sum = 0
  for _, range in ipairs(visible) do
    sum = sum + range.last - range.first + 1
  end
  return sum
end

--- The visible parts of a buffer, in all of its windows and between closed folds, each extended by a screen at both
--- ends.
---@param visible gprof.LineRange[]
---@param line_count integer
---@return gprof.LineRange[]
function M.around(visible, line_count)
  return widened(visible, screen_of(visible), line_count)
end

--- Whether half a screen of known lines, or the end of the text, surrounds all visible ones.
---@param visible gprof.LineRange[]
---@param known gprof.LineRange[]
---@param line_count integer
---@return boolean
function M.are_covered(visible, known, line_count)
  for _, range in ipairs(widened(visible, math.floor(screen_of(visible) / 2), line_count)) do
    local is_known = false
    for _, other in ipairs(known) do
      is_known = is_known or other.first <= range.first and other.last >= range.last
    end
    if not is_known then
      return false
    end
  end
  return true
end

---@param ranges gprof.LineRange[]
---@param line integer
---@return boolean
function M.contain(ranges, line)
  for _, range in ipairs(ranges) do
    if range.first <= line and line <= range.last then
      return true
    end
  end
  return false
end

--- Which lines were touched, after one more edit: lines [`first`, `last`) became [`first`, `new_last`).
---@param touched gprof.LineRange?
---@param first integer
---@param last integer
---@param new_last integer
---@return gprof.LineRange
function M.touched(touched, first, last, new_last)
  local edit = { first = first, last = math.max(new_last, first) }
  if not touched then
    return edit
  end
  local added = new_last - last
  local function moved(line)
    return line >= last and line + added or math.min(line, edit.last)
  end
  return {
    first = math.min(edit.first, moved(touched.first)),
    last = math.max(edit.last, moved(touched.last)),
  }
end

return M
