--- The text for status lines.

local annotations = require('gprof.annotations')
local client_of = require('gprof.server.client')
local compat = require('gprof.compat')
local numbers = require('gprof.numbers')
local status = require('gprof.server.status')

local M = {}

local compared = { regressed = '▲ regressed', improved = '▼ improved' }

---@class gprof.StatusFacts
---@field status gprof.StatusParams?
---@field age number? seconds since the profile was written
---@field source string? how the buffer relates to what was compiled
---@field of_file string? the program whose figures the buffer has

--- A name that is safe in any status line: some evaluate their text, in which % begins an item. Pure.
---@param name string
---@return string
local function plain(name)
  return (name:gsub('[%%%c]', '?'))
end

---@param program string a path
---@param name string as the server makes it unique: "sim", or "release/sim"
---@return boolean
local function is_called(program, name)
  return program == name or program:sub(-#name - 1) == '/' .. name
end

--- Pure.
---@param facts gprof.StatusFacts
---@return string
function M.of(facts)
  local told = facts.status
  if not told then
    return ''
  elseif told.unavailable then
    return ('%s is not shown'):format(plain(told.unavailable:match('[^/]+$') or told.unavailable))
  elseif told.program == '' then
    return told.state == 'loading' and 'gprof: loading' or 'gprof: no profile'
  end
  local metric = told.metric and plain(told.metricText or told.metric)
  local source_changed = (facts.source == 'stale' or facts.source == 'changed') and 'source changed' or nil
  if facts.of_file and facts.of_file ~= '' and not is_called(told.program, facts.of_file) then
    -- The profile's age and state are those of another program.
    local parts = { plain(facts.of_file) }
    table.insert(parts, metric)
    table.insert(parts, source_changed)
    return table.concat(parts, ' · ')
  end
  local parts = { plain(told.program:match('[^/]+$') or told.program) }
  table.insert(parts, metric)
  if told.state == 'loading' then
    table.insert(parts, 'loading')
  elseif told.live then
    table.insert(parts, 'running')
  elseif facts.age then
    table.insert(parts, numbers.age(facts.age))
  end
  if told.state == 'stale' then
    table.insert(parts, 'rebuilt since')
  elseif told.state == 'error' then
    table.insert(parts, 'not loaded')
  end
  if told.comparison then
    table.insert(parts, compared[told.comparison.verdict] or 'compared')
  end
  if told.pinned then
    table.insert(parts, 'pinned')
  end
  if type(told.selection) == 'table' then
    table.insert(parts, told.selectionText and plain(told.selectionText) or 'a part is selected')
  end
  table.insert(parts, source_changed)
  return table.concat(parts, ' · ')
end

---@param buffer integer
---@return string
function M.text(buffer)
  local client = client_of.of_buffer(buffer)
  -- Reports and the time line know their server.
  local id = client and client.id or vim.b[buffer].gprof_client
  local told = id and status.of(id)
  local written = told and told.profiles[1] and compat.modified(told.profiles[1])
  local annotated = annotations.of(buffer)
  return M.of({
    status = told,
    age = written and os.time() - written,
    source = annotated and annotated.source,
    of_file = annotated and annotated.program,
  })
end

return M
