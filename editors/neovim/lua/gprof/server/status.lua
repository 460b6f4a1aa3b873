--- What each server says of the profile that it shows, and who wants to know when that changes.

local compat = require('gprof.compat')

local M = {}

---@class gprof.Status parameters of gprof/status
---@field state 'loading'|'ready'|'stale'|'error'
---@field program string
---@field profiles string[]
---@field generation integer
---@field message string?
---@field live boolean?
---@field ran string? by the clock and on CPUs
---@field waiting string? a sentence, where most of that was no CPU time
---@field tick string? a sentence, where the kernel's tick may have decided where samples lie

---@class gprof.Session what is chosen until a server's session ends
---@field status gprof.Status?
---@field metric string?
---@field threshold number?
---@field unit string?

---@type table<integer, gprof.Session>
local sessions = {}
---@type fun(client: integer, status: gprof.Status)[]
local listeners = {}

---@param client integer
---@return gprof.Session
function M.session(client)
  sessions[client] = sessions[client] or {}
  return sessions[client]
end

---@param client integer
---@return gprof.Status?
function M.of(client)
  return sessions[client] and sessions[client].status
end

---@param listener fun(client: integer, status: gprof.Status)
function M.listen(listener)
  table.insert(listeners, listener)
end

--- Tells that what is shown changed: another profile, or another way to look at it.
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
---@param status gprof.Status
function M.update(client, status)
  local session = M.session(client)
  local before = session.status
  session.status = status
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
