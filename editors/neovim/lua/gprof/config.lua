--- The settings of `require('gprof').setup()`, checked against the table that `:help gprof-settings` is generated from.

local M = {}

---@class gprof.Setting
---@field name string with dots between its parts
---@field type string one of: boolean, integer, number, string, list (of texts), any
---@field default any
---@field choices string[]?
---@field least number?
---@field most number?
---@field is_optional boolean? nil is allowed
---@field text string for the help page

--- What the server reads is below `settings`, under the names that it has in every editor.
M.schema = require('gprof.settings_schema')

---@param tree table
---@param name string
local function value_at(tree, name)
  for part in name:gmatch('[^.]+') do
    if type(tree) ~= 'table' then
      return nil
    end
    tree = tree[part]
  end
  return tree
end

---@param tree table
---@param name string
---@param value any
local function set_at(tree, name, value)
  local parts = {}
  for part in name:gmatch('[^.]+') do
    table.insert(parts, part)
  end
  for index = 1, #parts - 1 do
    tree[parts[index]] = tree[parts[index]] or {}
    tree = tree[parts[index]]
  end
  tree[parts[#parts]] = value
end

---@param setting gprof.Setting
---@return string
local function expected(setting)
  if setting.choices then
    return 'one of ' .. table.concat(setting.choices, ', ')
  end
  if setting.least then
    return ('%s from %s to %s'):format(
      setting.type == 'integer' and 'a whole number' or 'a number',
      setting.least,
      setting.most
    )
  end
  local words = { boolean = 'true or false', string = 'a text', list = 'a list of texts', any = 'a table' }
  return words[setting.type]
end

---@param setting gprof.Setting
---@param value any
---@return boolean
local function fits(setting, value)
  local kind = setting.type
  if kind == 'any' then
    return type(value) == 'table'
  elseif kind == 'list' then
    if type(value) ~= 'table' then
      return false
    end
    for _, element in ipairs(value) do
      if type(element) ~= 'string' then
        return false
      end
    end
    return #value > 0
  elseif kind == 'integer' or kind == 'number' then
    local is_number = type(value) == 'number' and (kind == 'number' or value % 1 == 0)
    return is_number and value >= setting.least and value <= setting.most
  end
  if type(value) ~= kind then
    return false
  end
  return setting.choices == nil or vim.tbl_contains(setting.choices, value)
end

--- Given names that are not settings.
---@param given table
---@param prefix string
---@param known table<string, gprof.Setting>
---@param problems string[]
local function find_unknown(given, prefix, known, problems)
  for key, value in pairs(given) do
    local name = prefix .. tostring(key)
    if not known[name] then
      local is_group = false
      for other in pairs(known) do
        is_group = is_group or vim.startswith(other, name .. '.')
      end
      if is_group and type(value) == 'table' then
        find_unknown(value, name .. '.', known, problems)
      else
        table.insert(problems, name .. (is_group and ' must be a table' or ' is no setting of this plugin'))
      end
    end
  end
end

--- The defaults overridden by what the user gave. Invalid values keep the default and are reported.
---@param given table?
---@return table settings
---@return string[] problems
function M.resolve(given)
  local settings, problems, known = {}, {}, {}
  if given ~= nil and type(given) ~= 'table' then
    given, problems = nil, { 'they must be a table' }
  end
  for _, setting in ipairs(M.schema) do
    known[setting.name] = setting
    set_at(settings, setting.name, vim.deepcopy(setting.default))
    local value = value_at(given or {}, setting.name)
    if value ~= nil then
      if fits(setting, value) then
        set_at(settings, setting.name, vim.deepcopy(value))
      else
        table.insert(problems, ('%s must be %s'):format(setting.name, expected(setting)))
      end
    end
  end
  find_unknown(given or {}, '', known, problems)
  table.sort(problems)
  return settings, problems
end

M.expected = expected

local current, current_problems

--- The current settings: those of setup(), else of `vim.g.gprof`, else the defaults.
---@return table
function M.get()
  if not current then
    M.set(vim.g.gprof)
  end
  return current
end

---@param given table?
---@return string[] problems
function M.set(given)
  current, current_problems = M.resolve(given)
  return current_problems
end

--- Problems with the settings, for the health report.
---@return string[]
function M.problems()
  M.get()
  return current_problems
end

return M
