--- The text at the end of a line: its cells below those of other lines, and what is said of a function. Pure.

local M = {}

local groups_of_differences = { regressed = 'GprofSlower', improved = 'GprofFaster' }

--- Number of characters, each of which takes one cell here.
---@param text string
---@return integer
local function length(text)
  local _, continued = text:gsub('[\128-\191]', '')
  return #text - continued
end

---@param line gprof.LineData
---@return string
local function group_of(line)
  if line.state == 'changed' then
    return 'GprofChanged'
  end
  return line.level == 0 and 'GprofCold' or 'GprofHeat' .. line.level
end

--- Texts with their highlight groups, from left to right; empty if there is nothing to show.
---@param line gprof.LineData?
---@param columns gprof.LineColumn[] of its cells: each ends where its column does, unless it is wider
---@param summary string? of the function that begins on the line
---@return string[][]
function M.chunks(line, columns, summary)
  local chunks = {}
  local function add(text, group)
    local last = chunks[#chunks]
    if last and last[2] == group then
      last[1] = last[1] .. text
    elseif text ~= '' then
      table.insert(chunks, { text, group })
    end
  end
  for index, cell in ipairs(line and line.cells or {}) do
    local group, column = group_of(line), columns[index] or { width = 0 }
    add((index > 1 and ' ' or '') .. (' '):rep(column.width - length(cell)), group)
    local difference = column.name == 'difference' and line.selfDifference
    add(cell, difference and groups_of_differences[difference.verdict] or group)
  end
  if summary and summary ~= '' then
    if #chunks > 0 then
      add('  ', '')
    end
    add(summary, 'GprofFunction')
  end
  return chunks
end

return M
