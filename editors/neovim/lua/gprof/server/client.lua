--- Starts the server for buffers, one per workspace, and restarts it when it exits by itself.

local compat = require('gprof.compat')
local config = require('gprof.config')
local encoding = require('gprof.server.encoding')
local hovers = require('gprof.server.hovers')
local locate = require('gprof.server.locate')
local messages = require('gprof.messages')
local restarts = require('gprof.server.restarts')
local status = require('gprof.server.status')

local M = {}

M.name = 'gprof'

---@class gprof.Served
---@field root string
---@field buffers table<integer, boolean>
---@field is_stopping boolean? by us

---@type table<integer, gprof.Served> by client
local served = {}
---@type table<string, gprof.Restarts> by root
local restarts_of = {}
---@type table<string, boolean> roots whose server was restarted with another one's encoding
local has_agreed = {}
---@type fun(client: gprof.Client, buffer: integer)[]
local attach_listeners = {}
---@type fun(client: integer)[]
local end_listeners = {}
local was_told_missing = false

M.is_ours = encoding.is_ours

--- The server of the buffer; nil if there is none, or it is not ready.
---@param buffer integer
---@return gprof.Client?
function M.of_buffer(buffer)
  for _, client in ipairs(compat.clients(buffer)) do
    if M.is_ours(client) then
      return client
    end
  end
end

---@return gprof.Client[]
function M.all()
  return vim.tbl_filter(M.is_ours, compat.clients())
end

--- Whether a server was started that has not answered yet.
---@return boolean
function M.is_starting()
  for id in pairs(served) do
    local client = vim.lsp.get_client_by_id(id)
    if not client or not client.initialized then
      return true
    end
  end
  return false
end

--- The client with this id while it runs, else any other of ours.
---@param id integer?
---@return gprof.Client?
function M.with_id_or_any(id)
  local all = M.all()
  for _, client in ipairs(all) do
    if client.id == id then
      return client
    end
  end
  return all[1]
end

--- The loaded buffers of the server.
---@param client integer
---@return integer[]
function M.buffers_of(client)
  return vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.tbl_keys((served[client] or { buffers = {} }).buffers))
end

--- Called for each buffer that one of our servers is attached to.
---@param listener fun(client: gprof.Client, buffer: integer)
function M.on_attach(listener)
  table.insert(attach_listeners, listener)
end

--- Called when a server has ended and is not restarted.
---@param listener fun(client: integer)
function M.on_end(listener)
  table.insert(end_listeners, listener)
end

---@param client integer
---@param root string
---@param buffer integer
local function serve(client, root, buffer)
  served[client] = served[client] or { root = root, buffers = {} }
  served[client].buffers[buffer] = true
end

--- A server was attached to a buffer: ours, or another one whose encoding ours must match.
---@param client gprof.Client
---@param buffer integer
function M.attached(client, buffer)
  if M.is_ours(client) then
    serve(client.id, client.config.root_dir or '', buffer)
    for _, listener in ipairs(attach_listeners) do
      listener(client, buffer)
    end
  end
  M.agree(buffer)
end

---@param buffers integer[]
local function start_all(buffers)
  for _, buffer in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      M.start(buffer)
    end
  end
end

---@param client integer
local function gone_for_good(client)
  for _, listener in ipairs(end_listeners) do
    listener(client)
  end
end

--- Starts a replacement after a while; returns false after too many.
---@param root string
---@param buffers integer[]
---@return boolean
local function start_again(root, buffers)
  restarts_of[root] = restarts_of[root] or restarts.new()
  local delay = restarts_of[root]:next(compat.now())
  if not delay then
    return false
  end
  compat.after(delay, function()
    start_all(buffers)
  end)
  return true
end

--- The process is gone. Unless it was stopped, another one follows soon: one asked to end exits with 0.
---@param client integer
---@param status_code integer
---@param signal integer
local function ended(client, status_code, signal)
  local was, buffers = served[client], M.buffers_of(client)
  served[client] = nil
  status.forget(client)
  if was and was.is_stopping then
    return
  end
  local is_unasked = status_code ~= 0 or signal ~= 0
  if not was or #buffers == 0 or not is_unasked then
    gone_for_good(client)
  elseif not start_again(was.root, buffers) then
    gone_for_good(client)
    local text = 'the server ended %d times and is not started again. :Gprof restart tries anew.'
    messages.tell(text:format(restarts.most + 1), vim.log.levels.ERROR)
  end
