--- `:Gprof select`: which threads, processes and stretch of the run the figures are of.

local catalogue = require('gprof.server.catalogue')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')
local words = require('gprof.selection.words')

local M = {}

--- What is selected; nil: nothing, so that all is shown.
---@param client integer
---@return gprof.Selection?
function M.of(client)
  local told = status.of(client)
  return told and type(told.selection) == 'table' and next(told.selection) and told.selection or nil
end

--- Whether a stretch of time is selected, of which calls are left out.
---@param client integer
---@return boolean
function M.is_of_time(client)
  local selection = M.of(client)
  return selection ~= nil and (selection.from ~= nil or selection.to ~= nil)
end

--- For titles of what is shown: " · thread parser (12)"; empty for all.
---@param client gprof.Client
---@return string
function M.suffix(client)
  local told = status.of(client.id)
  return M.of(client.id) and told.selectionText and ' · ' .. told.selectionText or ''
end

--- The server tells of it (gprof/status), and whatever is shown follows.
---@param client gprof.Client
---@param selection gprof.Selection? nil: all
function M.set(client, selection)
  local is_all = selection == nil or next(selection) == nil
  requests.execute(client, 'gprof.setSelection', { is_all and vim.NIL or selection })
end

--- As `:Gprof select` was typed.
---@param client gprof.Client
---@param typed string[]
function M.set_typed(client, typed)
  if not catalogue.is_told_by_or_complain(client, 'selections') then
    return
  end
  catalogue.ask(client, function(told)
    local names = vim.tbl_map(function(thread)
      return thread.name
    end, told.threads)
    local selection, problem = words.parse(typed, names)
    if selection then
      M.set(client, selection)
    else
      requests.complain(problem)
    end
  end)
end

---@param client gprof.Client?
---@param typed string
---@param before string[]
---@return string[]
function M.complete(client, typed, before)
  return words.complete(typed, before, catalogue.now(client))
end

return M
