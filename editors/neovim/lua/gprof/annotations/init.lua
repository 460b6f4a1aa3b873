--- Which buffers are annotated, and when each is updated.

local annotated_buffer = require('gprof.annotations.annotated_buffer')
local client_of = require('gprof.server.client')
local compat = require('gprof.compat')
local config = require('gprof.config')
local highlights = require('gprof.annotations.highlights')
local status = require('gprof.server.status')

local M = {}

---@type table<integer, gprof.AnnotatedBuffer> by buffer
local annotated = {}
---@type table<integer, boolean> buffers that the user switched off or on
local switched = {}
---@type table<integer, boolean> buffers whose edits are listened to
local listened = {}

---@param buffer integer
---@return boolean
function M.is_enabled(buffer)
  if switched[buffer] ~= nil then
    return switched[buffer]
  end
  return config.get().annotations.enable
end

---@param buffer integer
---@return gprof.AnnotatedBuffer?
function M.of(buffer)
  return annotated[buffer]
end

---@param buffer integer
local function close(buffer)
  if annotated[buffer] then
    annotated[buffer]:close()
    annotated[buffer] = nil
  end
end

---@param buffer integer
---@return boolean whether it had to be started: `:edit` ends it, and the server is attached again
local function listen_to_edits(buffer)
  if listened[buffer] then
    return false
  end
  listened[buffer] = vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, tick, first, last, new_last)
      if annotated[buffer] then
        annotated[buffer]:edited(first, last, new_last, tick)
      end
    end,
    -- The text was reloaded from its file: all of it may have changed.
    on_reload = function()
      if annotated[buffer] then
        annotated[buffer]:edited(0, 0, vim.api.nvim_buf_line_count(buffer))
      end
    end,
    on_detach = function()
      listened[buffer] = nil
      vim.schedule(function()
        if not listened[buffer] then
          close(buffer)
        end
      end)
    end,
  })
  return true
end

---@param client gprof.Client
---@param buffer integer
local function open(client, buffer)
  if not M.is_enabled(buffer) then
    return
  end
  local before, is_read_again = annotated[buffer], listen_to_edits(buffer)
  if not before then
    annotated[buffer] = annotated_buffer.new(buffer, client)
  elseif before.client.id ~= client.id then
    -- Another process serves it: what is drawn stays until its answer arrives.
    before:serve_by(client)
  elseif not is_read_again then
    -- It was detached meanwhile.
    before:profile_changed()
  else
    before:edited(0, 0, vim.api.nvim_buf_line_count(buffer))
  end
end

--- Switches the annotations of a buffer off or on; if its server is not running yet, for when it is.
---@param buffer integer
function M.toggle(buffer)
  switched[buffer] = not M.is_enabled(buffer)
  local client = client_of.of_buffer(buffer)
  if not switched[buffer] then
    close(buffer)
  elseif client then
    open(client, buffer)
  end
end

---@param client integer
---@param told gprof.StatusParams
local function profile_changed(client, told)
  if told.state == 'loading' then
    return
  end
  for _, buffer in pairs(annotated) do
    if buffer.client.id == client then
      buffer:profile_changed()
    end
  end
end

-- Nothing would report that its figures are outdated.
---@param client integer
local function server_gone(client)
  for buffer, each in pairs(annotated) do
    if each.client.id == client then
      close(buffer)
    end
  end
end

---@param work fun(buffer: gprof.AnnotatedBuffer)
local function with_shown_buffers(work)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = annotated[vim.api.nvim_win_get_buf(window)]
    if buffer then
      work(buffer)
    end
  end
end

local function look_at_windows()
  with_shown_buffers(function(buffer)
    buffer:scrolled()
  end)
end

-- Where modes and cursors decide which lines have figures.
local function reveal_in_windows()
  with_shown_buffers(function(buffer)
    buffer:reveal()
  end)
end

--- Shows the figures of all lines of a buffer for a moment.
---@param buffer integer
function M.peek(buffer)
  if annotated[buffer] then
    annotated[buffer]:peek()
  end
end

local function define_autocommands()
  local group = vim.api.nvim_create_augroup('GprofAnnotations', {})
  local function on(events, work)
    vim.api.nvim_create_autocmd(events, { group = group, callback = work })
  end
  on({ 'WinScrolled', 'BufWinEnter', 'WinEnter', 'TabEnter', 'VimResized', 'CursorMoved' }, look_at_windows)
  on({ 'CursorMoved', 'CursorMovedI', 'WinEnter', 'InsertEnter', 'InsertLeave' }, function()
    -- The mode changes after the event.
    vim.schedule(reveal_in_windows)
  end)
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, function(event)
    if annotated[event.buf] then
      annotated[event.buf]:verify()
    end
  end)
  on('BufFilePost', function(event)
    if annotated[event.buf] then
      annotated[event.buf]:profile_changed()
    end
  end)
  if compat.has_attach_event then
    on('LspDetach', function(event)
      if annotated[event.buf] and annotated[event.buf].client.id == event.data.client_id then
        annotated[event.buf]:ask_after(0)
      end
    end)
  end
  if compat.is_full then
    on('LspRequest', function(event)
      local request = event.data.request
      local is_of_lenses = request.method == 'textDocument/codeLens' or request.method == 'codeLens/resolve'
      if request.type ~= 'complete' or not annotated[event.buf] then
        return
      end
      if is_of_lenses then
        annotated[event.buf]:lenses_answered()
      elseif request.method == 'textDocument/inlayHint' then
        annotated[event.buf]:widths_changed()
      end
    end)
  else
    on('CursorHold', function(event)
      if annotated[event.buf] then
        annotated[event.buf]:lenses_answered()
      end
    end)
  end
end

function M.register()
  highlights.define()
  define_autocommands()
  status.listen(profile_changed)
  client_of.on_attach(open)
  client_of.on_end(server_gone)
end

return M
