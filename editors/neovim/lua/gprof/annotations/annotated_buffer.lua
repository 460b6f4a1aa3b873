--- The annotations of one buffer. Requests the visible lines and a screen around them once scrolling stops; between
--- answers marks move with the text by themselves, and edited lines lose their figures at once.

local compat = require('gprof.compat')
local config = require('gprof.config')
local drawing = require('gprof.annotations.drawing')
local line_ranges = require('gprof.annotations.line_ranges')
local requests = require('gprof.server.requests')

local M = {}

local scroll_delay, edit_delay, lens_delay = 40, 150, 100
-- A key that is held repeats its mapping; the first time, after half a second.
local held_delay = 700
-- Requests in a row without an answer; the next event retries them.
local most_failures = 5

---@class gprof.AnnotatedBuffer
---@field buffer integer
---@field client gprof.Client
---@field private drawing gprof.Drawing
---@field private known gprof.LineRange[] lines that were answered
---@field private is_old boolean what is drawn is from another profile
---@field private delay { close: fun() }?
---@field private lens_delay { close: fun() }?
---@field private held { close: fun() }? while figures are shown for a moment
---@field private cancel_lines fun()?
---@field private touched gprof.LineRange?
---@field private drawn_room integer? what windows had room for when it was drawn
---@field private failures integer requests in a row without an answer
---@field private edited_at integer? the buffer's tick at the last edit to be sent to the server
---@field private are_lenses_drawn boolean? by Neovim itself
---@field source string? how the text relates to what was compiled
local AnnotatedBuffer = {}
AnnotatedBuffer.__index = AnnotatedBuffer

---@param buffer integer
---@param client gprof.Client
---@return gprof.AnnotatedBuffer
function M.new(buffer, client)
  local self = setmetatable({
    buffer = buffer,
    client = client,
    drawing = drawing.new(buffer),
    known = {},
    is_old = true,
    failures = 0,
  }, AnnotatedBuffer)
  self:profile_changed()
  return self
end

---@param milliseconds integer
function AnnotatedBuffer:ask_after(milliseconds)
  if self.delay then
    self.delay.close()
  end
  self.delay = compat.after(milliseconds, function()
    self.delay = nil
    if vim.api.nvim_buf_is_loaded(self.buffer) then
      self:ask_for_lines()
    end
  end)
end

