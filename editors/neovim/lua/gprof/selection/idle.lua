--- `:Gprof idle`: whether waiting that is no time lost is part of the figures, and whose waiting that is.

local catalogue = require('gprof.server.catalogue')
local config = require('gprof.config')
local idle_threads = require('gprof.selection.idle_threads')
local requests = require('gprof.server.requests')
local status = require('gprof.server.status')

local M = {}

M.words = { 'shown', 'folded' }

--- The current choice: the session's, else that of the settings.
---@param client gprof.Client
---@return 'shown'|'folded'
function M.of(client)
  return status.session(client.id).idle or config.get().settings.idle
end

-- What is idle, told in words: asked while that is folded away, else it cannot be told apart.
---@param client gprof.Client
---@param take fun(what: string)
local function ask_what(client, take)
  local function ask(selection, answer)
    local params = { rows = 'threads', columns = 1, metric = 'wait', selection = selection }
    requests.ask(client, 'gprof/timeline', params, answer)
  end
  if not catalogue.is_told_by(client) then
    take('')
    return
  end
  ask({ idle = true }, function(all)
    if not all then
      take('; in this profile no waiting was measured')
      return
    end
    ask(vim.NIL, function(busy)
      take(busy and idle_threads.told(idle_threads.among(all.rows, busy.rows)) or '')
    end)
  end)
end

---@param client gprof.Client
---@param choice 'shown'|'folded'
---@param done fun()
local function choose(client, choice, done)
  requests.execute(client, 'gprof.setIdle', { choice }, function()
    status.session(client.id).idle = choice
    status.changed(client.id)
    done()
  end)
end

---@param choice 'shown'|'folded'
---@param what string
local function tell(choice, what)
  local became = choice == 'folded' and 'folded away' or 'shown'
  vim.notify(('gprof: idle waiting is %s%s.'):format(became, what), vim.log.levels.INFO)
end

--- As `:Gprof idle` was typed; without a word, the other of the two.
---@param client gprof.Client
---@param typed string[]
function M.set_typed(client, typed)
  local before = M.of(client)
  local choice = typed[1] or (before == 'shown' and 'folded' or 'shown')
  if #typed > 1 or not vim.tbl_contains(M.words, choice) then
    local text = 'idle waiting cannot be %s. It is one of: %s.'
    requests.complain(text:format(table.concat(typed, ' '), table.concat(M.words, ', ')))
  elseif choice == 'folded' then
    choose(client, choice, function()
      ask_what(client, function(what)
        tell(choice, what)
      end)
    end)
  elseif before == 'folded' then
    ask_what(client, function(what)
      choose(client, choice, function()
        tell(choice, what)
      end)
    end)
  else
    choose(client, choice, function()
      tell(choice, '')
    end)
  end
end

return M
