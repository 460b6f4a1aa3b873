--- The text at the end of a line: its cells below those of other lines, and what is said of a function. Pure.

local M = {}

-- Cells in a colour of their own, whatever the heat of their line.
local groups_of_cells = { waits = 'GprofWaits' }
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

---@param line gprof.LineData
---@param column gprof.LineColumn?
---@return string? nil: that of the line
local function group_of_cell(line, column)
  if not column then
    return nil
  elseif column.name == 'difference' then
    return line.selfDifference and groups_of_differences[line.selfDifference.verdict]
  end
  -- Of a line that changed, only that is said, in whatever column.
  return line.state ~= 'changed' and groups_of_cells[column.name] or nil
end

--- The parts of a summary that fit.
---@param summary string
---@param room integer
---@return string
local function shortened(summary, room)
  while summary ~= '' and length(summary) > room do
    summary = summary:match('^(.*) · ') or ''
  end
  return summary
end

---@param cells string[]
---@param columns gprof.LineColumn[]
---@param index integer
---@return string? padded to its column
local function padded(cells, columns, index)
  local width = columns[index] and columns[index].width or 0
  return cells[index] and (' '):rep(width - length(cells[index])) .. cells[index]
end

--- The cells that fit, by their columns. Where not all do, blank ones make room.
---@param cells string[]
---@param columns gprof.LineColumn[]
---@param room integer
---@return { column: gprof.LineColumn?, text: string }[]
local function fitting(cells, columns, room)
  local total = #cells - 1
  for index in ipairs(cells) do
    total = total + length(padded(cells, columns, index))
  end
  local found, left = {}, room
  for index, cell in ipairs(cells) do
    local text = padded(cells, columns, index)
    if total <= room or cell ~= '' then
      left = left - length(text) - (#found > 0 and 1 or 0)
      if left < 0 then
        break
      end
      table.insert(found, { column = columns[index], text = text })
    end
  end
  return found
end

--- The share of a line in two cells, for the sign column: what is shown where no figure fits behind the line. Nil where
--- there is none, and where it is less than 1 % or all.
---@param line gprof.LineData?
---@param columns gprof.LineColumn[]
---@return string?
function M.share_for_sign(line, columns)
  for index, column in ipairs(columns) do
    local cell = column.name == 'share' and line and (line.cells or {})[index] or ''
    local percent = tonumber(cell:match('[%d.]+') or '')
    if percent and percent >= 1 and percent < 99.5 then
      return ('%2.0f'):format(percent)
    end
  end
end

--- Texts with their highlight groups, from left to right; empty if there is nothing to show. What does not fit is left
--- out from the right.
---@param line gprof.LineData?
---@param columns gprof.LineColumn[] of its cells: each ends where its column does, unless it is wider
---@param summary string? of the function that begins on the line
---@param room integer? how many characters fit
---@return string[][]
function M.chunks(line, columns, summary, room)
  local chunks = {}
  local left = room or math.huge
  local function add(text, group)
    local last = chunks[#chunks]
    if last and last[2] == group then
      last[1] = last[1] .. text
    elseif text ~= '' then
      table.insert(chunks, { text, group })
    end
  end
  for index, cell in ipairs(fitting(line and line.cells or {}, columns, left)) do
    local group = group_of(line)
    local blanks, text = cell.text:match('^( *)(.*)$')
    add((index > 1 and ' ' or '') .. blanks, group)
    add(text, group_of_cell(line, cell.column) or group)
    left = left - length(cell.text) - (index > 1 and 1 or 0)
  end
  local gap = #chunks > 0 and '  ' or ''
  local parts = shortened(summary or '', left - #gap)
  if parts ~= '' then
    add(gap, '')
    add(parts, 'GprofFunction')
  end
  return chunks
end

return M
