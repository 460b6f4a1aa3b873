--- Names of report buffers: `gprof-report:///flat-profile?options=-b%20-l`. They are the server's URIs of its report
--- documents, with the slashes that make Neovim treat them as URLs. Pure.

local M = {}

local members = { 'program', 'options', 'file' }

---@param text string
---@return string
local function encode(text)
  return (text:gsub('[^%w%-._~/]', function(character)
    return ('%%%02X'):format(character:byte())
  end))
end

---@param text string
---@return string
local function decode(text)
  return (text:gsub('%%(%x%x)', function(digits)
    return string.char(tonumber(digits, 16))
  end))
end

---@param address gprof.ReportParams
---@return string
function M.name_of(address)
  local query = {}
  for _, member in ipairs(members) do
    if address[member] then
      table.insert(query, ('%s=%s'):format(member, encode(address[member])))
    end
  end
  return ('gprof-report:///%s%s'):format(address.kind, #query > 0 and '?' .. table.concat(query, '&') or '')
end

--- From a buffer's name, or a server's URI; nil if it is neither.
---@param name string
---@return gprof.ReportParams?
function M.parse(name)
  local kind, query = name:match('^gprof%-report:/+([%a-]+)%??([^#]*)')
  if not kind then
    return nil
  end
  local address = { kind = kind }
  for _, member in ipairs(members) do
    local value = ('&' .. query):match('&' .. member .. '=([^&]*)')
    address[member] = value and decode(value)
  end
  return address
end

--- Splits a link's target into URI and line, from 1.
---@param target string
---@return string uri
---@return integer line
function M.split_target(target)
  local uri, line = target:match('^(.*)#L(%d+)$')
  return uri or target, tonumber(line) or 1
end

return M
