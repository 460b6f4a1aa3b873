--- Shows again what was recorded last in a workspace, in a new session of Neovim: the server finds what lies in the
--- workspace, but recordings lie elsewhere. What is newer stays.

local command_line = require('gprof.recording.command_line')
local compat = require('gprof.compat')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')
local storage = require('gprof.recording.storage')

local M = {}

---@type table<integer, boolean> by client
local is_done = {}

---@param noted { program: string, profile: string }
---@param told gprof.Status
---@return boolean
local function is_wanted(noted, told)
  if told.program ~= '' and told.program ~= noted.program then
    return false
  end
  local recorded = compat.modified(noted.profile)
  local shown = told.profiles[1] and compat.modified(told.profiles[1]) or 0
  return recorded ~= nil and compat.exists(noted.program) and shown < recorded
end

---@param id integer of a client
---@param told gprof.Status
local function profile_changed(id, told)
  local client = vim.lsp.get_client_by_id(id)
  if told.state == 'loading' or is_done[id] or not client then
    return
  end
  is_done[id] = true
  local noted = storage.remembered(client.config.root_dir)
  if noted and is_wanted(noted, told) then
    local argument = { executable = noted.program, profiles = { command_line.pattern_of(noted.profile) } }
    requests.execute(client, 'gprof.load', { argument })
  end
end

function M.register()
  status.listen(profile_changed)
end

return M