end

local function capabilities()
  local wanted = vim.lsp.protocol.make_client_capabilities()
  wanted.experimental = wanted.experimental or {}
  wanted.experimental.gprof = { decorations = config.get().annotations.enable, status = true, tests = true }
  return wanted
end

--- The configuration that does not depend on a buffer; also returned by `lsp/gprof.lua`.
---@return table
function M.lsp_config()
  return {
    name = M.name,
    cmd = locate.command() or { 'gprof-lsp', '--stdio' },
    filetypes = config.get().filetypes,
    capabilities = capabilities(),
    settings = { gprof = config.get().settings },
    handlers = {
      ['gprof/status'] = function(_, parameters, context)
        status.update(context.client_id, parameters)
      end,
      ['window/showMessage'] = messages.handler,
      ['textDocument/hover'] = not compat.joins_hovers and hovers.handler or nil,
    },
    on_init = function(client)
      compat.tell_settings(client)
      local restart = restarts_of[client.config.root_dir]
      if restart then
        restart:started(compat.now())
      end
    end,
    on_exit = vim.schedule_wrap(function(status_code, signal, client)
      ended(client, status_code, signal)
    end),
  }
end

--- The configuration for a buffer, with what the user passed to `vim.lsp.config()`.
---@param buffer integer
---@param root string
---@return table
local function config_for(buffer, root)
  local wanted = encoding.wanted(buffer)
  local settings = compat.has_lsp_config and vim.deepcopy(vim.lsp.config[M.name]) or M.lsp_config()
  settings.name = M.name
  settings.root_dir = root
  settings.capabilities.general = settings.capabilities.general or {}
  settings.capabilities.general.positionEncodings = wanted
  if not compat.negotiates_encoding then
    settings.offset_encoding = wanted[1]
  end
  if not compat.has_attach_event then
    settings.on_attach = M.attached
  end
  return settings
end

---@param buffer integer
---@return boolean
local function is_source(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return vim.bo[buffer].buftype == '' and name ~= '' and not name:match('^%a[%w+.-]*://')
end

local function tell_missing()
  if not was_told_missing then
    was_told_missing = true
    messages.tell('there is no gprof-lsp to start: :checkhealth gprof says what to do.')
  end
end

--- Starts the server for a buffer, or attaches the one of its workspace.
---@param buffer integer
---@return integer? client
function M.start(buffer)
  if not is_source(buffer) then
    return nil
  end
  if not locate.command() then
    tell_missing()
    return nil
  end
  local root = locate.root(vim.api.nvim_buf_get_name(buffer))
  local client = compat.start(config_for(buffer, root), buffer)
  if client then
    serve(client, root, buffer)
  end
  return client
end

--- Calls `work` when Neovim has removed the client, or after too many tries.
---@param client gprof.Client
---@param work fun()
---@param tries integer
local function when_gone(client, work, tries)
  if tries == 0 or not vim.lsp.get_client_by_id(client.id) then
    work()
    return
  end
  compat.after(50, function()
    when_gone(client, work, tries - 1)
  end)
end

--- Restarts the server for all of its buffers. Choices made in its session are lost.
---@param client gprof.Client
function M.restart(client)
  local root, buffers = client.config.root_dir, M.buffers_of(client.id)
  restarts_of[root] = nil
  if served[client.id] then
    served[client.id].is_stopping = true
  end
  compat.stop(client)
  when_gone(client, function()
    start_all(buffers)
  end, 200)
end

--- Starts a server that is no longer restarted automatically.
---@param buffer integer
function M.start_anew(buffer)
  restarts_of[locate.root(vim.api.nvim_buf_get_name(buffer))] = nil
  M.start(buffer)
end

--- Restarts ours if another server of the buffer uses a different encoding. Once per workspace: if others disagree
--- among themselves, ours cannot match all of them.
---@param buffer integer
function M.agree(buffer)
  local client = M.of_buffer(buffer)
  local others = client and encoding.of_others(buffer)
  if client and others and others ~= client.offset_encoding and not has_agreed[client.config.root_dir] then
    has_agreed[client.config.root_dir] = true
    M.restart(client)
  end
end

return M