--- Lines that a window shows; a closed fold counts as one.
---@param window integer
---@return gprof.LineRange[]
local function lines_in(window)
  return vim.api.nvim_win_call(window, function()
    local ranges, line, last = {}, vim.fn.line('w0'), vim.fn.line('w$')
    while line <= last do
      local fold_end = vim.fn.foldclosedend(line)
      local before = ranges[#ranges]
      if before and before.last == line - 2 then
        before.last = line - 1
      else
        table.insert(ranges, { first = line - 1, last = line - 1 })
      end
      line = (fold_end > 0 and fold_end or line) + 1
    end
    return ranges
  end)
end

---@return gprof.LineRange[]
function AnnotatedBuffer:visible()
  local ranges = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == self.buffer then
      vim.list_extend(ranges, lines_in(window))
    end
  end
  return ranges
end

--- The profile or the way it is displayed has changed. What is shown stays until the answer arrives.
function AnnotatedBuffer:profile_changed()
  self.is_old, self.failures = true, 0
  self.known = {}
  self:ask_after(0)
end

--- Another process serves the buffer from now on.
---@param client gprof.Client
function AnnotatedBuffer:serve_by(client)
  self.client, self.cancel_lines, self.edited_at = client, nil, nil
  self:profile_changed()
end

--- Lenses were requested. Whether Neovim draws them from now on shows after it has done so.
function AnnotatedBuffer:lenses_answered()
  if self.lens_delay then
    self.lens_delay.close()
  end
  self.lens_delay = compat.after(lens_delay, function()
    if vim.api.nvim_buf_is_loaded(self.buffer) and self.are_lenses_drawn ~= self:draws_lenses() then
      self:ask_after(0)
    end
  end)
end

--- Hints of another server now stand within lines, or no longer do. Neovim draws them before this asks.
function AnnotatedBuffer:widths_changed()
  self.known = {}
  self:ask_after(lens_delay)
end

---@return boolean
function AnnotatedBuffer:draws_lenses()
  return compat.draws_lenses(self.client, self.buffer)
end

--- Cells for text in the narrowest window that shows the buffer.
---@return integer
function AnnotatedBuffer:room()
  local room = math.huge
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == self.buffer then
      local information = vim.fn.getwininfo(window)[1]
      room = math.min(room, information.width - information.textoff)
    end
  end
  return room
end

function AnnotatedBuffer:scrolled()
  local visible = self:visible()
  local is_resized = self.drawn_room and self.drawn_room ~= self:room()
  -- No event says that lenses were switched on or off.
  local are_lenses_known = compat.has_lens_state and self.are_lenses_drawn ~= nil
  local are_lenses_switched = are_lenses_known and self.are_lenses_drawn ~= self:draws_lenses()
  if #visible > 0 and (is_resized or are_lenses_switched) then
    self.known = {}
  end
  if #visible == 0 or line_ranges.are_covered(visible, self.known, vim.api.nvim_buf_line_count(self.buffer)) then
    return
  end
  self:ask_after(scroll_delay)
end

--- Lines [`first`, `last`) became [`first`, `new_last`).
---@param first integer
---@param last integer
---@param new_last integer
---@param tick integer? of the text then; nil if the server gets the whole text again
function AnnotatedBuffer:edited(first, last, new_last, tick)
  self.edited_at = tick
  if self.cancel_lines then
    self.cancel_lines()
  end
  self.touched = line_ranges.touched(self.touched, first, last, new_last)
  self.known = {}
  -- The edit is processed before the screen is drawn (`verify`), or soon after.
  vim.schedule(function()
    self:verify()
  end)
  self:ask_after(edit_delay)
end

--- Removes figures from edited lines.
function AnnotatedBuffer:verify()
  if self.touched and vim.api.nvim_buf_is_loaded(self.buffer) then
    local touched = self.touched
    self.touched = nil
    self.drawing:verify(touched)
  end
end

--- Which lines have their figures now.
---@return fun(line: integer): boolean
function AnnotatedBuffer:shown_lines()
  local settings = config.get().annotations
  local is_inserting = vim.api.nvim_get_mode().mode:find('^[iR]') ~= nil
  if is_inserting and not settings.inserting and vim.api.nvim_get_current_buf() == self.buffer then
    return function()
      return false
    end
  elseif settings.lines == 'all' or self.held then
    return function()
      return true
    end
  end
  local cursors = {}
  for _, window in ipairs(settings.lines == 'cursor' and vim.api.nvim_tabpage_list_wins(0) or {}) do
    if vim.api.nvim_win_get_buf(window) == self.buffer then
      cursors[vim.api.nvim_win_get_cursor(window)[1] - 1] = true
    end
  end
  return function(line)
    return cursors[line] == true
  end
end

--- The cursor has moved, or the mode has changed.
function AnnotatedBuffer:reveal()
  local settings = config.get().annotations
  if vim.api.nvim_buf_is_loaded(self.buffer) and (settings.lines ~= 'all' or not settings.inserting) then
    self.drawing:reveal(self:shown_lines())
  end
end

--- Shows all figures until this is no longer repeated.
function AnnotatedBuffer:peek()
  if self.held then
    self.held.close()
  end
  self.held = compat.after(held_delay, function()
    self.held = nil
    self:reveal()
  end)
  self:reveal()
end

---@param range gprof.LineRange
---@return table params of gprof/lineData
function AnnotatedBuffer:line_params(range)
  local annotations = config.get().annotations
  self.are_lenses_drawn = self:draws_lenses()
  return {
    textDocument = { uri = vim.uri_from_bufnr(self.buffer) },
    range = { start = { line = range.first, character = 0 }, ['end'] = { line = range.last, character = 0 } },
    errors = annotations.errors,
    functions = annotations.functions and not self.are_lenses_drawn,
  }
end

--- Whether the server is notified of edits. One that has just ended will be replaced.
---@return boolean
function AnnotatedBuffer:is_followed()
  return compat.is_stopped(self.client) or vim.lsp.buf_is_attached(self.buffer, self.client.id)
end

function AnnotatedBuffer:ask_for_lines()
  if self.cancel_lines then
    self.cancel_lines()
    self.cancel_lines = nil
  end
  if not self:is_followed() then
    self.known = {}
    self.drawing:erase()
    return
  end
  local ranges = line_ranges.around(self:visible(), vim.api.nvim_buf_line_count(self.buffer))
  local answers, missing, cancels = {}, #ranges, {}
  local tick = vim.api.nvim_buf_get_changedtick(self.buffer)
  for index, range in ipairs(ranges) do
    cancels[index] = requests.ask(self.client, 'gprof/lineData', self:line_params(range), function(result)
      answers[index], missing = result, missing - 1
      -- An edit made meanwhile requests them again.
      if missing == 0 and tick == vim.api.nvim_buf_get_changedtick(self.buffer) then
        self:take_answers(ranges, answers)
      end
    end, self.buffer)
  end
  self.cancel_lines = function()
    for _, cancel in ipairs(cancels) do
      cancel()
    end
  end
end

--- Figures of lines, unless the server does not know of the last edit: Neovim 0.7 reports no more edits if a server
--- ended, the text was edited, and another server started. That one is sent the text again.
---@param ranges gprof.LineRange[]
---@param answers gprof.LineDataResult[]
function AnnotatedBuffer:take_answers(ranges, answers)
  if vim.tbl_count(answers) < #ranges then
    -- The profile has changed meanwhile, or the server is about to end.
    self.failures = self.failures + 1
    if self.failures <= most_failures then
      self:ask_after(edit_delay * self.failures)
    end
    return
  end
  self.failures = 0
  for _, answer in ipairs(answers) do
    local version = type(answer.version) == 'number' and answer.version or nil
    if version and self.edited_at and version < self.edited_at then
      self.edited_at = nil
      compat.attach_anew(self.client, self.buffer)
      self:ask_after(edit_delay)
      return
    end
  end
  self:take_lines(ranges, answers)
end

---@param ranges gprof.LineRange[]
---@param answers gprof.LineDataResult[]
function AnnotatedBuffer:take_lines(ranges, answers)
  local annotations, columns = {}, {}
  for _, answer in ipairs(answers) do
    self.source, self.basis, self.program = answer.source, answer.basis, answer.program
    columns = answer.columns or {}
    for _, line in ipairs(answer.lines) do
      annotations[line.line] = { data = line }
    end
    for _, summary in ipairs(answer.functions or {}) do
      annotations[summary.line] = annotations[summary.line] or {}
      annotations[summary.line].summary = summary.text
    end
  end
  local settings = config.get().annotations
  self.known, self.drawn_room = ranges, self:room()
  self.drawing:draw(annotations, ranges, self.is_old, {
    columns = columns,
    most_column = settings.column,
    room = self.drawn_room,
    sign_text = settings.signs and settings.sign_text or nil,
    is_shown = self:shown_lines(),
  })
  self.is_old = false
end

--- Removes everything and stops sending requests.
function AnnotatedBuffer:close()
  if self.cancel_lines then
    self.cancel_lines()
  end
  for _, delay in pairs({ self.delay, self.lens_delay, self.held }) do
    delay.close()
  end
  if vim.api.nvim_buf_is_valid(self.buffer) then
    self.drawing:erase()
  end
end

return M
