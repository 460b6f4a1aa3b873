--- Running programs under the collector, and comparing with other profiles.

local M = {}

---@param call gprof.CommandCall
function M.run(call)
  require('gprof.recording.run').run(call)
end

---@param typed string
---@param words string[]
---@return string[]
function M.complete_run(typed, words)
  return require('gprof.recording.run').complete(typed, words)
end

---@param call gprof.CommandCall
function M.diff(call)
  require('gprof.recording.compare').diff(call)
end

---@param typed string
---@param words string[]
---@return string[]
function M.complete_diff(typed, words)
  return require('gprof.recording.compare').complete(typed, words)
end

return M
