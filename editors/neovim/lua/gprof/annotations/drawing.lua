--- Figures at the ends of lines and marks in the sign column, as extmarks, one per line. They move with the text. Each
--- remembers the text of its line, and is removed if that has changed.

local alignment = require('gprof.annotations.alignment')
local compat = require('gprof.compat')
local line_ranges = require('gprof.annotations.line_ranges')
local line_text = require('gprof.annotations.line_text')

local M = {}

local namespace = vim.api.nvim_create_namespace('gprof')
local priority = 90

---@class gprof.DrawnLine
---@field text string of the line
---@field signature string of what is drawn where figures are shown
---@field margin integer
---@field chunks string[][] with figures
---@field hidden string[][] without
---@field sign string? highlight group
---@field sign_text string?
---@field share string? in place of it, where no figure fits
---@field is_shown boolean whether figures are

---@class gprof.Drawing the extmarks of one buffer
---@field private buffer integer
---@field private drawn table<integer, gprof.DrawnLine> by extmark
---@field private column integer? where figures begin
local Drawing = {}
Drawing.__index = Drawing

---@param buffer integer
---@return gprof.Drawing
function M.new(buffer)
  return setmetatable({ buffer = buffer, drawn = {} }, Drawing)
end

---@param buffer integer
---@param line integer from 0
---@return string? nil if there is no such line
local function text_of(buffer, line)
  return vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]
end

-- Chosen once per text, so that it does not move during edits.
---@param most integer
---@return integer
function Drawing:figures_column(most)
  if not self.column then
    local widths, count = {}, vim.api.nvim_buf_line_count(self.buffer)
    local stride = math.max(1, math.floor(count / 2000))
    vim.api.nvim_buf_call(self.buffer, function()
      for line = 0, count - 1, stride do
        local width = vim.fn.strdisplaywidth(text_of(self.buffer, line) or '')
        if width > 0 then
          table.insert(widths, width)
        end
      end
    end)
    self.column = alignment.column(widths, most)
  end
  return self.column
end

---@param line integer
---@return table extmark: id, row, column
function Drawing:mark_on(line)
  return vim.api.nvim_buf_get_extmarks(self.buffer, namespace, { line, 0 }, { line, -1 }, {})[1]
end

---@param mark integer
function Drawing:erase_mark(mark)
  self.drawn[mark] = nil
  vim.api.nvim_buf_del_extmark(self.buffer, namespace, mark)
end

---@class gprof.DrawOptions
---@field columns gprof.LineColumn[] of the lines' cells
---@field most_column integer
---@field room integer cells that the narrowest window has for text
---@field sign_text string? none without signs
---@field is_shown fun(line: integer): boolean whether a line has its figures

---@class gprof.Annotation
---@field data gprof.LineData?
---@field summary string? of the function that begins there

---@param margin integer
---@param chunks string[][]
---@param sign string? highlight group
---@return string
local function signature_of(margin, chunks, sign)
  local parts = { sign or '', tostring(margin) }
  for _, chunk in ipairs(chunks) do
    table.insert(parts, chunk[1] .. '\1' .. chunk[2])
  end
  return table.concat(parts, '\2')
end

-- With what others have put into the line, such as hints of types.
---@param line integer from 0
---@param text string
---@return integer
function Drawing:width_of(line, text)
  local width = vim.api.nvim_buf_call(self.buffer, function()
    return vim.fn.strdisplaywidth(text)
  end)
  return width + compat.inline_width(self.buffer, line)
end

