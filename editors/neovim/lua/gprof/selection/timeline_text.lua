--- The lines of the time line, what is marked in them, and what their cells stand for. Pure.

local activities = require('gprof.selection.activities')
local numbers = require('gprof.numbers')
local sparkline = require('gprof.selection.sparkline')

local M = {}

--- Cells for the total behind a row.
M.total_width = 10

local widest_label = 28
-- Heat lies upon what marks the selection, so that both are seen.
local priority_of_selected, priority_of_heat = 90, 100
local keys = 'v, a motion and <CR>: stretch · <CR> on a name: %s · x: all · q: close'

---@class gprof.TimelineMark
---@field first integer byte, from 0
---@field last integer not included
---@field group string
---@field priority integer

---@class gprof.TimelineLine
---@field text string
---@field marks gprof.TimelineMark[]
---@field row gprof.TimelineRow?
---@field label string? what stands before the cells

---@class gprof.TimelineFacts
---@field told gprof.MetricsResult
---@field result gprof.TimelineResult
---@field kind 'threads'|'processes'
---@field label_width integer
---@field selection gprof.Selection?
---@field selection_text string? as the server says it
---@field is_narrow boolean blocks would be too wide
---@field display_width fun(text: string): integer

---@class gprof.TimelinePage
---@field lines gprof.TimelineLine[]
---@field width integer cells of a row
---@field place_line integer behind which the place of the cursor is told
---@field first_row_line integer?
---@field private facts gprof.TimelineFacts
---@field private columns integer that the server has answered for each row
local Page = {}
Page.__index = Page

---@param told gprof.MetricsResult
---@return string?
function M.problem_of(told)
  if told.program == '' then
    return 'no profile is shown. `:GprofRun` makes one, `:Gprof load` loads one.'
  elseif told.sliceWidth <= 0 or told.length <= 0 then
    return 'this profile does not tell when its samples were taken, so it has no time line. `:GprofRun` makes one that '
      .. 'does.'
  end
end

---@param row { process: integer, thread?: integer, name: string }
---@param has_several boolean processes
---@return string
local function label_of(row, has_several)
  local name = row.name:gsub('%c', '?')
  local number = tostring(row.thread or row.process)
  if name == '' then
    name, number = (row.thread and 'thread ' or 'process ') .. number, ''
  end
  if row.thread and has_several then
    number = ('%s of %d'):format(number, row.process):gsub('^ ', '')
  end
  return number == '' and name or ('%s (%s)'):format(name, number)
end

---@param told gprof.MetricsResult
---@return boolean
local function has_several_processes(told)
  return #told.processes > 1
end

--- Cells that labels take.
---@param told gprof.MetricsResult
---@param kind 'threads'|'processes'
---@param display_width fun(text: string): integer
---@return integer
function M.label_width(told, kind, display_width)
  local width = 8
  for _, row in ipairs(kind == 'processes' and told.processes or told.threads) do
    local label = label_of(row, has_several_processes(told))
    width = math.max(width, display_width(label))
  end
  return math.min(width, widest_label)
end

--- Exactly so many cells: what is too long ends with "…".
---@param text string
---@param width integer
---@param display_width fun(text: string): integer
---@return string
local function fitted(text, width, display_width)
  local cells = display_width(text)
  if cells > width then
    while display_width(text) > width - 1 do
      text = text:gsub('[^\128-\191][\128-\191]*$', '')
    end
    text = text .. '…'
    cells = display_width(text)
  end
  return text .. (' '):rep(width - cells)
end

---@generic T
---@param list T[]?
---@param element T
---@return boolean
local function has(list, element)
  for _, one in ipairs(list or {}) do
    if one == element then
      return true
    end
  end
  return false
end

---@param selection gprof.Selection
---@return boolean
local function is_of_rows(selection)
  return selection.threads ~= nil or selection.processes ~= nil
end

---@param selection gprof.Selection
---@param row gprof.TimelineRow
---@return boolean
local function is_selected(selection, row)
  if selection.processes and not has(selection.processes, row.process) then
    return false
  end
  return not selection.threads or has(selection.threads, row.thread) or has(selection.threads, row.name)
end

---@param facts gprof.TimelineFacts
---@return gprof.Stretch
local function whole_of(facts)
  return { from = facts.result.from, to = facts.result.to }
end

