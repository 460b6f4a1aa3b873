--- What lines and functions are shown, coloured and ordered by.

local schema = require('gprof.settings_schema')

local M = {}

---@type string[]
M.names = {}
for _, setting in ipairs(schema) do
  if setting.name == 'settings.metric' then
    M.names = setting.choices
  end
end

---@param metric string
---@return boolean
function M.is_of_time(metric)
  return metric ~= 'calls' and metric ~= 'executions'
end

return M
