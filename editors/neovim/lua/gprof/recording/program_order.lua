--- In which order programs are offered. Pure.

local M = {}

---@class gprof.Executable
---@field path string
---@field counts boolean its calls: it was apparently built with -pg
---@field modified number seconds since the epoch
---@field has_lines boolean
---@field build_id string?

---@param a gprof.Executable
---@param b gprof.Executable
local function comes_before(a, b)
  if a.has_lines ~= b.has_lines then
    return a.has_lines
  end
  if a.modified ~= b.modified then
    return a.modified > b.modified
  end
  return a.path < b.path
end

---@param a gprof.Executable
---@param b gprof.Executable
local function is_better_copy(a, b)
  if a.has_lines ~= b.has_lines then
    return a.has_lines
  end
  local depth_of_a, depth_of_b = select(2, a.path:gsub('/', '')), select(2, b.path:gsub('/', ''))
  if depth_of_a ~= depth_of_b then
    return depth_of_a < depth_of_b
  end
  return a.path < b.path
end

--- Those whose figures have lines first, the newest at the top. What is installed or packaged is a copy of what was
--- built, later and often without debug information: only the best of each build stays. Pure.
---@param found gprof.Executable[]
---@return gprof.Executable[]
function M.in_order(found)
  local builds, kept = {}, {}
  for _, one in ipairs(found) do
    local key = one.build_id or ('path ' .. one.path)
    local best = builds[key]
    if not best or is_better_copy(one, best) then
      builds[key] = one
    end
  end
  for _, one in pairs(builds) do
    table.insert(kept, one)
  end
  table.sort(kept, comes_before)
  return kept
end

return M
