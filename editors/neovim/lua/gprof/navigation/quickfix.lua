--- Quickfix lists of profiles. When the profile changes, a list that is still the current one is refilled, with the
--- same entry selected; a list that the user has left is not touched.

local columns = require('gprof.navigation.columns')
local config = require('gprof.config')
local items_of = require('gprof.navigation.items')
local messages = require('gprof.messages')
local status = require('gprof.server.status')

local M = {}

local most_lines = 10

---@class gprof.List
---@field title string
---@field items gprof.ListItem[]

---@class gprof.Question how a list is requested again
---@field kind string names it in the list's context
---@field root string of the server's workspace
---@field ask fun(client: gprof.Client, answer: fun(list: gprof.List?))

---@class gprof.KnownList
---@field question gprof.Question
---@field title string
---@field keys string[]

---@type table<integer, gprof.KnownList> by the list's id
local known = {}
local is_listening = false

--- Reads lines of files, from the editor if loaded, else from disk.
---@return fun(uri: string, row: integer): string
local function reader()
  local loaded, read = {}, {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      loaded[vim.api.nvim_buf_get_name(buffer)] = buffer
    end
  end
  return function(uri, row)
    local path = vim.uri_to_fname(uri)
    if loaded[path] then
      return vim.api.nvim_buf_get_lines(loaded[path], row, row + 1, false)[1] or ''
    end
    if not read[path] then
      local is_read, lines = pcall(vim.fn.readfile, path)
      read[path] = is_read and lines or {}
    end
    return read[path][row + 1] or ''
  end
end

---@param items gprof.ListItem[]
---@param encoding string
---@return table[] as setqflist() takes them
local function entries_of(items, encoding)
  local line_at = reader()
  ---@param uri string
  ---@param position { line: integer, character: integer }
  local function column(uri, position)
    if encoding == 'utf-8' then
      return position.character + 1
    end
    return columns.byte_of(line_at(uri, position.line), position.character, encoding) + 1
  end
  return vim.tbl_map(function(item)
    local place = item.location
    if not place then
      return { text = item.text, valid = 0 }
    end
    return {
      filename = vim.uri_to_fname(place.uri),
      lnum = place.range.start.line + 1,
      col = column(place.uri, place.range.start),
      end_lnum = place.range['end'].line + 1,
      end_col = column(place.uri, place.range['end']),
      text = item.text,
      valid = 1,
    }
  end, items)
end

---@param list gprof.List
---@return string[]
local function keys_of(list)
  return vim.tbl_map(function(item)
    return item.key
  end, list.items)
end

-- Replacing the list's lines must not scroll its window.
---@param id integer
---@param what table
local function replace(id, what)
  local window = vim.fn.getqflist({ id = id, winid = 0 }).winid
  local view = window ~= 0 and vim.api.nvim_win_call(window, vim.fn.winsaveview)
  local idx = what.idx
  vim.fn.setqflist({}, 'r', vim.tbl_extend('force', what, { id = id }))
  if view then
    vim.api.nvim_win_call(window, function()
      view.lnum = idx or view.lnum
      vim.fn.winrestview(view)
    end)
  end
end

---@param id integer
---@param client gprof.Client
---@param list gprof.List?
local function take_again(id, client, list)
  local one = known[id]
  if not one or vim.fn.getqflist({ id = 0 }).id ~= id then
    return
  end
  if not list then
    replace(id, { title = one.title .. ' (outdated)' })
    return
  end
  local keys = keys_of(list)
  local selected = items_of.selected_again(one.keys, vim.fn.getqflist({ id = id, idx = 0 }).idx, keys)
  one.keys, one.title = keys, list.title
  local entries = entries_of(list.items, client.offset_encoding)
  replace(id, { title = list.title, items = entries, idx = #entries > 0 and selected or nil })
end

---@param id integer of a client
---@param told gprof.StatusParams
local function profile_changed(id, told)
  local current = vim.fn.getqflist({ id = 0 }).id
  local one = known[current]
  local client = vim.lsp.get_client_by_id(id)
  if told.state == 'loading' or not one or not client or client.config.root_dir ~= one.question.root then
    return
  end
  one.question.ask(client, function(list)
    take_again(current, client, list)
  end)
end

local function forget_dropped_lists()
  for id in pairs(known) do
    if vim.fn.getqflist({ id = id }).id ~= id then
      known[id] = nil
    end
  end
end

---@param items gprof.ListItem[]
---@return integer?
local function first_with_place(items)
  for index, item in ipairs(items) do
    if item.location then
      return index
    end
  end
end

---@param list gprof.List
---@param stays boolean the cursor goes to the list
local function open_window(list, stays)
  local before = vim.api.nvim_get_current_win()
  local height = math.min(math.max(#list.items, 1), most_lines)
  if vim.fn.getqflist({ winid = 0 }).winid == 0 then
    vim.cmd(('botright copen %d'):format(height))
  end
  local window = vim.fn.getqflist({ winid = 0 }).winid
  -- The window was opened for a shorter list.
  if vim.api.nvim_win_get_height(window) < height then
    vim.api.nvim_win_set_height(window, height)
  end
  vim.wo[window].wrap = false
  if stays then
    vim.api.nvim_set_current_win(window)
  else
    vim.api.nvim_set_current_win(before)
  end
end

--- Shows a new list. Jumps to the first entry with a location, unless the user has moved on since, or does not want
--- that: then the cursor goes to the list.
---@param client gprof.Client
---@param question gprof.Question
---@param list gprof.List
---@param options { jumps: boolean, window: integer } the window that the user asked in
function M.show(client, question, list, options)
  if not is_listening then
    is_listening = true
    status.listen(profile_changed)
  end
  vim.fn.setqflist({}, ' ', {
    title = list.title,
    items = entries_of(list.items, client.offset_encoding),
    context = { gprof = question.kind },
  })
  forget_dropped_lists()
  known[vim.fn.getqflist({ id = 0 }).id] = { question = question, title = list.title, keys = keys_of(list) }
  local is_here = vim.api.nvim_get_current_win() == options.window
  local first = first_with_place(list.items)
  if options.jumps and is_here and first and vim.api.nvim_get_mode().mode == 'n' then
    local is_done, message = pcall(vim.cmd, ('cc %d'):format(first))
    if not is_done then
      messages.tell((tostring(message):gsub('^Vim[^:]*:', '')), vim.log.levels.ERROR)
    end
  end
  if config.get().lists.open and is_here then
    open_window(list, not options.jumps)
  end
end

--- Whether a list of this kind is the current one.
---@param kind string
---@return boolean
function M.is_current(kind)
  local one = known[vim.fn.getqflist({ id = 0 }).id]
  return one ~= nil and one.question.kind == kind
end

return M