---@param facts gprof.TimelineFacts
---@param row gprof.TimelineRow
---@param cells string[]
---@param start integer byte that the cells begin at
---@param marks gprof.TimelineMark[]
local function mark_selected(facts, row, cells, start, marks)
  local selection = facts.selection
  if not selection or not is_selected(selection, row) then
    return
  end
  local function mark(first, last)
    table.insert(marks, { first = first, last = last, group = 'GprofSelected', priority = priority_of_selected })
  end
  if is_of_rows(selection) then
    mark(0, start - 1)
  end
  if selection.from or selection.to then
    local first, last = sparkline.cells_of(whole_of(facts), #cells, selection.from, selection.to)
    if first then
      local before = #table.concat(cells, '', 1, first - 1)
      mark(start + before, start + before + #table.concat(cells, '', first, last))
    end
  end
end

-- What each cell shows, and its group: by what the row did, where that is known, else by heat.
---@param row { values: number[], total: number, activities: table? }
---@param width integer
---@param most number
---@param is_narrow boolean
---@return { text: string, group: string? }[]
local function drawn_cells(row, width, most, is_narrow)
  local done, is_folded = activities.cells_of(row, width), activities.is_folded(row)
  local cells = {}
  for index, value in ipairs(sparkline.spread(row.values, width)) do
    local cell = {}
    if done then
      cell.text, cell.group = activities.cell(done, index, value, most, is_folded, is_narrow)
    else
      local hot = sparkline.cell(value, most, is_narrow)
      cell.text, cell.group = hot.text, hot.heat > 0 and 'GprofHeat' .. hot.heat or nil
    end
    cells[index] = cell
  end
  return cells
end

---@param facts gprof.TimelineFacts
---@param row gprof.TimelineRow
---@param width integer
---@param most number
---@return gprof.TimelineLine
local function row_line(facts, row, width, most)
  local label = fitted(label_of(row, has_several_processes(facts.told)), facts.label_width, facts.display_width) .. ' '
  local cells, marks, at = {}, {}, #label
  for index, cell in ipairs(drawn_cells(row, width, most, facts.is_narrow)) do
    cells[index] = cell.text
    local before = marks[#marks]
    if before and before.last == at and before.group == cell.group then
      before.last = at + #cell.text
    elseif cell.group then
      table.insert(marks, { first = at, last = at + #cell.text, group = cell.group, priority = priority_of_heat })
    end
    at = at + #cell.text
  end
  mark_selected(facts, row, cells, #label, marks)
  local total = numbers.figure(row.total, nil, facts.result.unit, facts.result.unit ~= 'seconds')
  return {
    text = label .. table.concat(cells) .. '  ' .. total,
    marks = marks,
    row = row,
    label = label,
  }
end

---@param text string
---@param group string?
---@return gprof.TimelineLine
local function plain_line(text, group)
  local whole = group and #text > 0
  return {
    text = text,
    marks = whole and { { first = 0, last = #text, group = group, priority = priority_of_heat } } or {},
  }
end

-- "█ running █ lock", each block in its colour; nil where rows do not tell what they did.
---@param facts gprof.TimelineFacts
---@return gprof.TimelineLine?
local function legend_of(facts)
  local block = sparkline.cell(1, 1, facts.is_narrow).text
  local text, marks = '', {}
  for _, entry in ipairs(activities.legend(facts.result.rows)) do
    local start = #text
    text = ('%s%s %s  '):format(text, block, entry[1])
    table.insert(marks, { first = start, last = start + #block, group = entry[2], priority = priority_of_heat })
  end
  return #marks > 0 and { text = (text:gsub(' +$', '')), marks = marks } or nil
end

---@param facts gprof.TimelineFacts
---@return string
local function title_of(facts)
  local result = facts.result
  local label = result.metric
  for _, metric in ipairs(facts.told.metrics) do
    if metric.name == result.metric then
      label = metric.label
    end
  end
  local whole = whole_of(facts)
  local step = (whole.to - whole.from) / 10
  local program = (result.program:match('[^/]+$') or result.program):gsub('%c', '?')
  return ('%s · %s, in %s · %s to %s'):format(
    program,
    label,
    result.unit,
    sparkline.time(whole.from, step),
    sparkline.time(whole.to, step)
  )
end

---@param selection gprof.Selection?
---@param text string? the server's
---@return string
local function selected_text(selection, text)
  if not selection then
    return 'Selected: all'
  end
  return 'Selected: ' .. ((text and text ~= '') and text:gsub('%c', '?') or 'a part')
end

-- What rows and cells do not show.
---@param facts gprof.TimelineFacts
---@return string[]
local function remarks_of(facts)
  local remarks, result = {}, facts.result
  if #result.rows == 0 then
    table.insert(remarks, 'Nothing was sampled.')
  end
  if result.omittedRows and result.omittedRows > 0 then
    table.insert(remarks, ('and %s more %s'):format(numbers.exact_count(result.omittedRows), facts.kind))
  end
  if result.untimed and result.untimed > 0 then
    local text = '%s of which it is not known when'
    table.insert(remarks, text:format(numbers.figure(result.untimed, nil, result.unit)))
  end
  return remarks
end

--- `width` cells a row.
---@param facts gprof.TimelineFacts
---@param width integer
---@return gprof.TimelinePage
function M.page(facts, width)
  local row_word = facts.kind == 'threads' and 'thread' or 'process'
  local lines = {
    plain_line(title_of(facts), 'Title'),
    plain_line(keys:format(row_word), 'Comment'),
  }
  table.insert(lines, legend_of(facts))
  table.insert(lines, plain_line(selected_text(facts.selection, facts.selection_text)))
  local page = { lines = lines, width = width, place_line = #lines, facts = facts }
  local axis = sparkline.axis(whole_of(facts), width, facts.is_narrow and '|' or '╷')
  table.insert(lines, plain_line((' '):rep(facts.label_width + 1) .. axis, 'Comment'))
  local rows = facts.result.rows
  page.columns = rows[1] and math.max(#rows[1].values, 1) or width
  page.first_row_line = #rows > 0 and #lines + 1 or nil
  local most = sparkline.most(rows, width)
  for _, row in ipairs(rows) do
    table.insert(lines, row_line(facts, row, width, most))
  end
  for _, remark in ipairs(remarks_of(facts)) do
    table.insert(lines, plain_line(remark, 'Comment'))
  end
  return setmetatable(page, Page)
end

---@param number integer of a line, from 1
---@param byte integer from 1
---@return gprof.TimelineLine
---@return integer cell from 1; 0 on what stands before them
function Page:at(number, byte)
  local line = self.lines[math.max(1, math.min(number, #self.lines))]
  -- The axis has its cells at the same place.
  local start = line.label and #line.label or self.facts.label_width + 1
  local _, continued = line.text:sub(start + 1, byte):gsub('[\128-\191]', '')
  return line, math.max(math.min(byte, #line.text) - start - continued, 0)
end

-- The server's columns that cells show a part of, or all.
---@param cell integer
---@return integer
function Page:column_of(cell)
  return self.columns >= self.width and cell or math.floor((cell - 1) * self.columns / self.width) + 1
end

--- The time of these cells; nil where none of them is one.
---@param first integer
---@param last integer
---@return gprof.Stretch?
function Page:stretch(first, last)
  first, last = math.max(first, 1), math.min(last, self.width)
  if first > last then
    return nil
  end
  local columns = math.min(self.columns, self.width)
  return sparkline.stretch(whole_of(self.facts), columns, self:column_of(first), self:column_of(last))
end

---@param first integer
---@param last integer
---@return string?
function Page:stretch_text(first, last)
  local stretch = self:stretch(first, last)
  if not stretch then
    return nil
  end
  local step = (self.facts.result.to - self.facts.result.from) / math.min(self.columns, self.width)
  return ('%s to %s'):format(sparkline.time(stretch.from, step), sparkline.time(stretch.to, step))
end

---@param row gprof.TimelineRow
---@param cell integer
---@return string
function Page:cell_text(row, cell)
  local columns = self.columns >= self.width and self.width or #row.values
  local function figure(value)
    return numbers.figure(value, nil, self.facts.result.unit)
  end
  local index = self:column_of(cell)
  local value = sparkline.spread(row.values, columns)[index] or 0
  local text = ('%s: %s'):format(self:stretch_text(cell, cell), figure(value))
  local done = activities.cells_of(row, columns)
  local what = done and activities.text(done, index, figure) or ''
  return what == '' and text or ('%s (%s)'):format(text, what)
end

--- Whether it is all of the run.
---@param stretch gprof.Stretch
---@return boolean
function Page:is_whole(stretch)
  return stretch.from <= self.facts.result.from and stretch.to >= self.facts.result.to
end

--- What selects these rows.
---@param rows gprof.TimelineRow[]
---@return { threads: integer[]?, processes: integer[]? }
function Page:selection_of(rows)
  local chosen = {}
  local function add(member, value)
    chosen[member] = chosen[member] or {}
    if not has(chosen[member], value) then
      table.insert(chosen[member], value)
    end
  end
  for _, row in ipairs(rows) do
    if row.thread then
      add('threads', row.thread)
    end
    if not row.thread or has_several_processes(self.facts.told) then
      add('processes', row.process)
    end
  end
  return chosen
end

---@param rows gprof.TimelineRow[]
---@return { values: number[], total: number, activities: table? } a row that is all of them
local function together(rows)
  local total = 0
  for _, row in ipairs(rows) do
    total = total + row.total
  end
  return { values = sparkline.sum(rows), total = total, activities = activities.sum(rows) }
end

--- The run in one line, all rows together.
---@param facts gprof.TimelineFacts
---@param room integer cells of the line
---@return string[][] texts and their highlight groups
function M.echo_chunks(facts, room)
  local result = facts.result
  local program = (result.program:match('[^/]+$') or result.program):gsub('%c', '?')
  local whole = whole_of(facts)
  local step = (whole.to - whole.from) / 10
  local before = ('%s %s %s '):format(program, result.metric, sparkline.time(whole.from, step))
  local after = ' ' .. sparkline.time(whole.to, step)
  local width = math.max(room - facts.display_width(before .. after), 10)
  local all = together(result.rows)
  local most = sparkline.most({ all }, width)
  local first, last
  if facts.selection and (facts.selection.from or facts.selection.to) then
    first, last = sparkline.cells_of(whole, width, facts.selection.from, facts.selection.to)
  end
  local chunks = { { before } }
  for index, cell in ipairs(drawn_cells(all, width, most, facts.is_narrow)) do
    local is_selected_cell = first and index >= first and index <= last
    local group = is_selected_cell and 'GprofSelected' or cell.group or 'GprofCold'
    local previous = chunks[#chunks]
    if previous[2] == group then
      previous[1] = previous[1] .. cell.text
    else
      table.insert(chunks, { cell.text, group })
    end
  end
  table.insert(chunks, { after })
  return chunks
end

return M
