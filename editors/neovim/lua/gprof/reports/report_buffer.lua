--- Report buffers: filled by the server, again after each load, with names linked to the code.

local address = require('gprof.reports.address')
local client_of = require('gprof.server.client')
local columns = require('gprof.navigation.columns')
local requests = require('gprof.server.requests')

local M = {}

local namespace = vim.api.nvim_create_namespace('gprof.report')

---@class gprof.LinkInLine
---@field first integer byte column, from 0
---@field last integer exclusive
---@field target string

---@type table<integer, table<integer, gprof.LinkInLine[]>> by buffer and line from 0
local links_of = {}

---@param buffer integer
local function set_options(buffer)
  local options = vim.bo[buffer]
  options.buftype, options.swapfile, options.bufhidden = 'nofile', false, 'hide'
  options.modeline, options.undolevels, options.filetype = false, -1, 'gprofreport'
end

---@param buffer integer
---@param lines string[]
local function set_lines(buffer, lines)
  -- Keep the folds and marks of an unchanged text.
  if vim.deep_equal(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) then
    return
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

---@param buffer integer
---@param links table[] of gprof/report
---@param encoding string
local function set_links(buffer, links, encoding)
  local by_line = {}
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, link in ipairs(links) do
    local row = link.range.start.line
    local text = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
    local first = columns.byte_of(text, link.range.start.character, encoding)
    local last = columns.byte_of(text, link.range['end'].character, encoding)
    by_line[row] = by_line[row] or {}
    table.insert(by_line[row], { first = first, last = last, target = link.target })
    vim.api.nvim_buf_set_extmark(buffer, namespace, row, first, { end_col = last, hl_group = 'GprofLink' })
  end
  links_of[buffer] = by_line
end

--- Keeps the views of windows while their text is replaced.
---@param buffer integer
---@param work fun()
local function keeping_views(buffer, work)
  local views = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    views[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  work()
  for window, view in pairs(views) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end
end

---@param buffer integer
---@param result table? of gprof/report
---@param error table?
---@param encoding string
local function fill(buffer, result, error, encoding)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  keeping_views(buffer, function()
    if not result then
      set_lines(buffer, { 'There is no report: ' .. (error and error.message or 'no profile is loaded.') })
      set_links(buffer, {}, encoding)
      return
    end
    set_lines(buffer, vim.split((result.text:gsub('\n$', '')), '\n', { plain = true }))
    set_links(buffer, result.links, encoding)
  end)
end

--- Requests the text, and calls `ready` when it has arrived.
---@param buffer integer
---@param ready fun()?
function M.read(buffer, ready)
  set_options(buffer)
  local report, client =
    address.parse(vim.api.nvim_buf_get_name(buffer)), client_of.with_id_or_any(vim.b[buffer].gprof_client)
  vim.b[buffer].gprof_is_old = false
  if not report or not client then
    set_lines(buffer, { 'There is no report: no server runs. Open a source file of the program, then :edit.' })
    return
  end
  vim.b[buffer].gprof_client = client.id
  requests.ask(client, 'gprof/report', report, function(result, error)
    fill(buffer, result, error, client.offset_encoding)
    if ready and vim.api.nvim_buf_is_loaded(buffer) then
      ready()
    end
  end)
end

--- The link at a position, else the next one on the line, else its last one.
---@param buffer integer
---@param row integer from 0
---@param column integer byte, from 0
---@return gprof.LinkInLine?
function M.link_at(buffer, row, column)
  local links = (links_of[buffer] or {})[row] or {}
  for _, link in ipairs(links) do
    if column < link.last then
      return link
    end
  end
  return links[#links]
end

--- The first line, from 1, that begins an entry and leads to the target; nil if there is none.
---@param buffer integer
---@param target string
---@return integer?
function M.entry_of(buffer, target)
  local rows = vim.tbl_keys(links_of[buffer] or {})
  table.sort(rows)
  for _, row in ipairs(rows) do
    local text = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
    if text:match('^%[%d+%]') then
      for _, link in ipairs(links_of[buffer][row]) do
        if link.target == target then
          return row + 1
        end
      end
    end
  end
end

---@param buffer integer
function M.forget(buffer)
  links_of[buffer] = nil
end

return M