---@param line integer from 0
---@param annotation gprof.Annotation
---@param options gprof.DrawOptions
function Drawing:draw_line(line, annotation, options)
  local text = text_of(self.buffer, line)
  local width = text and self:width_of(line, text) or 0
  local column = alignment.column_within(self:figures_column(options.most_column), options.columns, options.room)
  local margin = alignment.margin(width, column)
  local room = options.room - width - margin
  local chunks = line_text.chunks(annotation.data, options.columns, annotation.summary, room)
  local level = annotation.data and annotation.data.level or 0
  local sign = options.sign_text and level > 0 and 'GprofSign' .. level or nil
  local before = self:mark_on(line)
  local share = #chunks == 0 and options.sign_text and line_text.share_for_sign(annotation.data, options.columns) or nil
  if share then
    sign = sign or 'GprofSign1'
  end
  if not text or (#chunks == 0 and not sign) then
    if before then
      self:erase_mark(before[1])
    end
    return
  end
  local drawn = {
    text = text,
    signature = signature_of(margin, chunks, sign) .. (share or ''),
    margin = margin,
    chunks = chunks,
    hidden = line_text.chunks(nil, options.columns, annotation.summary, room),
    sign = sign,
    sign_text = options.sign_text,
    share = share,
    is_shown = options.is_shown(line),
  }
  local known = before and self.drawn[before[1]]
  local is_same = known and known.signature == drawn.signature and known.is_shown == drawn.is_shown
  if is_same and known.text == text and before[3] == 0 then
    return
  end
  self:set_mark(line, before and before[1], drawn)
  self.drawn[self:mark_on(line)[1]] = drawn
end

---@param line integer
---@param mark integer? the extmark that it has
---@param drawn gprof.DrawnLine
function Drawing:set_mark(line, mark, drawn)
  local chunks = drawn.is_shown and drawn.chunks or drawn.hidden
  -- Neovim itself leaves one cell after the line.
  local virtual_text = { { (' '):rep(drawn.margin - 1), '' } }
  vim.list_extend(virtual_text, chunks)
  vim.api.nvim_buf_set_extmark(self.buffer, namespace, line, 0, {
    id = mark,
    virt_text = #chunks > 0 and virtual_text or nil,
    virt_text_pos = 'eol',
    hl_mode = 'combine',
    sign_text = drawn.sign and (drawn.is_shown and drawn.share or drawn.sign_text) or nil,
    sign_hl_group = drawn.sign,
    priority = priority,
  })
end

--- Shows and hides figures that are drawn already.
---@param is_shown fun(line: integer): boolean
function Drawing:reveal(is_shown)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(self.buffer, namespace, 0, -1, {})) do
    local drawn = self.drawn[mark[1]]
    if drawn and drawn.is_shown ~= is_shown(mark[2]) then
      drawn.is_shown = not drawn.is_shown
      self:set_mark(mark[2], mark[1], drawn)
    end
  end
end

--- Draws the annotations of the ranges, by lines from 0, and removes everything else in them. If `is_all`, what is
--- outside them is outdated and removed as well.
---@param annotations table<integer, gprof.Annotation>
---@param ranges gprof.LineRange[]
---@param is_all boolean
---@param options gprof.DrawOptions
function Drawing:draw(annotations, ranges, is_all, options)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(self.buffer, namespace, 0, -1, {})) do
    local is_wanted = annotations[mark[2]] ~= nil
    if not is_wanted and (is_all or line_ranges.contain(ranges, mark[2])) then
      self:erase_mark(mark[1])
    end
  end
  for line, annotation in pairs(annotations) do
    self:draw_line(line, annotation, options)
  end
end

--- Call after an edit of these lines: marks stay only on lines with the text that they were made for, one per line.
---@param touched gprof.LineRange
function Drawing:verify(touched)
  -- Marks of lines deleted at the end are now after the last line.
  local last = vim.api.nvim_buf_line_count(self.buffer) - 1
  local to = touched.last < last and { touched.last, -1 } or -1
  local marks = vim.api.nvim_buf_get_extmarks(self.buffer, namespace, { math.min(touched.first, last), 0 }, to, {})
  local taken = {}
  -- Marks of deleted lines are now before the next line's own, which is the last one there.
  for index = #marks, 1, -1 do
    local mark, line = marks[index][1], marks[index][2]
    local known = self.drawn[mark]
    if taken[line] or not known or text_of(self.buffer, line) ~= known.text then
      self:erase_mark(mark)
    else
      taken[line] = true
    end
  end
end

function Drawing:erase()
  self.drawn = {}
  vim.api.nvim_buf_clear_namespace(self.buffer, namespace, 0, -1)
end

return M
