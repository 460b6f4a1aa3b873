--- From a function to its callers and callees, to what costs most, and from hot line to hot line.

local M = {}

---@param call gprof.CommandCall
function M.callers(call)
  require('gprof.navigation.call_lists').show('callers', call)
end

---@param call gprof.CommandCall
function M.callees(call)
  require('gprof.navigation.call_lists').show('callees', call)
end

---@param call gprof.CommandCall
function M.hot_spots(call)
  require('gprof.navigation.hot_spots').show(call)
end

---@param call gprof.CommandCall
function M.next_hot_line(call)
  require('gprof.navigation.hot_line_motion').go(1, call)
end

---@param call gprof.CommandCall
function M.previous_hot_line(call)
  require('gprof.navigation.hot_line_motion').go(-1, call)
end

---@param typed string
---@param words string[]
---@return string[]
function M.complete_metric(typed, words)
  local client = require('gprof.server.requests').client_of_user()
  return require('gprof.selection.metric').complete(client, typed, words)
end

return M
