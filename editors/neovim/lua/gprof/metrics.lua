--- What lines and functions are shown, coloured and ordered by. Pure.

local M = {}

--- Those that every profile has. A profile may have others, which its server names (server/catalogue.lua).
M.names = { 'time', 'calls', 'executions', 'self', 'total' }

---@param metric string
---@return boolean
function M.is_usual(metric)
  for _, name in ipairs(M.names) do
    if name == metric then
      return true
    end
  end
  return false
end

--- Whether it is a cost, whose figures are shown as times are.
---@param metric string
---@return boolean
function M.is_of_time(metric)
  return metric ~= 'calls' and metric ~= 'executions'
end

return M
