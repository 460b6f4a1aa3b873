--- `:GprofHotspots`: the functions that cost most, as a quickfix list.

local catalogue = require('gprof.server.catalogue')
local items = require('gprof.navigation.items')
local messages = require('gprof.messages')
local metric = require('gprof.selection.metric')
local quickfix = require('gprof.navigation.quickfix')
local requests = require('gprof.server.requests')
local selection = require('gprof.selection')
local selection_words = require('gprof.selection.words')

local M = {}

local most = 200

local words =
  { time = 'self time', self = 'self time', total = 'time with callees', calls = 'calls', executions = 'calls' }

---@param client gprof.Client
---@param result table of gprof/hotSpots
---@param name string of the metric
---@param described gprof.MetricDescription? unless it is a usual one
---@return gprof.List
local function list_of(client, result, name, described)
  return {
    title = ('Hot spots by %s · %s%s'):format(words[name] or name, result.program, selection.suffix(client)),
    items = items.of_hot_spots(result, name, described and described.kind == 'derived' and described or nil),
  }
end

---@param client gprof.Client
---@param result table of gprof/hotSpots
---@param list gprof.List
---@return string?
local function reason_for_none(client, result, list)
  if result.program == '' then
    return 'no profile is shown. `:GprofRun` makes one, `:Gprof load` loads one.'
  elseif #list.items == 0 and selection.of(client.id) then
    return 'nothing took time in what is selected. `:Gprof select` shows all of the run.'
  elseif #list.items == 0 then
    return 'nothing took time, as far as was sampled. `:GprofHotspots calls` lists what was called.'
  end
end

---@param client gprof.Client
---@param name string of the metric
---@param ask fun(client: gprof.Client, method: string, params: table, answer: fun(result: table?))
---@param take fun(result: table?, list: gprof.List?)
local function ask_by(client, name, ask, take)
  catalogue.describe(client, name, function(described)
    -- The values of a metric that is no usual one are asked for by its name.
    local params = { metric = name, limit = most, metrics = described and { name } or nil }
    ask(client, 'gprof/hotSpots', params, function(result)
      take(result, result and list_of(client, result, name, described) or nil)
    end)
  end)
end

---@param call gprof.CommandCall
function M.show(call)
  local window = vim.api.nvim_get_current_win()
  local wanted = call.args ~= '' and selection_words.unescaped(vim.trim(call.args)) or nil
  local client = requests.current_client()
  if not client or wanted and not metric.is_there_or_complain(client, wanted) then
    return
  end
  local question = {
    kind = 'hot spots',
    root = client.config.root_dir,
    ask = function(current, answer)
      ask_by(current, wanted or metric.of(current), requests.ask, function(result, list)
        answer(result and result.program ~= '' and list or nil)
      end)
    end,
  }
  ask_by(client, wanted or metric.of(client), requests.ask_or_tell, function(result, list)
    local reason = reason_for_none(client, result, list)
    if reason then
      messages.tell(reason)
    else
      quickfix.show(client, question, list, { jumps = not call.bang, window = window })
    end
  end)
end

return M
