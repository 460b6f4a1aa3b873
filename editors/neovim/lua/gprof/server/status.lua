--- The status of each server's profile, and the listeners for its changes.

local compat = require('gprof.compat')

local M = {}

---@class gprof.Session what is chosen until a server's session ends
---@field status gprof.StatusParams?
---@field metric string?
---@field threshold number?
---@field idle 'shown'|'folded'|nil

---@type table<integer, gprof.Session>
local sessions = {}
---@type fun(client: integer, status: gprof.StatusParams)[]
local listeners = {}

---@param client integer
---@return gprof.Session
function M.session(client)
  sessions[client] = sessions[client] or {}
  return sessions[client]
end

---@param client integer
---@return gprof.StatusParams?
function M.of(client)
  return sessions[client] and sessions[client].status
end

---@param listener fun(client: integer, status: gprof.StatusParams)
function M.listen(listener)
  table.insert(listeners, listener)
end

--- Reports that the profile or the way it is displayed has changed.
---@param client integer
function M.changed(client)
  local status = M.of(client)
  if status then
    for _, listener in ipairs(listeners) do
      listener(client, status)
    end
  end
end

---@param client integer
---@param status gprof.StatusParams
function M.update(client, status)
  local session = M.session(client)
  local before = session.status
  session.status = status
  session.metric = status.metric or session.metric
  M.changed(client)
  local is_new = before == nil or before.generation ~= status.generation or before.program ~= status.program
  if status.state ~= 'loading' and status.program ~= '' and (is_new or before.state == 'loading') then
    compat.emit('GprofLoaded', vim.tbl_extend('force', { client_id = client }, status))
  end
end

---@param client integer
function M.forget(client)
  sessions[client] = nil
end

return M
